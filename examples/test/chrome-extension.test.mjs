// The extension in Chromium, on a chat page of this machine that records what reaches it.

import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";
import { before, beforeEach, describe, test } from "node:test";
import { launch, SKIPPED } from "./browser.mjs";
import { atEnd } from "./ending.mjs";
import { project, run } from "./project.mjs";
import { assertProtected, SECRETS, TEXT } from "./specimens.mjs";

const CHAT = `<!doctype html><title>chat</title>
  <textarea></textarea><div contenteditable="true" style="min-height: 2em"></div>
  <script>
    window.heard = "";
    addEventListener("paste", (event) => { heard += event.clipboardData.getData("text/plain"); }, true);
    addEventListener("input", (event) => { heard += event.target.value ?? event.target.innerText; }, true);
  </script>`;

describe("the extension", { skip: SKIPPED, timeout: 300_000 }, () => {
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
      await choose("mode", "tokenize");
      await paste(selector, TEXT);
      const heard = await reached(/room B-12/);
      assert.match(heard, /Order 4711: PESEL tok_pl_pesel_\w+, mail tok_xx_email_\w+, IBAN tok_de_iban_\w+, room B-12/);
      assertProtected(heard);

      await page.keyboard.press("Control+A");
      await page.evaluate(() => navigator.clipboard.writeText(""));
      await page.keyboard.press("Control+C");
      await page.waitForFunction(() => navigator.clipboard.readText().then((text) => text !== ""));
      assert.equal(await page.evaluate(() => navigator.clipboard.readText()), TEXT);
    });
  }

  test("protects names", async () => {
    await choose("mode", "tokenize");
    await paste("textarea", "My name is Emily Carter, room B-12");
    assert.match(await reached(/room B-12/), /^My name is tok_[a-z]{2}_name_\w+, room B-12/);
  });

  test("protects what is on the clipboard as HTML alone", async () => {
    await page.evaluate((text) => {
      const html = new Blob([`<b>${text}</b>`], { type: "text/html" });
      return navigator.clipboard.write([new ClipboardItem({ "text/html": html })]);
    }, TEXT);
    await page.locator("[contenteditable]").click();
    await page.keyboard.press("Control+V");
    assertProtected(await reached(/room B-12/));
  });

  test("restores nothing for a page that only says that something was copied", async () => {
    await choose("mode", "tokenize");
    await paste("textarea", TEXT);
    await reached(/room B-12/);
    await page.keyboard.press("Control+A");
    const before = "something else";
    await page.evaluate((before) => navigator.clipboard.writeText(before), before);
    const wasTaken = await page.evaluate(() => {
      const event = new ClipboardEvent("copy", { cancelable: true });
      return !window.dispatchEvent(event);
    });
    assert.equal(wasTaken, false);
    assert.equal(await page.evaluate(() => navigator.clipboard.readText()), before);
  });

  test("writes what the popup says", async () => {
    for (const [mode, written] of [
      ["replace", "mail [REDACTED],"],
      ["mask", `mail ${"*".repeat(SECRETS[1].length)},`],
    ]) {
      await page.reload();
      await choose("mode", mode);
      await paste("textarea", TEXT);
      const heard = await reached(/room B-12/);
      assert.ok(heard.includes(written), heard);
    }
  });

  test("takes a paste of any length", async () => {
    await paste("textarea", `${"a long log ".repeat(10_000)}${TEXT}`);
    assertProtected(await reached(/room B-12/));
  });

  test("leaves everything alone while it is off", async () => {
    await choose("on", false);
    await pasted((text) => text === SECRETS[1]);
    await choose("on", true);
    await pasted((text) => text !== SECRETS[1]);
  });

  test("pastes nothing when it cannot protect, and says so", async () => {
    await popup.evaluate(() => chrome.storage.sync.set({ mode: "no such mode" }));
    const said = [];
    const hear = (dialog) => {
      said.push(dialog.message());
      return dialog.accept();
    };
    page.on("dialog", hear);
    try {
      // a key that is pressed while the page is not in front yet is lost
      while (said.length === 0) {
        await paste("textarea", TEXT);
        for (let waits = 0; said.length === 0 && waits < 40; waits++) await pause();
      }
      assert.match(said[0], /pasted nothing: .*mode/);
      assert.equal(await page.evaluate("heard"), "");
    } finally {
      page.off("dialog", hear);
      await choose("mode", "tokenize");
    }
  });

  test("counts, and keeps its key to itself", async () => {
    const counted = () => popup.locator("#count").textContent().then(Number);
    const before = await counted();
    await paste("textarea", TEXT);
    await reached(/room B-12/);
    while ((await counted()) !== before + 3) await pause();
    const { key } = await popup.evaluate(() => chrome.storage.local.get("key"));
    assert.match(key, /^[0-9a-f]{64}$/);
  });

  /** As a user does in the popup, whose page need not be the one in front. */
  async function choose(id, value) {
    await popup.locator(`#${id}`).evaluate((control, value) => {
      control[control.type === "checkbox" ? "checked" : "value"] = value;
      control.dispatchEvent(new Event("change"));
    }, value);
    while ((await popup.evaluate((id) => chrome.storage.sync.get(id), id))[id] !== value) await pause();
  }

  /** Pastes until what comes out is as expected, since the page hears of settings a moment later. */
  async function pasted(isExpected) {
    for (;;) {
      await page.reload();
      await paste("textarea", SECRETS[1]);
      await page.waitForFunction(() => document.querySelector("textarea").value !== "");
      if (isExpected(await page.locator("textarea").inputValue())) return;
      await pause();
    }
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

function pause() {
  return new Promise((done) => setTimeout(done, 50));
}

/** The sites are named in the manifest; a user adds one there, too. */
function addSite(manifest, pattern) {
  const content = JSON.parse(readFileSync(manifest, "utf8"));
  content.content_scripts[0].matches.push(pattern);
  writeFileSync(manifest, JSON.stringify(content));
}
