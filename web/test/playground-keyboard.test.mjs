// A journey through the playground by keyboard alone: the focus is always seen and never lost.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { SKIPPED } from "../../bindings-js/test/browser.mjs";
import { playground, TEXT } from "./playground.mjs";

/** The text that is typed, key by key. */
const WRITTEN = `${TEXT.split("\n")[0]}, Falcon`;

/** More steps than the page has places for the focus. */
const STEPS = 120;

describe("the playground by keyboard", { skip: SKIPPED }, () => {
  const it = playground({ permissions: ["clipboard-read", "clipboard-write"], reducedMotion: "reduce" });

  /** Presses a key; the focus is on a part of the page then, and is seen. Returns the name of the part. */
  async function press(key) {
    await it.page.keyboard.press(key);
    await it.settled();
    return focused(key);
  }

  /** The name of the part with the focus, whose focus must be seen. */
  async function focused(after) {
    const { name, isLost, isSeen, isInView } = await it.page.evaluate(() => {
      const part = document.activeElement;
      const isLost = part === null || part === document.body || part === document.documentElement;
      const text = (own) => own?.textContent.trim().replace(/\s+/g, " ");
      const label = part.getAttribute("aria-label") ?? text(document.getElementById(part.getAttribute("aria-labelledby")));
      const own = /^(INPUT|SELECT|TEXTAREA)$/.test(part.tagName) ? text(part.labels[0]?.querySelector("span") ?? part.labels[0]) : text(part);
      // a field that has no outline of its own has that of its frame
      const frames = [part, part.parentElement, part.nextElementSibling].filter(Boolean);
      const isOutlined = (frame) => {
        const { outlineStyle, outlineWidth, outlineColor } = getComputedStyle(frame);
        return outlineStyle !== "none" && parseFloat(outlineWidth) >= 2 && !/^rgba\(.*, 0\)$/.test(outlineColor);
      };
      const { top, bottom, left, right } = part.getBoundingClientRect();
      return {
        name: label || own || part.id || part.tagName,
        isLost,
        isSeen: part.matches(":focus-visible") && frames.some(isOutlined),
        isInView: bottom > 0 && top < innerHeight && right > 0 && left < innerWidth,
      };
    });
    assert.ok(!isLost, `${after}: the focus is lost`);
    assert.ok(isSeen, `${after}: the focus on "${name}" is not seen`);
    assert.ok(isInView, `${after}: "${name}" has the focus out of sight`);
    return name;
  }

  /** Goes on by Tab, or back, to the part of this name. */
  async function tabTo(wanted, key = "Tab") {
    const passed = [];
    for (let step = 0; step < STEPS; step++) {
      const name = await press(key);
      if (wanted instanceof RegExp ? wanted.test(name) : name === wanted) return name;
      passed.push(name);
    }
    assert.fail(`${wanted} is not reached: ${passed.join(", ")}`);
  }

  /** The words of the status of the review. */
  const position = (text) => it.page.locator("#reviewed", { hasText: text }).waitFor();

  test("writes, reviews, changes a mode, copies, and uses each dialog and the other view", async () => {
    // the link over the page comes first, and leads past the header
    assert.equal(await press("Tab"), "Skip to the text");
    assert.equal(await press("Enter"), "Your text");

    await it.page.keyboard.press("Control+A");
    await it.page.keyboard.type(WRITTEN);
    await it.finding("44051401359").waitFor();
    assert.equal(await focused("typing"), "Your text");

    // the result has the focus after its buttons, to be read and scrolled by keys
    await tabTo("Copy");
    await press("Enter");
    await it.button("Copied").waitFor();
    assert.equal(await focused("copying"), "Copied");
    assert.equal(await press("Tab"), "Protected text");
    assert.match(await it.page.evaluate("navigator.clipboard.readText()"), /PESEL \[REDACTED\], mail \[REDACTED\]/);

    await tabTo("Next");
    assert.match(await press("Enter"), /44051401359/);
    await position("1 of 2");
    assert.match(await press("r"), /jan\.novak@example\.cz/);
    await position("Rejected: 44051401359 · 2 of 2");
    assert.match(await press("p"), /44051401359/);
    assert.match(await press("a"), /jan\.novak@example\.cz/);
    await position("Accepted: 44051401359 · 2 of 2");
    // the details open and close where the focus is
    await press("Enter");
    await it.page.locator("#findings > li[aria-current] .why").waitFor();
    await tabTo("Show in the text");
    assert.equal(await press("Enter"), "Your text");
    assert.equal(await it.page.evaluate("getSelection().toString()"), "jan.novak@example.cz");
    // back to the findings from the text
    assert.match(await press("F8"), /44051401359/);

    // the buttons of the review keep the way back to them
    await tabTo("Reject", "Shift+Tab");
    assert.match(await press("Enter"), /jan\.novak@example\.cz/);
    await position("Rejected: 44051401359 · 2 of 2");
    await tabTo("Accept all", "Shift+Tab");
    await press("Enter");

    await tabTo("E-mail");
    await press("m");
    await it.page.waitForFunction(() => document.querySelector("#by-type [data-type=email] select").value === "mask");
    await tabTo("Visible characters at the end");
    await press("ArrowUp");
    await it.page.locator("#result-replace", { hasText: /mail \*+z/ }).waitFor();

    // a rule is added, written and removed
    await tabTo("Add a text");
    assert.equal(await press("Enter"), "Denied text");
    await it.page.keyboard.type("falcon");
    await it.finding("Falcon").waitFor();
    await tabTo("Remove");
    assert.equal(await press("Enter"), "Add a text");
    await it.finding("Falcon").waitFor({ state: "detached" });

    for (const [opener, first] of [["Restore tokens…", "Text with tokens"], ["Share…", "Close"], ["Code…", "Close"]]) {
      await tabTo(opener, "Shift+Tab");
      assert.equal(await press("Enter"), first, opener);
      const dialog = it.page.locator("dialog[open]");
      await dialog.waitFor();
      // the focus stays in the dialog, or goes to the browser's own parts
      for (let step = 0; step < 4; step++) {
        await it.page.keyboard.press("Tab");
        await it.settled();
        const isWithin = await dialog.evaluate((own) => own.contains(document.activeElement) || document.activeElement === document.body);
        assert.ok(isWithin, `${opener}: the focus leaves the dialog`);
      }
      await it.page.keyboard.press("Escape");
      await dialog.waitFor({ state: "detached" });
      assert.equal(await focused(`Escape in ${opener}`), opener);
      // the button closes it likewise
      assert.equal(await press("Enter"), first, `${opener}, once more`);
      if (first !== "Close") await tabTo("Close", "Shift+Tab");
      assert.equal(await press("Enter"), opener);
      await dialog.waitFor({ state: "detached" });
      await tabTo("Language", "Tab");
    }

    await tabTo("Text and files");
    assert.equal(await press("ArrowRight"), "Language model");
    await tabTo("Message 2");
    await it.page.keyboard.press("Control+A");
    await it.page.keyboard.type("Write to eva@example.cz.");
    await it.page.locator("#provider-sees", { hasText: "[[EMAIL_1]]" }).waitFor();
    assert.equal(await focused("typing"), "Message 2");
    await tabTo("Remove message 1", "Shift+Tab");
    assert.equal(await press("Enter"), "Remove message 1");
    await tabTo("Play");
    await press("Enter");
    await it.page.locator("#application-gets mark", { hasText: "eva@example.cz" }).first().waitFor();
    assert.equal(await focused("playing"), "Play");
    await tabTo("Pieces in order of arrival");
    await press("Enter");
    await it.page.locator(".pieces[open] li").first().waitFor();
    await tabTo("Language model", "Shift+Tab");
    assert.equal(await press("ArrowLeft"), "Text and files");
    assert.equal(await it.page.inputValue("#text"), WRITTEN);
    assert.deepEqual(it.seen.errors, []);
  });

  test("a dialog opens again before the browser tells that Escape closed it", async () => {
    await it.page.evaluate(() => {
      addEventListener("close", (event) => event.stopImmediatePropagation(), true);
    });
    await it.page.getByRole("button", { name: "Restore tokens…" }).focus();
    assert.equal(await press("Enter"), "Text with tokens");
    assert.equal(await press("Escape"), "Restore tokens…");
    assert.equal(await press("Enter"), "Text with tokens");
  });

  test("what goes passes the focus on", async () => {
    await it.paste(Array.from({ length: 101 }, (_, n) => `a${n}@example.cz`).join("\n"));
    await it.page.locator("#findings > li").nth(99).locator("summary").focus();
    await tabTo("Show 1 more");
    assert.match(await press("Enter"), /a99@example\.cz/);
    await tabTo("Protect a100@example.cz");

    const buffer = Buffer.from(TEXT);
    await it.page.setInputFiles("#file", ["a.txt", "b.txt"].map((name) => ({ name, mimeType: "text/plain", buffer })));
    await it.page.locator("#files > li[data-state=done]").nth(1).waitFor();
    await it.page.locator("#files > li").first().getByRole("button", { name: "Remove" }).focus();
    assert.equal(await press("Enter"), "Remove");
    assert.equal(await it.page.locator("#files > li").count(), 1);
    assert.equal(await press("Enter"), "Your text");

    await it.byType("email").locator("select").selectOption("mask");
    await tabTo("Clear", "Shift+Tab");
    assert.equal(await press("Enter"), "Your text");
    // the type is listed for its mode now, and no longer when the mode is removed
    await tabTo("E-mail");
    await press("a");
    await it.byType("email").waitFor({ state: "detached" });
    assert.equal(await focused("a"), "Your text");

    for (const name of ["Add a pattern", "Add a text", "Add an exception"]) {
      await tabTo(name);
      await press("Enter");
      await tabTo(name);
      await press("Enter");
      await tabTo("Remove");
      assert.equal(await press("Enter"), "Remove");
      assert.equal(await press("Enter"), name);
    }

    await it.page.getByRole("tab", { name: "Language model" }).click();
    await it.page.getByRole("button", { name: "Remove message 2" }).focus();
    assert.equal(await press("Enter"), "Remove message 1");
    assert.equal(await press("Enter"), "Add a message");
  });

  test("F8 leads to a finding again, and the text keeps the focus while it changes", async () => {
    await it.paste("mail eva@example.cz");
    for (let time = 0; time < 2; time++) {
      await it.page.locator("#text").focus();
      assert.match(await press("F8"), /eva@example\.cz/);
    }
    await it.page.locator("#text").focus();
    // the finding moves and comes back to its place
    await it.page.keyboard.press("Control+Home");
    assert.equal(await press("x"), "Your text");
    assert.equal(await press("Backspace"), "Your text");
    assert.deepEqual(await it.marked(), ["eva@example.cz"]);
  });

  test("each step of Tab through the whole page, and back, is on another part that is seen", async () => {
    await it.paste(TEXT);
    await it.page.evaluate(() => document.activeElement.blur());
    await it.page.getByRole("link", { name: "Skip to the text" }).focus();
    const there = [await focused("the first part")];
    while (there.at(-1) !== "Console of the gateway") there.push(await press("Tab"));
    const back = [await focused("the last part")];
    while (back.at(-1) !== "Skip to the text") back.push(await press("Shift+Tab"));
    assert.deepEqual(back.reverse(), there);
    assert.ok(there.length > 30, "the page has more parts");
  });
});
