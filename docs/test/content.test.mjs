// The pages list what they promise to list.

import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import { test } from "node:test";

import config from "../.vitepress/config.mjs";
import { regions } from "../generate/catalogue.mjs";
import { page } from "../generate/cli.mjs";
import { ROOT, all, source } from "../generate/files.mjs";
import { QUOTING, withFigures } from "../generate/figures.mjs";
import { ENTRIES } from "../generate/javascript-entries.mjs";
import { facts } from "../generate/texts.mjs";
import { DOCS, noProgram, pages, program, text } from "./pages.mjs";
import { QUESTIONS, TEN } from "./questions.mjs";

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
  // `textveil/server` is `textveil/opencode` under the name that OpenCode asks for
  const typed = Object.keys(exports).filter((name) => !/\.(?:wasm|json)$|worker-script$|server$/.test(name));
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

test("the figures of accuracy are those of the scorecard", () => {
  for (const path of QUOTING) {
    const current = withFigures(source(path));
    if (process.env.BLESS) writeFileSync(join(ROOT, path), current);
    assert.equal(source(path), current, `write ${path} anew: BLESS=1 node --test test/content.test.mjs`);
  }
});

/** Forms of a figure that a measurement has: it is generated, or a page links to the page that has it. */
const MEASURED = [
  /\bF1\b[^.|]*?[01]?\.\d{2}/,
  /\b(?:finds?|found|misses|missed|recall|precision)\b[^.|]*?\b\d+(?:\.\d+)? ?%/,
  /\b(?:one|two|three|four|five|six|seven|eight|nine|\d+) of (?:two|three|four|five|six|seven|eight|nine|ten|\d+) names\b/i,
  /\b\d[\d,]* (?:detectors|identifiers)\b/,
];

test("nobody writes a measured figure by hand", () => {
  for (const planted of ["names reach an F1 of .88", "it finds 74 %", "Six of seven names are found", "close to 600 identifiers"]) {
    assert.ok(MEASURED.some((pattern) => pattern.test(planted)), planted);
  }
  const found = [];
  for (const page of [...pages, "../SECURITY.md", "../bindings-js/js/README.md"].filter((page) => page !== "detectors.md")) {
    const written = text(page).replaceAll(/<!-- (\w+): .* -->[^]*?<!-- \/\1 -->|^```[^]*?^```$/gm, "");
    found.push(...MEASURED.flatMap((pattern) => written.match(pattern) ?? []).map((figure) => `${page}: ${figure}`));
  }
  assert.deepEqual(found, []);
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

test("the first page leads to ten answers in two clicks, and the README in three", () => {
  for (const [start, most] of [["index.md", 2], ["../README.md", 3]]) {
    const reached = clicks(start);
    const answers = [...TEN.map(([, target]) => target.split("#")[0]), "how-to/redis.md", "concepts/workspaces.md", "how-to/missed.md"];
    assert.deepEqual(answers.filter((page) => !(reached.get(page) <= most)), [], `more than ${most} clicks from ${start}`);
  }
});

test("the page that a search leads to has the answer", () => {
  // pages of countries are generated
  for (const [query, target, answer] of QUESTIONS.filter(([, target]) => !target.includes("/detectors/"))) {
    const [page, id] = target.split("#");
    const sections = text(page).split(/^(?=#+ )/m);
    const at = id ? sections.findIndex((section) => idOf(section) === id) : 0;
    assert.notEqual(at, -1, `${page} must have the heading #${id}`);
    assert.ok((id ? sections[at] : text(page)).includes(answer), `${target} must answer “${query}” with ${answer}`);
  }
});

/** The id of the heading that a section begins with, as the site makes it. */
function idOf(section) {
  const [, heading, own] = section.match(/^#+ (.*?)(?: \{#([\w-]+)\})?$/m) ?? [];
  return own ?? heading?.toLowerCase().replaceAll(/[^\p{L}\p{N}]+/gu, "-").replaceAll(/^-|-$/g, "");
}
