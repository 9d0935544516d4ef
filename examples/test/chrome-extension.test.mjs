// The extension in Chromium, on a chat page of this machine that records what reaches it.

import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";
import { before, beforeEach, describe, test } from "node:test";
import { launch, SKIPPED } from "./browser.mjs";
import { atEnd } from "./ending.mjs";
import { project, run, SECRETS, TEXT } from "./project.mjs";

const CHAT = `<!doctype html><title>chat</title>
  <textarea></textarea><div contenteditable="true" style="min-height: 2em"></div>
  <script>
    window.heard = "";
    addEventListener("paste", (event) => { heard += event.clipboardData.getData("text/plain"); }, true);
    addEventListener("input", (event) => { heard += event.target.value ?? event.target.innerText; }, true);
  </script>`;

describe("the extension", { skip: SKIPPED }, () => {
  let page, popup;

  before(async () => {
    const site = createServer((_, response) => response.writeHead(200, { "content-type": "text/html" }).end(CHAT));
    await new Promise((done) => site.listen(0, "127.0.0.1", done));
    atEnd(() => site.close());

    const folder = project("chrome-extension");
    run(folder, ["npm", "run", "--silent", "build"]);
    const extension = join(folder, "dist");
    addSite(join(extension, "manifest.json"), "http://127.0.0.1/*");

    const context = await launch({ extension });
    const worker = context.serviceWorkers()[0] ?? (await context.waitForEvent("serviceworker"));
    popup = await context.newPage();
    await popup.goto(new URL("popup.html", worker.url()).href);
    page = await context.newPage();
    const address = `http://127.0.0.1:${site.address().port}`;
    await context.grantPermissions(["clipboard-read", "clipboard-write"], { origin: address });
    await page.goto(address);
  });

  beforeEach(async () => {
    await page.bringToFront();
    await page.reload();
  });

  for (const [kind, selector] of [
    ["a text area", "textarea"],
    ["an editor", "[contenteditable]"],
  ]) {
    test(`protects what is pasted into ${kind}, and restores what is copied from it`, async () => {
      await choose("tokenize");
      await paste(selector, TEXT);
      const heard = await reached(/room B-12/);
      assert.match(heard, /Order 4711: PESEL tok_pl_pesel_\w+, mail tok_xx_email_\w+, IBAN tok_de_iban_\w+, room B-12/);
      assert.deepEqual(SECRETS.filter((secret) => heard.includes(secret)), []);

      await page.keyboard.press("Control+A");
      await page.evaluate(() => navigator.clipboard.writeText(""));
      await page.keyboard.press("Control+C");
      await page.waitForFunction(() => navigator.clipboard.readText().then((text) => text !== ""));
      assert.equal(await page.evaluate(() => navigator.clipboard.readText()), TEXT);
    });
  }

  test("writes what the popup says", async () => {
    for (const [mode, written] of [
      ["replace", "mail [REDACTED],"],
      ["mask", `mail ${"*".repeat(SECRETS[1].length)},`],
    ]) {
      await page.reload();
      await choose(mode);
      await paste("textarea", TEXT);
      const heard = await reached(/room B-12/);
      assert.ok(heard.includes(written), heard);
    }
  });

  test("leaves everything alone when it is off, and at once", async () => {
    await popup.locator("#on").uncheck();
    await paste("textarea", "call jan.novak@example.cz");
    assert.match(await reached(/example/), /call jan\.novak@example\.cz/);
    await popup.locator("#on").check();
  });

  test("pastes nothing when it cannot protect, and says so", async () => {
    const said = page.waitForEvent("dialog");
    await paste("textarea", `${"long ".repeat(10_001)}${SECRETS[0]}`);
    const dialog = await said;
    assert.match(dialog.message(), /pasted nothing: .*text/);
    await dialog.accept();
    assert.equal(await page.evaluate("heard"), "");
  });

  test("counts, and keeps its key to itself", async () => {
    const before = Number(await popup.locator("#count").textContent());
    await paste("textarea", TEXT);
    await reached(/room B-12/);
    await popup.locator("#count", { hasText: String(before + 3) }).waitFor();
    const { key } = await popup.evaluate(() => chrome.storage.local.get("key"));
    assert.match(key, /^[0-9a-f]{64}$/);
  });

  async function choose(mode) {
    await popup.locator("#mode").selectOption(mode);
  }

  async function paste(selector, text) {
    await page.evaluate((text) => navigator.clipboard.writeText(text), text);
    await page.locator(selector).click();
    await page.keyboard.press("Control+V");
  }

  /** Everything that reached the page, once this did. */
  async function reached(pattern) {
    await page.waitForFunction(([source]) => new RegExp(source).test(heard), [pattern.source]);
    return page.evaluate("heard");
  }
});

/** The sites are named in the manifest; a user adds one there, too. */
function addSite(manifest, pattern) {
  const content = JSON.parse(readFileSync(manifest, "utf8"));
  content.content_scripts[0].matches.push(pattern);
  writeFileSync(manifest, JSON.stringify(content));
}
