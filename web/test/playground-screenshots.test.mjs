// The pictures of the playground in the README; with BLESS set, they are made anew.

import assert from "node:assert/strict";
import { mkdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import { SKIPPED } from "../../bindings-js/test/browser.mjs";
import { playground } from "./playground.mjs";
import { ROOT } from "../../bindings-js/test/project.mjs";

const README = join(ROOT, "docs/images");
const README_BYTES = 150_000;

describe("the README's picture of the playground", { skip: SKIPPED }, () => {
  const it = playground({}, { opens: false });

  for (const colorScheme of ["light", "dark"]) {
    test(`is small, ${colorScheme}`, async () => {
      const path = join(README, `playground-${colorScheme}.png`);
      if (process.env.BLESS) {
        mkdirSync(README, { recursive: true });
        await it.open({ colorScheme, viewport: { width: 1280, height: 760 }, reducedMotion: "reduce" });
        await it.paste((await it.page.inputValue("#text")).split("\n\n").slice(1, 4).join("\n\n"));
        await it.page.locator("#findings summary").nth(4).click();
        await it.page.mouse.move(0, 0);
        await it.page.evaluate("scrollTo(0, 0)");
        await it.page.screenshot({ path });
      }
      assert.ok(statSync(path).size <= README_BYTES, "it is too large for the README");
    });
  }
});
