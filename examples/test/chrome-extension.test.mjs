// The extension in Chromium, on imitations of the chat pages, which record what reaches them. No request leaves the machine.

import assert from "node:assert/strict";
import { join } from "node:path";
import { before, beforeEach, describe, test } from "node:test";
import { launchWith, SKIPPED } from "./browser.mjs";
import { CHATS, EDITOR, SEND } from "./chats.mjs";
import { project, run } from "./project.mjs";
import { assertProtected, SECRETS, TEXT } from "./specimens.mjs";

const HOSTS = Object.keys(CHATS);
const [PESEL, MAIL] = SECRETS;
const PLACEHOLDERS = /^Order 4711: PESEL \[\[PESEL_\d+\]\], mail \[\[EMAIL_\d+\]\], IBAN \[\[IBAN_\d+\]\], room B-12$/;

describe("the extension", { skip: SKIPPED, timeout: 600_000 }, () => {
  let context, page, options, worker;
  const left = [];

  before(async () => {
    const folder = project("chrome-extension");
    run(folder, ["npm", "run", "--silent", "build"]);
    context = await launchWith(join(folder, "dist"));
    await context.route(/^https?:/, (route) => {
      const { hostname } = new URL(route.request().url());
      if (route.request().resourceType() === "document" && hostname in CHATS) {
        return route.fulfill({ contentType: "text/html", body: CHATS[hostname] });
      }
      left.push(route.request().url());
      return route.abort();
    });
    worker = context.serviceWorkers()[0] ?? (await context.waitForEvent("serviceworker"));
    for (const host of HOSTS) await context.grantPermissions(["clipboard-read", "clipboard-write"], { origin: `https://${host}` });
    options = await context.newPage();
    await options.goto(new URL("options.html", worker.url()).href);
    page = await context.newPage();
    // pages that open before the browser has read the extension get its script too late
    await open(HOSTS[0]);
  });

  beforeEach(async () => {
    await set({ mode: "placeholder", preset: "balanced", review: false, send: true, show: true, off: [] });
    await open(HOSTS[0]);
  });

  for (const host of HOSTS) {
    test(`${host}: protects what is pasted, and restores what is copied`, async () => {
      await open(host);
      await paste(TEXT);
      await reads(/room B-12/);
      assert.match((await content()).trim(), PLACEHOLDERS);
      assertProtected(await page.evaluate("heard"));
      await copy(TEXT);
    });

    for (const [how, act] of [
      ["by the button", () => page.locator(SEND).click()],
      ["by Enter", () => page.keyboard.press("Enter")],
    ]) {
      test(`${host}: protects what is typed and sent ${how}`, async () => {
        await open(host);
        await type(TEXT);
        await act();
        await sent(1);
        assert.match((await sentTexts())[0].trim(), PLACEHOLDERS);
        assertProtected((await sentTexts())[0]);
        // and what has nothing passes
        await type("Thank you!");
        await act();
        await sent(2);
        assert.equal((await sentTexts())[1].trim(), "Thank you!");
      });
    }
  }

  test("asks before it replaces, and leaves what is not ticked", async () => {
    await set({ review: true });
    await open(HOSTS[0]);
    await paste(TEXT);
    await reviewed("Paste: 3 findings");
    // the page has nothing of it yet, nor can it read the question
    assert.equal(await page.evaluate("heard"), "");
    assert.equal(await page.evaluate(() => document.querySelector("textveil-panel").shadowRoot), null);
    assert.ok(!(await page.content()).includes(PESEL));
    // the first finding is not protected
    await page.keyboard.press("Shift+Tab");
    await page.keyboard.press("Shift+Tab");
    await page.keyboard.press("Shift+Tab");
    await page.keyboard.press("Space");
    await page.keyboard.press("Tab");
    await page.keyboard.press("Tab");
    await page.keyboard.press("Tab");
    await page.keyboard.press("Enter");
    await reads(/room B-12/);
    assert.match(await content(), new RegExp(`PESEL ${PESEL}, mail \\[\\[EMAIL_\\d+\\]\\], IBAN \\[\\[IBAN_\\d+\\]\\]`));
  });

  test("a review that is cancelled pastes and sends nothing", async () => {
    await set({ review: true });
    await open(HOSTS[0]);
    await paste(TEXT);
    await reviewed("Paste: 3 findings");
    await page.keyboard.press("Escape");
    await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
    assert.equal((await content()).trim(), "");
    await type(`mail ${MAIL}`);
    await page.keyboard.press("Enter");
    await reviewed("Send: 1 finding");
    await page.keyboard.press("Escape");
    assert.deepEqual(await sentTexts(), []);
    await page.locator(SEND).click();
    await reviewed("Send: 1 finding");
    await page.keyboard.press("Enter");
    await sent(1);
    assert.match((await sentTexts())[0].trim(), /^mail \[\[EMAIL_\d+\]\]$/);
  });

  test("shows restored values over their placeholders, and the page cannot read them", async () => {
    await type(`My name is Emily Carter, mail ${MAIL}`);
    await page.keyboard.press("Enter");
    await sent(1);
    const shown = await labels(4);
    // the message and the answer
    assert.deepEqual(shown.map(({ text }) => text), ["Emily Carter", MAIL, "Emily Carter", MAIL]);
    const place = await page.evaluate(() => {
      const node = document.querySelector("article[data-role=assistant]").firstChild;
      const range = document.createRange();
      range.setStart(node, node.data.indexOf("[[NAME"));
      range.setEnd(node, node.data.indexOf("]]") + 2);
      const { left, top } = range.getBoundingClientRect();
      return { left, top };
    });
    assert.ok(Math.abs(shown[2].left - place.left) < 1 && Math.abs(shown[2].top - place.top) < 1, JSON.stringify([shown[2], place]));
    assert.ok(!(await page.content()).includes("Emily Carter"));
    assert.equal(await page.evaluate(() => document.querySelector("textveil-restored").shadowRoot), null);
    // the page in front hears of it, too
    await set({ show: false });
    await labels(0);
    // neither does what the page draws next bring them back
    await page.evaluate(() => {
      document.querySelector("main").append("more");
      return new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => requestAnimationFrame(done))));
    });
    await labels(0);
    await set({ show: true });
    await labels(4);
  });

  test("restores a value only on the page where it was protected", async () => {
    const value = "only-here@example.cz";
    await type(`mail ${value}`);
    await page.keyboard.press("Enter");
    await sent(1);
    const [text] = await sentTexts();
    await open(HOSTS[1]);
    await page.evaluate((text) => document.querySelector("main").append(text), text);
    await type("mail elsewhere@example.cz");
    await page.keyboard.press("Enter");
    await sent(1);
    // shown in the same turn as the other would be
    const shown = await labels((texts) => texts.includes("elsewhere@example.cz"));
    assert.ok(shown.every(({ text }) => text !== value));
    await open(HOSTS[0]);
    await page.evaluate((text) => document.querySelector("main").append(text), text);
    await labels((texts) => texts.includes(value));
  });

  test("each page has its switch", async () => {
    const box = (host) => options.locator(`[data-host="${host}"]`);
    await options.bringToFront();
    await box(HOSTS[0]).uncheck();
    await stored("off", [HOSTS[0]]);
    await open(HOSTS[0]);
    await paste(TEXT);
    await reads(/room B-12/);
    assert.equal((await content()).trim(), TEXT);
    await page.keyboard.press("Enter");
    await sent(1);
    await open(HOSTS[1]);
    await paste(TEXT);
    await reads(/room B-12/);
    assert.match((await content()).trim(), PLACEHOLDERS);
    await options.bringToFront();
    await box(HOSTS[0]).check();
    await stored("off", []);
    await open(HOSTS[0]);
    await paste(TEXT);
    await reads(/room B-12/);
    assert.match((await content()).trim(), PLACEHOLDERS);
  });

  test("the popup has the switch of the page in front, and the count", async () => {
    const popup = await context.newPage();
    await popup.goto(new URL("popup.html", worker.url()).href);
    await popup.getByText("Open a chat page").waitFor();
    // it is empty until it is read
    const count = (text) => popup.locator("#count", { hasText: text });
    const before = Number(await count(/^\d+$/).textContent());
    // as if the chat page were in front, which it is while a popup is open
    await popup.addInitScript((host) => {
      chrome.tabs.query = async () => [{ id: 1 }];
      chrome.tabs.sendMessage = async () => host;
    }, HOSTS[0]);
    await popup.reload();
    const here = popup.getByLabel(`Protect on ${HOSTS[0]}`);
    assert.ok(await here.isChecked());
    await here.uncheck();
    await stored("off", [HOSTS[0]]);
    await here.check();
    await stored("off", []);
    await page.bringToFront();
    await paste(TEXT);
    await reads(/room B-12/);
    await count(new RegExp(`^${before + 3}$`)).waitFor();
    await popup.close();
  });

  test("writes what the options say", async () => {
    for (const [mode, written] of [
      ["tokenize", /mail tok_xx_email_\w+,/],
      ["replace", /mail \[REDACTED\],/],
      ["mask", /mail \*{20},/],
    ]) {
      await options.bringToFront();
      await options.locator("[name=mode]").selectOption(mode);
      await stored("mode", mode);
      await open(HOSTS[3]);
      await paste(TEXT);
      await reads(/room B-12/);
      assert.match(await content(), written);
      if (mode === "tokenize") await copy(TEXT);
    }
  });

  test("protects what is dropped, and what is on the clipboard as HTML alone", async () => {
    await page.evaluate((text) => {
      const source = Object.assign(document.createElement("p"), { textContent: text, id: "source" });
      document.body.prepend(source);
    }, TEXT);
    await page.locator("#source").selectText();
    await page.dragAndDrop("#source", EDITOR);
    await page.waitForFunction((editor) => /room B-12/.test(document.querySelector(editor).innerText), EDITOR);
    assertProtected(await page.locator(EDITOR).innerText());
    await open(HOSTS[0]);
    await page.evaluate((text) => {
      const html = new Blob([`<b>${text}</b>`], { type: "text/html" });
      return navigator.clipboard.write([new ClipboardItem({ "text/html": html })]);
    }, TEXT);
    await page.locator(EDITOR).click();
    await page.keyboard.press("Control+V");
    await reads(/room B-12/);
    assertProtected(await page.evaluate("heard"));
  });

  test("takes a paste of any length, and names", async () => {
    await open(HOSTS[3]);
    await paste(`${"a long log ".repeat(10_000)}${TEXT}, my name is Emily Carter`);
    await reads(/my name is \[\[NAME_\d+\]\]/);
    assertProtected(await content());
  });

  test("restores nothing for a page that only says that something was copied", async () => {
    await paste(TEXT);
    await reads(/room B-12/);
    await page.keyboard.press("Control+A");
    await page.evaluate(() => navigator.clipboard.writeText("something else"));
    const wasTaken = await page.evaluate(() => !window.dispatchEvent(new ClipboardEvent("copy", { cancelable: true })));
    assert.equal(wasTaken, false);
    assert.equal(await page.evaluate(() => navigator.clipboard.readText()), "something else");
  });

  test("pastes and sends nothing where it cannot protect, and says so", async () => {
    await set({ mode: "no such mode" });
    await open(HOSTS[0]);
    await paste(TEXT);
    await said(/pasted nothing: .*mode/);
    assert.equal(await page.evaluate("heard"), "");
    await type(`mail ${MAIL}`);
    await page.keyboard.press("Enter");
    await said(/sent nothing: .*mode/);
    assert.deepEqual(await sentTexts(), []);
  });

  test("forgets all values when it is told to", async () => {
    await type(`mail ${MAIL}`);
    await page.keyboard.press("Enter");
    await sent(1);
    const [text] = await sentTexts();
    await options.bringToFront();
    await options.getByRole("button", { name: "Forget all values" }).click();
    await options.getByText("All values are forgotten.").waitFor();
    await open(HOSTS[0]);
    await page.evaluate((text) => document.querySelector("main").append(text), text);
    // a later question is shown, so the answers to those before are known to be absent
    await type("mail eva@example.cz and jan@example.cz");
    await page.keyboard.press("Enter");
    await sent(1);
    const shown = await labels((texts) => texts.includes("jan@example.cz"));
    assert.ok(shown.every(({ text }) => text !== MAIL));
  });

  test("asked nothing of the network", () => {
    assert.deepEqual(left, []);
  });

  /** Opens a chat page anew. Its content script has the settings when its tree for values is there. */
  async function open(host) {
    await page.bringToFront();
    await page.goto(`https://${host}/`);
    await page.locator("textveil-restored").waitFor({ state: "attached" });
  }

  /** Sets settings as the options page does. A page that is opened then has them. */
  async function set(settings) {
    await worker.evaluate((settings) => chrome.storage.sync.set(settings), settings);
  }

  async function stored(name, value) {
    for (;;) {
      const now = await worker.evaluate((name) => chrome.storage.sync.get(name), name);
      if (JSON.stringify(now[name]) === JSON.stringify(value)) return;
      await pause();
    }
  }

  async function paste(text) {
    await page.evaluate((text) => navigator.clipboard.writeText(text), text);
    await page.locator(EDITOR).click();
    await page.keyboard.press("Control+V");
  }

  async function type(text) {
    await page.locator(EDITOR).click();
    await page.keyboard.insertText(text);
  }

  function content() {
    return page.locator(EDITOR).evaluate((editor) => editor.value ?? editor.innerText);
  }

  /** Waits until the editor reads so. */
  function reads(pattern) {
    return page.waitForFunction(
      ([editor, source]) => new RegExp(source).test(document.querySelector(editor).value ?? document.querySelector(editor).innerText),
      [EDITOR, pattern.source],
    );
  }

  function sentTexts() {
    return page.evaluate("sent");
  }

  function sent(n) {
    return page.waitForFunction((n) => sent.length >= n, n);
  }

  async function copy(wanted) {
    await page.locator(EDITOR).click();
    await page.keyboard.press("Control+A");
    await page.evaluate(() => navigator.clipboard.writeText(""));
    await page.keyboard.press("Control+C");
    await page.waitForFunction(() => navigator.clipboard.readText().then((text) => text !== ""));
    assert.equal((await page.evaluate(() => navigator.clipboard.readText())).trim(), wanted);
  }

  /** Returns the text of a closed shadow tree: the browser tells its driver, not the page. */
  async function shadowTexts(host, name) {
    const driver = await context.newCDPSession(page);
    try {
      const { root } = await driver.send("DOM.getDocument", { depth: -1, pierce: true });
      const found = [];
      const visit = (node, isInside) => {
        const inside = isInside || node.localName === host;
        if (inside && node.localName === name) found.push(node);
        for (const child of [...(node.shadowRoots ?? []), ...(node.children ?? [])]) visit(child, inside);
      };
      visit(root, false);
      const texts = [];
      for (const node of found) {
        const { model } = await driver.send("DOM.getBoxModel", { nodeId: node.nodeId }).catch(() => ({}));
        const text = (node.children ?? []).map(({ nodeValue }) => nodeValue).join("");
        texts.push({ text, left: model?.border[0], top: model?.border[1] });
      }
      return texts;
    } finally {
      await driver.detach();
    }
  }

  /** Waits until so many values are shown, or until they are as wanted. */
  async function labels(wanted) {
    for (;;) {
      const shown = await shadowTexts("textveil-restored", "span");
      const texts = shown.map(({ text }) => text);
      if (typeof wanted === "function" ? wanted(texts) : texts.length === wanted) return shown;
      await pause();
    }
  }

  async function reviewed(title) {
    while (!(await shadowTexts("textveil-panel", "h2")).some(({ text }) => text === title)) await pause();
  }

  async function said(pattern) {
    while (!(await shadowTexts("textveil-panel", "p")).some(({ text }) => pattern.test(text))) await pause();
  }
});

function pause() {
  return new Promise((done) => setTimeout(done, 50));
}
