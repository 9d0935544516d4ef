// The playground in each of its states: what axe objects to, and what does not fit, in both themes and three widths.
// Pictures of each state go to dist/screenshots/, for a person to look at.

import assert from "node:assert/strict";
import { mkdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { describe, test } from "node:test";
import { SKIPPED } from "../../bindings-js/test/browser.mjs";
import { ROOT } from "../../bindings-js/test/project.mjs";
import { looks } from "./looks.mjs";
import { playground, TEXT } from "./playground.mjs";

const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const PICTURES = join(ROOT, "dist/screenshots");
const BUFFER = Buffer.from(TEXT);
const SECRET = "44051401359";

/** The steps from each state of the page to the next; the page is opened once for all of them. */
const STATES = {
  "an example": async () => {},
  "no text": (it) => it.button("Clear").click(),
  findings: (it) => it.paste(TEXT),
  "the details of a finding": async (it) => {
    await it.reasons(it.finding(SECRET));
    await it.reasons(it.page.locator("#countries > li").first());
  },
  "a rejected finding and a type that is off": async (it) => {
    await it.page.getByLabel(`Protect ${SECRET}`).uncheck();
    await it.page.locator(".chip[data-type=email]").click();
  },
  "a review, and modes of types": async (it) => {
    await it.byType("email").locator("select").selectOption("replace");
    await it.byType("pesel").locator("select").selectOption("mask");
    await it.button("Next").click();
    await it.page.locator("#findings > li[aria-current]").waitFor();
  },
  "the modes side by side": async (it) => {
    await it.mode("Side by side");
    await it.page.locator("#result-tokenize mark").waitFor();
  },
  "rules that are rejected": async (it) => {
    await it.button("Add a pattern").click();
    await it.page.getByLabel("Regular expression").fill("(");
    await it.button("Add a text").click();
    await it.page.getByLabel("Denied text").fill("falcon");
    await it.page.getByLabel("Type (optional)").fill("No Type");
    await it.button("Add an exception").click();
    await it.page.getByRole("alert").nth(1).waitFor();
  },
  "a structured file as text": (it) =>
    it.page.setInputFiles("#file", { name: "c.html", mimeType: "text/html", buffer: BUFFER }),
  "files, one without text": async (it) => {
    const files = ["a.txt", "b.csv"].map((name) => ({ name, mimeType: "text/plain", buffer: BUFFER }));
    await it.page.setInputFiles("#file", [...files, { name: "d.png", mimeType: "image/png", buffer: BUFFER }]);
    await it.page.locator("#files > li[data-state='no text']").waitFor();
    await it.page.locator("#files > li[data-state=done]").nth(1).waitFor();
  },
  "a file that is not text": async (it) => {
    await it.page.setInputFiles("#file", { name: "e.txt", mimeType: "text/plain", buffer: Buffer.from([0xff, 0xfe, 0xfd]) });
    await it.page.getByRole("alert").filter({ hasText: "e.txt" }).waitFor();
  },
  "the dialog that restores": async (it) => {
    await it.button("Restore tokens…").click();
    await it.page.getByLabel("Text with tokens").fill("tok_pl_pesel_a");
    await it.page.locator("#restored-count:not(:empty)").waitFor();
  },
  "the dialog that shares, with a refusal": async (it) => {
    await closeDialog(it);
    await it.button("Share…").click();
    await it.page.getByLabel("Include the text").check();
    await it.page.setInputFiles("#settings-file", { name: "s.json", mimeType: "application/json", buffer: Buffer.from("[]") });
    await it.page.locator("dialog[open]").getByRole("alert").waitFor();
  },
  "the dialog with code": async (it) => {
    await closeDialog(it);
    await it.button("Code…").click();
    await it.page.locator("dialog[open] #code").waitFor();
  },
  "a conversation before its answer": async (it) => {
    await closeDialog(it);
    await it.page.getByRole("tab", { name: "Language model" }).click();
    await it.page.locator("#application-gets mark").first().waitFor();
    await it.page.locator("input[name=arrived]").fill("0");
    await it.page.waitForFunction(() => document.querySelector("#application-gets").textContent.trim() === "");
  },
  "a conversation with its answer": async (it) => {
    await it.page.getByText("Pieces in order of arrival").click();
    await it.page.locator("input[name=arrived]").fill("1000");
    await it.page.locator("#application-gets mark").first().waitFor();
  },
};

async function closeDialog(it) {
  await it.page.keyboard.press("Escape");
  await it.page.locator("dialog[open]").waitFor({ state: "detached" });
}

describe("the states of the playground", { skip: SKIPPED }, () => {
  // the contrast of an element cannot be measured while its colour changes
  const it = playground({ reducedMotion: "reduce" }, { opens: false });
  mkdirSync(PICTURES, { recursive: true });

  for (const [index, [state, reach]] of Object.entries(STATES).entries()) {
    test(`axe has no objection and everything fits: ${state}`, async () => {
      if (index === 0) {
        await it.open();
        await it.page.evaluate(AXE);
      }
      await reach(it);
      const found = [];
      for (const { theme, width } of looks(index)) {
        await it.page.emulateMedia({ colorScheme: theme });
        await it.page.setViewportSize({ width, height: 900 });
        await it.page.waitForFunction((wanted) => innerWidth === wanted, width);
        await it.settled();
        for (const fault of await faults()) found.push(`${theme}, ${width} wide: ${fault}`);
        const path = join(PICTURES, `playground-${state.replaceAll(/\W+/g, "-")}-${width}-${theme}.png`);
        const isDialog = (await it.page.locator("dialog[open]").count()) > 0;
        await it.page.mouse.move(0, 0);
        // a dialog lies over what is in sight
        await it.page.screenshot({ path, fullPage: !isDialog });
      }
      assert.deepEqual(found, []);
      assert.deepEqual(it.seen.errors, []);
    });
  }

  test("axe has no objection while the page is loading, without names, and without the engine", async () => {
    // the test cannot intercept the requests of a service worker
    await it.open({ serviceWorkers: "block" });
    const reopened = async (text) => {
      await it.page.reload({ waitUntil: "commit" });
      await it.page.getByText(text).waitFor();
      await it.page.evaluate(AXE);
      return faults();
    };
    await it.page.route(/names_bg[^/]*\.wasm$/, (route) => route.abort());
    assert.deepEqual(await reopened("names and addresses could not be loaded"), []);
    let goOn;
    const held = new Promise((done) => (goOn = done));
    await it.page.route(/textveil_bg[^/]*\.wasm$/, (route) => held.then(() => route.abort()));
    assert.deepEqual(await reopened("Loading…"), []);
    goOn();
    await it.page.getByText("The engine could not be loaded").waitFor();
    assert.deepEqual(await faults(), []);
  });

  /** Returns the objections of axe, and the parts that are wider than the page, cut or covered. */
  async function faults() {
    return it.page.evaluate(async () => {
      const { violations } = await axe.run();
      const found = violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(" ")}`);
      const page = document.documentElement;
      if (page.scrollWidth > innerWidth) found.push(`the page is ${page.scrollWidth} wide`);
      const within = document.querySelector("dialog[open]") ?? document;
      const seen = (part) => part.checkVisibility() && part.getClientRects().length > 0;
      for (const part of within.querySelectorAll("button, h2, .segments span, .type, .country, .validated")) {
        if (seen(part) && part.scrollWidth > part.clientWidth + 1 && getComputedStyle(part).display !== "inline") {
          found.push(`cut: ${part.outerHTML}`);
        }
      }
      // the parts of a row beside each other
      for (const row of within.querySelectorAll("summary, #by-type label, .bar, .review, .actions")) {
        const boxes = [...row.children].filter(seen).map((part) => [part, part.getBoundingClientRect()]);
        for (const [index, [part, box]] of boxes.entries()) {
          for (const [other, its] of boxes.slice(index + 1)) {
            const isOver = box.right > its.left + 1 && its.right > box.left + 1 && box.bottom > its.top + 1 && its.bottom > box.top + 1;
            if (isOver && !part.matches(".unseen, [hidden]") && !other.matches(".unseen, [hidden]")) {
              found.push(`${part.outerHTML} covers ${other.outerHTML}`);
            }
          }
        }
      }
      return found;
    });
  }
});
