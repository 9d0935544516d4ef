// The types of findings and the facts of each, read from the catalogue.

import { readdirSync } from "node:fs";
import { join } from "node:path";
import { parse } from "smol-toml";
import { ROOT, source } from "./schema.mjs";

/** Types that are reported and are not in the catalogue: protection's name of `phone_number`, and that of a deny list. */
const OTHER_TYPES = [
  { type: "phone", as: "phone_number" },
  { type: "deny_list", as: undefined },
];

/** The facts that the module of names adds; the catalogue has those of identifiers only. */
const NAMED = {
  name: ["given_name", "family_name", "title", "person", "probable_gender", "probable_country"],
  address: ["street", "house_number", "unit", "postal_code", "city", "region", "address_country"],
};

/** The facts that findings of any type may have. */
export const COMMON = ["normalized", "checksum_valid"];

/** The facts of each type, by type: docs/detectors.md, which a test of the engine keeps current, and the module of names. */
export function types() {
  const found = new Map();
  for (const [, entry] of source("docs/detectors.md").matchAll(/^### .+\n([^]*?)(?=^##|$(?![^]))/gm)) {
    const [, type, others] = /^- Type: `(\w+)`(.*)$/m.exec(entry);
    if (others.includes(", a suppressor")) continue;
    const [, derived = ""] = /^- Derived: (.+)$/m.exec(entry) ?? [];
    const own = [...derived.matchAll(/\(`(\w+)`\)/g)].map(([, fact]) => fact);
    const facts = [...(found.get(type) ?? []), ...own, ...(NAMED[type] ?? [])];
    // two digits of a year leave its century open
    if (facts.includes("birth_date")) facts.push("century_inferred");
    found.set(type, facts);
  }
  for (const { type, as } of OTHER_TYPES) found.set(type, as === undefined ? [] : found.get(as));
  return new Map([...found].sort(([one], [other]) => (one < other ? -1 : 1)).map(([type, facts]) => [type, [...new Set(facts)].sort()]));
}

/** The names of types in other tools, in lower case: the aliases of the catalogue. */
export function aliases() {
  const known = types();
  const folder = "engine/catalogue";
  const files = readdirSync(join(ROOT, folder), { recursive: true }).filter((path) => path.endsWith(".toml"));
  const all = files.flatMap((path) => parse(source(`${folder}/${path}`)).aliases ?? []);
  return [...new Set(all)].filter((alias) => !known.has(alias)).sort();
}

/** Every fact with its meaning and its TypeScript type, from the page of the documentation. */
export function facts() {
  const rows = [...source("docs/reference/metadata.md").matchAll(/^\| `(\w+)` \| (.+) \|$/gm)];
  return rows.map(([, name, meaning]) => {
    const listed = meaning.includes("such as") ? [] : [...meaning.slice(meaning.lastIndexOf(":") + 1).matchAll(/`([^`]+)`/g)].map(([, value]) => value);
    const isFlag = /^(?:whether|`true` where)/.test(meaning);
    const type = isFlag ? "boolean" : listed.length > 1 ? listed.map((value) => JSON.stringify(value)).join(" | ") : "string";
    return { name, meaning, type };
  });
}
