// The names of types as their holders write them, from the labels of the catalogue: a module that the build makes.

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "smol-toml";
import type { Plugin } from "vite";

const CATALOGUE = join(import.meta.dirname, "../../engine/catalogue");
const MODULE = "virtual:type-names";

interface Entry {
  type?: string;
  description: string;
  role?: string;
  words?: Record<string, string[]>;
}

/** The languages of the page. */
const LANGUAGES = ["en", "cs", "de", "fr", "pl"];

/** A Vite plugin whose module `virtual:type-names` has the names of types. */
export function typeNames(): Plugin {
  return {
    name: "textveil-type-names",
    resolveId: (id) => (id === MODULE ? `\0${MODULE}` : undefined),
    load: (id) => (id === `\0${MODULE}` ? `export const names = ${JSON.stringify(namesOfTypes())};` : undefined),
  };
}

/**
 * Names by type: `own` is its spelling where the country's label is the type itself (`rodne_cislo`, rodné číslo); those
 * of the page's languages are for types that all countries share.
 */
export function namesOfTypes(): Record<string, Record<string, string>> {
  const names: Record<string, Record<string, string>> = {};
  for (const folder of readdirSync(CATALOGUE, { withFileTypes: true }).filter((entry) => entry.isDirectory())) {
    for (const file of readdirSync(join(CATALOGUE, folder.name)).filter((name) => name.endsWith(".toml"))) {
      const entry = parse(readFileSync(join(CATALOGUE, folder.name, file), "utf8")) as unknown as Entry;
      const type = entry.type ?? file.slice(0, -".toml".length);
      if (entry.role === "suppressor") continue;
      const own = folder.name === "global" ? byLanguage(type, entry) : ownName(type, entry, folder.name);
      names[type] = { ...own, ...names[type] };
    }
  }
  return Object.fromEntries(Object.entries(names).filter(([, own]) => Object.keys(own).length > 0));
}

/** The first label of each language, where an English one says what the type says: other labels are of a part of it. */
function byLanguage(type: string, { words = {}, description }: Entry): Record<string, string> {
  const wanted = folded(type.replaceAll("_", " "));
  const english = words["en"]?.find((label) => folded(label) === wanted);
  if (english === undefined) return {};
  const spoken = LANGUAGES.flatMap((language) => {
    const label = language === "en" ? english : words[language]?.[0];
    return label === undefined ? [] : [[language, withNouns(language, spelt(label, description))] as const];
  });
  return Object.fromEntries(spoken);
}

/** German writes nouns with a capital. */
function withNouns(language: string, label: string): string {
  return language === "de" ? label.charAt(0).toUpperCase() + label.slice(1) : label;
}

/** The label that says what the type says, without the country at its end. */
function ownName(type: string, { words = {}, description }: Entry, country: string): Record<string, string> {
  const wanted = folded(type.replaceAll("_", " ").replace(new RegExp(` ${country}$`), ""));
  for (const [language, labels] of Object.entries(words)) {
    const label = labels.find((one) => folded(one) === wanted);
    if (label !== undefined) return { own: withNouns(language, spelt(label, description)) };
  }
  return {};
}

/** Labels are in lower case; the description has the capitals of names such as `NIP` and `Steuer-ID`. */
function spelt(label: string, description: string): string {
  const bound = (letter = "") => !/[\p{L}\p{N}]/u.test(letter);
  const at = description.toLowerCase().indexOf(label.toLowerCase());
  if (at > 0 && bound(description[at - 1]) && bound(description[at + label.length])) {
    return description.slice(at, at + label.length);
  }
  return label;
}

function folded(text: string): string {
  return text
    .normalize("NFD")
    .replaceAll(/\p{M}/gu, "")
    .replaceAll("ł", "l")
    .replaceAll("ß", "ss")
    .replaceAll(/[^\p{L}\p{N}]+/gu, " ")
    .trim()
    .toLowerCase();
}
