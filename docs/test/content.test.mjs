// What the pages promise to list, they list.

import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";

import config from "../.vitepress/config.mjs";
import { page } from "../generate/cli.mjs";
import { all, source } from "../generate/files.mjs";
import { facts } from "../generate/texts.mjs";
import { DOCS, noProgram, pages, program, text } from "./pages.mjs";

test("every fact that the engine reports has a row", () => {
  const page = text("reference/metadata.md");
  const missing = [...facts()].filter((name) => !page.includes(`| \`${name}\` |`));
  assert.deepEqual(missing, []);
});

test("the sidebar lists every page once", () => {
  const links = config.themeConfig.sidebar.flatMap(({ items }) => items.map(({ link }) => `${link.slice(1)}.md`));
  const known = pages.filter((page) => !page.startsWith("../") && page !== "detectors.md");
  assert.deepEqual(links.toSorted(), known);
});

test("every page has one heading of the first level", () => {
  for (const page of pages) {
    const outside = text(page).replace(/^```[\s\S]*?^```$/gm, "");
    assert.equal([...outside.matchAll(/^# /gm)].length, 1, `${page} must have one heading of the first level`);
  }
});

test("the command line is the program's", { skip: noProgram }, () => {
  const current = page(program);
  if (process.env.BLESS) writeFileSync(join(DOCS, "reference/cli.md"), current);
  assert.equal(text("reference/cli.md"), current, "write it anew: BLESS=1 node --test test/content.test.mjs");
});

test("the map of the suites lists every suite in the order in which they run", () => {
  const [, variants] = source("xtask/src/test/suites.rs").match(/pub enum Suite \{([^}]*)\}/);
  const suites = all(variants, /^    (\w+),$/gm, 10, "suites").map(([, name]) => name.toLowerCase());
  const rows = all(source("tests/README.md"), /^\| `(\w+)` \|.*\|.*\|.*\|$/gm, 10, "rows").map(([, name]) => name);
  assert.deepEqual(rows, suites);
});
