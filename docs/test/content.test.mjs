// What the pages promise to list, they list.

import assert from "node:assert/strict";
import { test } from "node:test";

import { facts } from "../generate/texts.mjs";
import { pages, text } from "./pages.mjs";

test("every fact that the engine reports has a row", () => {
  const page = text("reference/metadata.md");
  const missing = [...facts()].filter((name) => !page.includes(`| \`${name}\` |`));
  assert.deepEqual(missing, []);
});

test("every heading is in the sidebar's order of levels", () => {
  for (const page of pages) {
    const outside = text(page).replace(/^```[\s\S]*?^```$/gm, "");
    assert.equal([...outside.matchAll(/^# /gm)].length, 1, `${page} must have one heading of the first level`);
  }
});
