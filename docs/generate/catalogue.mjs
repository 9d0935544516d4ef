// The pages of detectors: an index, and one page for each country, from docs/detectors.md and the catalogue.

import { readdirSync } from "node:fs";
import { join } from "node:path";
import { parse } from "smol-toml";

import { ROOT, clear, code, plain, source, table, write } from "./files.mjs";

const names = new Intl.DisplayNames(["en"], { type: "region" });

/** The name of a region of the catalogue. */
const title = (region) =>
  region === "GLOBAL" ? "All countries" : region === "EU" ? "European Union" : names.of(region);

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

/** The detectors of docs/detectors.md, which a test of the engine keeps current. */
function detectors() {
  const sections = source("docs/detectors.md").split(/^## /m).slice(1);
  return sections.flatMap((section) => {
    const [region, ...entries] = section.split(/^### /m);
    return entries.map((entry) => {
      const [name, description] = entry.split("\n");
      const [, type, category] = entry.match(/^- type `([^`]+)`, (\w+),/m);
      return { region: region.trim(), name, description, type, category, entry };
    });
  });
}

export function catalogue() {
  const known = detectors();
  if (known.length < 500) throw new Error(`docs/detectors.md has only ${known.length} detectors`);
  const words = labels();
  const regions = [...new Set(known.map(({ region }) => region))];
  clear("reference/detectors");
  for (const region of regions) {
    const own = known.filter((detector) => detector.region === region);
    let text = `# Detectors: ${title(region)}\n\n${own.length} detectors. [All countries and categories](../detectors.md).\n`;
    for (const { name, entry } of own) {
      const [, ...body] = entry.trimEnd().split("\n");
      const spoken = Object.entries(words.get(name) ?? {}).map(([language, list]) => `${language}: ${list.join(", ")}`);
      text += `\n## ${name}\n${plain(body.join("\n"))}\n`;
      if (spoken.length) text += `- labels: ${plain(spoken.join("; "))}\n`;
    }
    write(`reference/detectors/${region.toLowerCase()}.md`, text);
  }

  const page = (region) => `[${title(region)}](./detectors/${region.toLowerCase()}.md)`;
  const byName = [...regions].sort((one, other) => title(one).localeCompare(title(other), "en"));
  const rows = byName.map((region) => [page(region), code(region), known.filter((one) => one.region === region).length]);
  const categories = [...new Set(known.map(({ category }) => category))].sort();
  let index = `${known.length} detectors.\n\n## By country\n${table(["country", "code", "detectors"], rows)}\n`;
  for (const category of categories) {
    const own = known.filter((detector) => detector.category === category);
    const rows = own.map(({ name, region, type, description }) => [
      `[\`${name}\`](./detectors/${region.toLowerCase()}.md#${name.replaceAll("_", "-")})`,
      code(region),
      code(type),
      plain(description),
    ]);
    index += `\n## Category ${category}\n${table(["detector", "country", "type", "description"], rows)}`;
  }
  write(".generated/detectors.md", index);
  return known;
}
