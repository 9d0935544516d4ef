// The playground opened in a browser, for the tests of the page.

import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, beforeEach } from "node:test";
import { launch, record, serve } from "../../bindings-js/test/browser.mjs";
import { ROOT } from "../../bindings-js/test/project.mjs";

const FOLDER = join(ROOT, "dist/playground");

/** A text with two findings, and with what must not become part of the page. */
export const TEXT = "🙂 PESEL 44051401359, mail jan.novak@example.cz\n<img src=x onerror=alert(1)>";

/**
 * Opens the page anew for each test of a suite, in a context with these options. With `opens` false, the tests open it
 * when they need it anew.
 */
export function playground(options = {}, { opens = true } = {}) {
  const it = {
    paste: (text) => it.page.fill("#text", text),
    /** Waits until what was done shows: the page draws in the next frame. */
    settled: () => it.page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done())))),
    async marked(where = "#marks") {
      await it.settled();
      return it.page.$$eval(`${where} mark`, (marks) => marks.map((mark) => mark.textContent));
    },
    /** Pastes at once what a browser that is driven takes minutes to insert line by line. */
    async pasteLong(text) {
      await it.page.locator("#text").evaluate((area, value) => {
        area.value = value;
        area.dispatchEvent(new InputEvent("input", { bubbles: true }));
        // until the page says that it is looking
        return new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done())));
      }, text);
      await it.page.locator(".found[aria-busy=false]").waitFor();
    },
    mode: (name) => it.page.getByRole("radio", { name, exact: true }).check(),
    // the page ends its copy of a text with a line break of its own
    async result(mode = "replace") {
      await it.settled();
      return (await it.page.textContent(`#result-${mode}`)).replace(/\n$/, "");
    },
    finding: (value) => it.page.locator("#findings > li", { has: it.page.getByText(value, { exact: true }) }),
    /** Opens the reasons of a finding or a country; the words that they point at. */
    async reasons(item) {
      await item.locator("summary").click();
      await item.locator(".why").waitFor();
      return item.locator("q").allTextContents();
    },
    /** The choice of what replaces the findings of a type. */
    byType: (type) => it.page.locator(`#by-type > li[data-type=${type}]`),
    button: (name) => it.page.getByRole("button", { name, exact: true }),
    /**
     * Opens the page for somebody who was never there: in a context with these options, or in that of the tests before.
     * That one is emptied, and opens four times as fast, since its browser has compiled the page's code.
     */
    async open(own) {
      if (own === undefined && it.isShared) {
        await empty();
      } else {
        await it.context?.close();
        it.context = await it.browser.newContext({ locale: "en-GB", ...options, ...own });
        it.isShared = own === undefined;
        // other programs may use the processors; a test waits as long as it must
        it.context.setDefaultTimeout(120_000);
        it.page = await it.context.newPage();
        it.seen = record(it.page);
        it.seen.all = [];
        it.context.on("request", (request) => it.seen.all.push(request));
      }
      await it.page.goto(it.site.address);
      await it.ready();
    },
    /** Waits until the page finds everything, names too: until then its summary ends with an ellipsis. */
    async ready() {
      await it.page.waitForSelector("#marks mark");
      await it.page.waitForFunction(() => !document.querySelector("#summary").textContent.includes("…"));
    },
    /** Returns the file that a click saves: its name and its text. */
    async saved(click) {
      const [download] = await Promise.all([it.page.waitForEvent("download"), click()]);
      const parts = [];
      for await (const part of await download.createReadStream()) parts.push(part);
      return { name: download.suggestedFilename(), text: Buffer.concat(parts).toString("utf8") };
    },
    /** Waits until every file of the page is kept for use without a network. */
    async kept() {
      await it.page.evaluate("navigator.serviceWorker.ready.then(() => undefined)");
      await it.seen.idle();
    },
  };

  /** Takes everything away that a test left in the context. */
  async function empty() {
    await it.page.unrouteAll({ behavior: "ignoreErrors" });
    await it.page.goto("about:blank");
    const driver = await it.context.newCDPSession(it.page);
    await driver.send("Storage.clearDataForOrigin", { origin: new URL(it.site.address).origin, storageTypes: "all" });
    await driver.detach();
    for (const list of [it.seen.requests, it.seen.errors, it.seen.all]) list.length = 0;
  }

  before(async () => {
    const isBuilt = existsSync(join(FOLDER, "index.html"));
    assert.ok(isBuilt, "dist/playground/ is not there; run `cargo xtask build --only playground`");
    // the service sends the page's policy with every file, so that it holds for the worker as well
    const markup = readFileSync(join(FOLDER, "index.html"), "utf8");
    const [, policy] = /Content-Security-Policy"\s+content="([^"]+)"/.exec(markup);
    it.site = await serve(FOLDER, { "content-security-policy": policy });
    it.browser = await launch();
  });
  after(async () => {
    await it.context?.close();
    await it.site?.close();
  });
  if (opens) beforeEach(() => it.open());
  return it;
}
