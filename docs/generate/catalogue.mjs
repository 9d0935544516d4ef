// The pages of detectors: an index, and one page for each country, from docs/detectors.md and the catalogue.

import { readdirSync } from "node:fs";
import { join } from "node:path";
import { parse } from "smol-toml";

import { ROOT, clear, code, plain, source, table, write } from "./files.mjs";

/** The labels of every detector by language, from the files of the catalogue. */
function labels() {
  const folder = join(ROOT, "engine/catalogue");
  const found = new Map();
  for (const country of readdirSync(folder, { withFileTypes: true }).filter((entry) => entry.isDirectory())) {
    for (const file of readdirSync(join(folder, country.name)).filter((name) => name.endsWith(".toml"))) {
      const { words = {} } = parse(source(`engine/catalogue/${country.name}/${file}`));
      found.set(file.slice(0, -".toml".length), words);
    }
  }
  return found;
}

/** The regions of docs/detectors.md with their names and detectors. A test of the engine keeps the file current. */
export function regions() {
  // the index is before the first region, and its headings have no anchor
  const sections = source("docs/detectors.md").split(/^(?=## .* <a id="\w+"><\/a>$)/m).slice(1);
  return sections.map((section) => {
    const [, name, id] = part(section, /^## (.*) <a id="(\w+)"><\/a>$/m);
    return { name, id, detectors: section.split(/^(?=### )/m).slice(1).map(detector) };
  });
}

/** The part of an entry that a pattern matches. */
function part(entry, pattern) {
  const found = entry.match(pattern);
  if (!found) throw new Error(`docs/detectors.md: ${entry.split("\n")[0]} must match ${pattern}`);
  return found;
}

/** A detector from its entry: its heading, and a list. */
function detector(entry) {
  const [heading, ...body] = entry.trim().split("\n");
  const [, description, name] = part(heading, /^### (.*) <a id="(\w+)"><\/a>$/);
  const [, type] = part(entry, /^- Type: `(\w+)`/m);
  const [, category] = part(entry, /^- Use: .*\(`(\w+)`\)$/m);
  return { name, description, type, category, isReported: !/^- Type: .*, a suppressor/m.test(entry), body: body.join("\n").trim() };
}

/** The anchor of a detector on the page of its region. */
const anchor = (name) => name.replaceAll("_", "-");

export function catalogue() {
  const known = regions();
  const all = known.flatMap(({ id, name, detectors }) => detectors.map((one) => ({ ...one, id, region: name })));
  if (all.length < 500) throw new Error(`docs/detectors.md has only ${all.length} detectors`);
  const words = labels();
  const pages = new Map(all.map(({ name, id }) => [name, id]));
  const link = (name, folder) => `${folder}${pages.get(name)}.md#${anchor(name)}`;
  const linked = (body) => body.replaceAll(/\]\(#(\w+)\)/g, (_, name) => `](${link(name, "./")})`);
  const reported = (detectors) => detectors.filter(({ isReported }) => isReported);

  clear("reference/detectors");
  for (const { id, name: region, detectors } of known) {
    let text = `# Detectors: ${region}\n\n${reported(detectors).length} detectors. [All countries and categories](../detectors.md).\n`;
    for (const { name, description, body } of detectors) {
      const spoken = Object.entries(words.get(name) ?? {}).map(([language, list]) => `${language}: ${list.join(", ")}`);
      text += `\n## ${plain(description)} · \`${name}\` {#${anchor(name)}}\n\n${plain(linked(body))}\n`;
      if (spoken.length) text += `- All labels: ${plain(spoken.join("; "))}\n`;
    }
    write(`reference/detectors/${id}.md`, text);
  }

  const rows = known.map(({ name, id, detectors }) => [`[${name}](./detectors/${id}.md)`, code(id.toUpperCase()), reported(detectors).length]);
  const categories = [...new Set(all.map(({ category }) => category))].sort();
  let index = `${reported(all).length} detectors.\n\n## By country\n${table(["country", "code", "detectors"], rows)}\n`;
  for (const category of categories) {
    const own = reported(all).filter((detector) => detector.category === category);
    const rows = own.map(({ name, region, type, description }) => [
      `[\`${name}\`](${link(name, "./detectors/")})`,
      region,
      code(type),
      plain(description),
    ]);
    index += `\n## Category ${category}\n${table(["detector", "country", "type", "description"], rows)}`;
  }
  write(".generated/detectors.md", index);
  return all;
}
