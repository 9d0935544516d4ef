// Parts of other documents of the repository, for pages of the site.

import { posix } from "node:path";

import { all, source, table, write } from "./files.mjs";

/** The documents of the design, each with its page. */
const DESIGN = {
  "ARCHITECTURE.md": "architecture",
  "engine/DESIGN.md": "design/engine",
  "documents/DESIGN.md": "design/documents",
  "restore/DESIGN.md": "design/restoring",
  "spin-app/DESIGN.md": "design/service",
  "host-native/DESIGN.md": "design/host",
  "bindings-js/DESIGN.md": "design/package",
};

/** The pages of the site with other documents of the repository. */
const PAGES = {
  ...DESIGN,
  "SECURITY.md": "security",
  "engine/catalogue/README.md": "reference/catalogue",
  "engine/lexicon/README.md": "reference/languages",
  "tests/eval/SCORECARD.md": "accuracy",
};

/** The documents of the design without their first line, and with links to pages; a document without a page is named only. */
export function design() {
  for (const [document, page] of Object.entries(DESIGN)) {
    const linked = source(document).replaceAll(/\[([^\]]+)\]\(([^):]+)\)/g, (_, text, target) => {
      const path = posix.join(posix.dirname(document), target);
      const to = PAGES[path] ?? /^docs\/(.*)\.md$/.exec(path)?.[1];
      return to ? `[${text}](/${to})` : text.includes("`") ? text : `\`${path}\``;
    });
    write(`.generated/${page}.md`, linked.slice(linked.indexOf("\n") + 1));
  }
}

/** The part of a Markdown document from one heading to another, or to the end. */
function part(text, from, to) {
  const start = text.indexOf(`\n${from}\n`);
  const end = to ? text.indexOf(`\n${to}\n`, start) : text.length;
  if (start < 0 || end < 0) throw new Error(`no heading ${start < 0 ? from : to}`);
  return text.slice(start + from.length + 2, end).trim() + "\n";
}

/** The parts of the description of deployments that pages have. */
export function deployment() {
  const text = source("spin-app/deploy/README.md");
  for (const [name, from, to] of [
    ["decisions", "## What to decide first", "## Values of the variables"],
    ["values", "## Values of the variables", "## systemd"],
    ["systemd", "## systemd", "## Container"],
    ["container", "## Container", "## Spin"],
    ["spin", "## Spin", "### SpinKube and hosted Spin"],
    ["publication", "### Publication", "### Manual check in Spin"],
    ["check", "### Manual check in Spin", "## SpinKube"],
    ["spinkube", "## SpinKube"],
  ]) {
    write(`.generated/deploy-${name}.md`, part(text, from, to));
  }
}

/** The limits of the native host. */
export function hostLimits() {
  const [table] = source("host-native/DESIGN.md").match(/^\| limit \| protects \|\n(?:\|.*\n)+/m);
  write(".generated/host-limits.md", table);
}

export function scorecard() {
  const card = source("tests/eval/SCORECARD.md");
  // the first table is by group, the second by language
  const [groups, languages] = part(card, "## Real text", "### Languages from which nothing was learnt").split(/^(?=\| language \|)/m);
  write(".generated/real-text.md", groups);
  write(".generated/by-language.md", languages);
  write(".generated/other-text.md", `### Languages from which nothing was learnt\n${part(card, "### Languages from which nothing was learnt", "### Sources of the annotated texts")}`);
  write(".generated/scorecard.md", part(card, "### Everything", "### Country inference"));
  const { rows } = JSON.parse(source("tests/eval/public-sets.json"));
  const number = (value) => value.toFixed(3);
  const cells = rows.map((row) => [
    row.set,
    row.tool,
    ...[row.exact_p, row.exact_r, row.exact_f1, row.overlapping_p, row.overlapping_r, row.overlapping_f1].map(number),
  ]);
  const heads = ["set", "tool", "exact P", "exact R", "exact F1", "overlapping P", "overlapping R", "overlapping F1"];
  write(".generated/public-sets.md", table(heads, cells));
}

/** The names of facts in the metadata of findings, wherever the engine writes them. */
export function facts() {
  const names = new Set();
  for (const file of ["detect/mod.rs", "detect/validate.rs", "recognise/names.rs", "checks/geo_coordinates.rs"]) {
    for (const [, name] of source(`engine/src/${file}`).matchAll(/metadata\.(?:text|flag)\(\s*"(\w+)"/g)) names.add(name);
  }
  for (const [, name] of all(source("engine/src/recognise/names.rs"), /Role::\w+ => "(\w+)"/g, 8, "roles of names")) names.add(name);
  for (const [, list] of all(source("docs/detectors.md"), /^- Derived: (.*)$/gm, 50, "facts of detectors")) {
    for (const [, name] of list.matchAll(/\(`(\w+)`\)/g)) names.add(name);
  }
  for (const [, name] of all(source("engine/src/checks/mrz.rs"), /\("(\w+)", plain\(/g, 4, "facts of travel documents")) names.add(name);
  return names;
}

/** The icon of the pages of the service. */
export const icon = () => write("public/icon.svg", source("web/playground/public/app/icon.svg"));
