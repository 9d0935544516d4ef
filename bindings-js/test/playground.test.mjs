// The playground, in a real browser.

import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { after, before, beforeEach, describe, test } from "node:test";
import { launch, record, serve, SKIPPED } from "./browser.mjs";
import { ROOT } from "./project.mjs";

const FOLDER = join(ROOT, "dist/playground");
const TEXT = "🙂 PESEL 44051401359, mail jan.novak@example.cz\n<img src=x onerror=alert(1)>";

describe("the playground", { skip: SKIPPED }, () => {
  let site, browser, context, page, seen;

  before(async () => {
    assert.ok(existsSync(join(FOLDER, "index.html")), "dist/playground/ is not there; run `cargo xtask build --only playground`");
    site = await serve(FOLDER);
    browser = await launch();
  });
  after(async () => {
    await browser?.close();
    await site?.close();
  });
  beforeEach(async () => {
    await context?.close();
    context = await browser.newContext({ permissions: ["clipboard-read", "clipboard-write"] });
    page = await context.newPage();
    seen = record(page);
    await page.goto(site.address);
    await page.waitForSelector("#marks mark");
  });

  const paste = (text) => page.fill("#text", text);
  const marked = (where) => page.$$eval(`${where} mark`, (marks) => marks.map((mark) => mark.textContent));
  const result = async () => (await page.textContent("#result")).replace(/\n$/, "");

  test("shows an example at once", async () => {
    const found = await marked("#marks");
    for (const value of ["800101/1238", "44051401359", "jan.novak@example.cz", "+420 601 123 456"]) {
      assert.ok(found.includes(value), `${value} is not marked: ${found}`);
    }
    assert.ok(!(await result()).includes("44051401359"));
    assert.deepEqual(seen.errors, []);
  });

  test("marks the findings of a paste, and says why", async () => {
    await paste(TEXT);
    assert.deepEqual(await marked("#marks"), ["44051401359", "jan.novak@example.cz"]);
    assert.equal((await page.textContent("#marks")).trimEnd(), TEXT);
    assert.match(await page.textContent("#summary"), /^2 found/);
    const pesel = page.locator("#findings li").first();
    assert.match(await pesel.locator(".type").textContent(), /pesel/);
    assert.match(await pesel.locator(".confidence").textContent(), /\d+ %/);
    await pesel.locator("summary").click();
    assert.match(await pesel.locator(".why").textContent(), /check digits/);
    assert.match(await pesel.locator(".why").textContent(), /1944-05-14/);
    await pesel.getByRole("button", { name: "Show in the text" }).click();
    assert.equal(await page.evaluate("getSelection().toString()"), "44051401359");
  });

  test("finds as one types", async () => {
    await paste("");
    await page.locator("#text").pressSequentially("PESEL 4405140135");
    assert.ok(!(await marked("#marks")).includes("44051401359"));
    await page.locator("#text").press("9");
    assert.deepEqual(await marked("#marks"), ["44051401359"]);
  });

  test("protects by each mode, and copies", async () => {
    await paste(TEXT);
    for (const [mode, wanted] of [
      ["Replace", /PESEL \[REDACTED\], mail \[REDACTED\]\n/],
      ["Mask", /PESEL \*{11}, mail \*{20}\n/],
      ["Hash", /PESEL [0-9a-f]{16}, mail [0-9a-f]{16}\n/],
      ["Tokenize", /PESEL tok_pl_pesel_\w+, mail tok_xx_email_\w+\n/],
    ]) {
      await page.getByLabel(mode, { exact: true }).check();
      assert.match(await result(), wanted);
      const parts = await marked("#result");
      assert.equal(parts.length, 2);
      assert.match(`PESEL ${parts[0]}, mail ${parts[1]}\n`, wanted);
    }
    await page.click("#copy");
    await page.getByRole("button", { name: "Copied" }).waitFor();
    assert.equal(await page.evaluate("navigator.clipboard.readText()"), await result());
  });

  test("takes a preset and a country", async () => {
    await paste("44051401359");
    const percent = () => page.textContent("#findings .confidence").then((text) => Number.parseInt(text));
    const unsure = await percent();
    await page.selectOption("select[name=country]", "PL");
    assert.ok((await percent()) >= unsure);
    assert.match(await page.textContent("#summary"), /Poland/);
    await page.selectOption("select[name=privacy_preset]", "conservative");
    const sure = await marked("#marks");
    await page.selectOption("select[name=privacy_preset]", "aggressive");
    assert.ok((await marked("#marks")).length >= sure.length);
  });

  test("says what is wrong with a text that is too long", async () => {
    await paste("x".repeat(50_001));
    assert.match(await page.textContent("#summary"), /50000/);
    assert.equal(await page.isDisabled("#copy"), true);
    await page.click("#clear");
    assert.equal(await page.inputValue("#text"), "");
    assert.equal(await result(), "");
  });

  test("asks nothing of the network once it is loaded, and works without one", async () => {
    const host = new URL(site.address).host;
    assert.ok(seen.requests.every((url) => new URL(url).host === host), seen.requests.join());
    await page.waitForLoadState("networkidle");
    seen.requests.length = 0;
    await context.setOffline(true);
    await paste(TEXT);
    for (const mode of ["Mask", "Hash", "Tokenize"]) await page.getByLabel(mode, { exact: true }).check();
    await page.selectOption("select[name=privacy_preset]", "aggressive");
    await page.locator("#findings summary").first().click();
    await page.click("#copy");
    assert.match(await result(), /tok_pl_pesel_/);
    await page.waitForTimeout(300);
    assert.deepEqual(seen.requests, []);
    assert.deepEqual(seen.errors, []);
  });

  test("its policy lets nothing out", async () => {
    const blocked = await page.evaluate(async () => {
      const violation = new Promise((done) => document.addEventListener("securitypolicyviolation", (event) => done(event.effectiveDirective)));
      await fetch("https://example.com/", { method: "POST", body: "text" }).catch(() => {});
      return violation;
    });
    assert.equal(blocked, "connect-src");
  });

  test("goes by the keyboard", async () => {
    await paste(TEXT);
    await page.locator("input[name=mode]:checked").focus();
    await page.keyboard.press("ArrowRight");
    assert.match(await result(), /\*{11}/);
    await page.locator("#findings summary").first().focus();
    await page.keyboard.press("Enter");
    assert.ok(await page.locator("#findings .why").first().isVisible());
    await page.locator("#text").focus();
    await page.keyboard.press("Control+Home");
    for (let step = 0; step < 10; step++) await page.keyboard.press("ArrowRight");
    assert.equal(await page.locator("#findings li[data-current] .type").textContent(), "pesel");
  });
});
