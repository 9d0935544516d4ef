// Pictures of the playground for a person to look at, in dist/screenshots/.
// With BLESS set, those of the README are made anew.

import assert from "node:assert/strict";
import { mkdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import { SKIPPED } from "../../bindings-js/test/browser.mjs";
import { playground } from "./playground.mjs";
import { ROOT } from "../../bindings-js/test/project.mjs";

const FOLDER = join(ROOT, "dist/screenshots");
const README = join(ROOT, "docs/images");
const README_BYTES = 150_000;

/** The states of the page in which its picture is taken. */
const STATES = {
  empty: (it) => it.button("Clear").click(),
  text: (it) => it.page.locator("#findings summary").nth(4).click(),
  full: async (it) => {
    await it.mode("Side by side");
    await it.page.getByLabel("Protect 44051401359").uncheck();
    await it.page.locator(".chip[data-type=iban]").click();
    await it.page.locator("#countries summary").first().click();
    await it.button("Add a pattern").click();
    await it.page.getByLabel("Regular expression").fill("(");
    await it.button("Add an exception").click();
    const buffer = Buffer.from("PESEL 44051401359, eva@example.cz");
    const files = ["server.log", "customers.csv"].map((name) => ({ name, mimeType: "text/plain", buffer }));
    await it.page.setInputFiles("#file", files);
    await it.page.locator("#files > li[data-state=done]").nth(1).waitFor();
  },
  dialog: async (it) => {
    await it.mode("Tokenize");
    const tokens = await it.result("tokenize");
    await it.button("Restore tokens…").click();
    await it.page.getByLabel("Text with tokens").fill(tokens);
  },
  share: (it) => it.button("Share…").click(),
  code: async (it) => {
    await it.page.locator("#by-type [data-type=iban] select").selectOption("mask");
    await it.button("Code…").click();
  },
  review: async (it) => {
    await it.page.locator("#by-type [data-type=iban] select").selectOption("mask");
    await it.page.locator("#by-type [data-type=email] select").selectOption("replace");
    await it.button("Next").click();
    await it.page.keyboard.press("r");
  },
  conversation: async (it) => {
    await it.page.getByRole("tab", { name: "Language model" }).click();
    await it.page.locator("#application-gets mark").first().waitFor();
    await it.page.locator("input[name=arrived]").fill("9");
    await it.page.getByText("Pieces as they arrive").click();
  },
};

/** Dialogs lie over what is in sight. */
const DIALOGS = ["dialog", "share", "code"];

describe("pictures of the playground", { skip: SKIPPED }, () => {
  const it = playground();

  for (const colorScheme of ["light", "dark"]) {
    for (const width of [360, 800, 1280]) {
      test(`${width} wide, ${colorScheme}`, async () => {
        mkdirSync(FOLDER, { recursive: true });
        for (const [state, reach] of Object.entries(STATES)) {
          await it.open({ colorScheme, viewport: { width, height: 900 }, reducedMotion: "reduce" });
          await reach(it);
          await it.page.mouse.move(0, 0);
          assert.equal(await it.page.evaluate("document.documentElement.scrollWidth"), width, state);
          const path = join(FOLDER, `playground-${width}-${colorScheme}-${state}.png`);
          await it.page.screenshot({ path, fullPage: !DIALOGS.includes(state) });
        }
      });
    }

    test(`the README's, ${colorScheme}`, async () => {
      const path = join(README, `playground-${colorScheme}.png`);
      if (process.env.BLESS) {
        mkdirSync(README, { recursive: true });
        await it.open({ colorScheme, viewport: { width: 1280, height: 760 }, reducedMotion: "reduce" });
        await it.paste((await it.page.inputValue("#text")).split("\n\n").slice(1, 4).join("\n\n"));
        await STATES.text(it);
        await it.page.mouse.move(0, 0);
        await it.page.evaluate("scrollTo(0, 0)");
        await it.page.screenshot({ path });
      }
      assert.ok(statSync(path).size <= README_BYTES, "it is too large for the README");
    });
  }
});
