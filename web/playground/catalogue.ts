// The titles of types by language of the page, from the labels of the catalogue: a module that the build makes.

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "smol-toml";
import type { Plugin } from "vite";

const CATALOGUE = join(import.meta.dirname, "../../engine/catalogue");
const MODULE = "virtual:type-titles";

/** A file of the catalogue. */
interface Entry {
  country: string;
  name: string;
  type: string;
  description: string;
  words: Record<string, string[]>;
}

/** The languages of the page. */
const LANGUAGES = ["en", "cs", "de", "fr", "pl"];

/** Abbreviations, which labels have in lower case and most descriptions do not have. */
const CAPITALS = new Set(
  (
    "abn acn afm amka api avs aws bc bic bsnr bvn ceam cfi chi cim cin cpr crn cvv dni ecc edrpou egn ehic eic " +
    "ein ekuz embg fin frn gmc gstin hkid hra hsc iban icd id ifsc ihi imei imo imsi ioss ip isan isil isin isni " +
    "itin jwt kpp lei lnch mbi mkn mrn mrz mwst nas ndc nhi ni nid nie nin nino nip npa npi nrc nric nzbn ogrn " +
    "ohip omi op orcid oss pan pesel phn plz ramq rrn sim sin snils spd spz ssn sss tfn tic tin trn tva uan uen " +
    "uid unp unzr upn ups url utr vat vid vin wkn"
  ).split(" "),
);

/** Words with capitals that no description has. */
const SPELT: Record<string, string> = { dod: "DoD", thailand: "Thailand", "ust-idnr": "USt-IdNr.", "w-idnr": "W-IdNr." };

/** A Vite plugin whose module `virtual:type-titles` has the titles of types. */
export function typeTitles(): Plugin {
  return {
    name: "textveil-type-titles",
    resolveId: (id) => (id === MODULE ? `\0${MODULE}` : undefined),
    load: (id) => (id === `\0${MODULE}` ? `export const titles = ${JSON.stringify(titlesOfTypes())};` : undefined),
  };
}

/**
 * Titles by language and type, where the catalogue has a label; `own` has those that several countries share, as they
 * write them.
 */
export function titlesOfTypes(): Record<string, Record<string, string>> {
  const titles: Record<string, Record<string, string>> = {};
  const entries = readEntries();
  for (const language of [...LANGUAGES, "own"]) {
    const own: Record<string, string> = {};
    for (const type of new Set(entries.map(({ type }) => type))) {
      const files = entries.filter((entry) => entry.type === type);
      const label = language === "own" ? sharedName(files) : labelOf(files, language);
      if (label !== undefined) own[type] = titled(label, language, files);
    }
    titles[language] = own;
  }
  return titles;
}

/** The files of the catalogue whose findings are reported. */
function readEntries(): Entry[] {
  const entries: Entry[] = [];
  for (const { name: country } of readdirSync(CATALOGUE, { withFileTypes: true }).filter((entry) => entry.isDirectory())) {
    for (const file of readdirSync(join(CATALOGUE, country)).filter((name) => name.endsWith(".toml"))) {
      const parsed: unknown = parse(readFileSync(join(CATALOGUE, country, file), "utf8"));
      const { role, type, description, words = {} } = parsed as Partial<Entry> & { role?: string; description: string };
      const name = file.slice(0, -".toml".length);
      if (role !== "suppressor") entries.push({ country, name, type: type ?? name, description, words });
    }
  }
  return entries;
}

function isShared(files: readonly Entry[]): boolean {
  return new Set(files.map(({ country }) => country)).size > 1;
}

/** The name of a type that several countries share, which is the type itself: `rodné číslo`. */
function sharedName(files: readonly Entry[]): string | undefined {
  if (!isShared(files)) return undefined;
  return files.flatMap((file) => Object.values(file.words).flat().filter((label) => isTypeName(label, file)))[0];
}

/**
 * The first label of a type in a language, or a longer one that says the same with its noun: `NHS number` and not `NHS`,
 * `excise number` and not `excise`. Where several countries share a type, each of them has the label.
 */
function labelOf(files: readonly Entry[], language: string): string | undefined {
  const main = files.find(({ name, type }) => name === type);
  if (main === undefined) return undefined;
  const labels = (main.words[language] ?? []).filter(
    (label) => !isShared(files) || files.every(({ words }) => words[language]?.includes(label)),
  );
  const [first] = labels;
  if (first === undefined) return undefined;
  const named = labels.find((label) => isTypeName(label, main));
  if (named !== undefined && named.length > first.length) return named;
  const isWord = !first.includes(" ") && (!CAPITALS.has(first) || first === "vat");
  return isWord && labels.includes(`${first} number`) ? `${first} number` : first;
}

/** Whether a label says the same as the type, except the country at its end. */
function isTypeName(label: string, { type, country }: Entry): boolean {
  return folded(label) === folded(type.replace(new RegExp(`_${country}$`), ""));
}

/** A label with the capitals of a title. */
function titled(label: string, language: string, files: readonly Entry[]): string {
  // the first word of a description has the capital of a sentence
  const described = files.flatMap(({ description }) =>
    description.split(/[^\p{L}\p{N}]+/u).filter((word, index) => index > 0 || !/^\p{Lu}\p{Ll}*$/u.test(word)),
  );
  const words = label.split(" ").map((word) => SPELT[word] ?? eachPart(word, (part) => spelt(part, described)));
  // German nouns have a capital: a label ends with one, or with a short word of another kind
  const last = words.at(-1) ?? "";
  if (language === "de" && last.length > 3) words.splice(-1, 1, eachPart(last, capitalised));
  return capitalised(words.join(" "));
}

/** Labels are in lower case; the description has the capitals of names such as `NIP` and `Steuer-ID`. */
function spelt(part: string, described: readonly string[]): string {
  if (CAPITALS.has(part)) return part.toUpperCase();
  return described.find((word) => word.toLowerCase() === part) ?? part;
}

function eachPart(word: string, change: (part: string) => string): string {
  return word.split("-").map(change).join("-");
}

function capitalised(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
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
