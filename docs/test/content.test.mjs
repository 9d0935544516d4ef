// The pages list what they promise to list.

import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import { test } from "node:test";

import config from "../.vitepress/config.mjs";
import { regions } from "../generate/catalogue.mjs";
import { page } from "../generate/cli.mjs";
import { all, source } from "../generate/files.mjs";
import { ENTRIES } from "../generate/javascript-entries.mjs";
import { facts } from "../generate/texts.mjs";
import { DOCS, noProgram, pages, program, text } from "./pages.mjs";

test("every fact that the engine reports has a row", () => {
  const page = text("reference/metadata.md");
  const missing = [...facts()].filter((name) => !page.includes(`| \`${name}\` |`));
  assert.deepEqual(missing, []);
});

test("the pages of detectors have every detector of docs/detectors.md", () => {
  const [, total] = text("detectors.md").match(/^(\d+) detectors /m);
  const detectors = regions().flatMap(({ detectors }) => detectors);
  assert.equal(detectors.filter(({ isReported }) => isReported).length, Number(total));
  const { description, type, category, body } = detectors.find(({ name }) => name === "pesel");
  assert.deepEqual([description, type, category], ["Polish national identification number", "pesel", "identity"]);
  assert.match(body, /^- Type: [^]*\n- Derived: [^]*\n- Source: .*$/);
});

test("the sidebar lists every page once", () => {
  const linksOf = ({ items, link }) => items?.flatMap(linksOf) ?? [`${link.slice(1)}.md`];
  const links = config.themeConfig.sidebar.flatMap(linksOf);
  const known = pages.filter((page) => !page.startsWith("../") && page !== "detectors.md");
  const entries = Object.keys(ENTRIES).map((file) => `reference/javascript/${file}.md`);
  assert.deepEqual(links.toSorted(), [...known, ...entries].sort());
});

test("the package has a page for each of its entry points", () => {
  const { exports } = JSON.parse(source("bindings-js/js/package.json"));
  const typed = Object.keys(exports).filter((name) => !/\.(?:wasm|json)$|worker-script$/.test(name));
  assert.deepEqual(Object.values(ENTRIES).toSorted(), typed.map((name) => `textveil${name.slice(1)}`).sort());
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

test("the map of the suites lists every suite in the order of the report", () => {
  const [, variants] = source("xtask/src/test/suites.rs").match(/pub enum Suite \{([^}]*)\}/);
  const suites = all(variants, /^    (\w+),$/gm, 10, "suites").map(([, name]) => name.toLowerCase());
  const [, map] = source("tests/README.md").match(/^## Suites$([^]*?)^## /m);
  const rows = all(map, /^\| `(\w+)` \|.*\|.*\|.*\|$/gm, 10, "rows").map(([, name]) => name);
  assert.deepEqual(rows, suites);
});

/** The number of links from a page to each page that it leads to. */
function clicks(start) {
  const found = new Map([[start, 0]]);
  for (const [page, count] of found) {
    if (!pages.includes(page)) continue;
    for (const [, link] of text(page).matchAll(/\]\((?!\w+:)([^)#]+\.md)/g)) {
      const target = normalize(join(dirname(page), link)).replace(/^\.\.\/docs\//, "");
      if (!found.has(target)) found.set(target, count + 1);
    }
  }
  return found;
}

test("README and the first page lead to frequent questions within three clicks", () => {
  const answers = [
    ["how-to/detector.md", "## For the catalogue"],
    ["concepts/detection.md", "## validated"],
    ["how-to/redis.md", "# Run several nodes with Redis"],
    ["concepts/workspaces.md", "## Service tokens"],
    ["how-to/missed.md", "# Find out why a value was missed"],
  ];
  for (const start of ["../README.md", "index.md"]) {
    const reached = clicks(start);
    for (const [page, heading] of answers) {
      assert.ok(reached.get(page) <= 3, `${start} to ${page}: ${reached.get(page)} clicks`);
      assert.ok(text(page).split("\n").includes(heading), `${page} must have the heading ${heading}`);
    }
  }
});
