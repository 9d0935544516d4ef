// The names of types, facts and countries, as a reader knows them.

import { computed, signal } from "@preact/signals";
import { type DetectorInfo, detectors } from "textveil";
import { countryName, language, t, term } from "./i18n/index.js";

/** The title of a type. */
interface Title {
  text: string;
  /** The language of the text where it is not that of the page. */
  lang?: "en";
}

/** Titles by language and type, from the catalogue. */
const titles = signal<Record<string, Record<string, string>>>({});

/** Loads the titles of types. */
export async function loadTitles(): Promise<void> {
  titles.value = (await import("virtual:type-titles")).titles;
}

/** The title of every type that the package reports, by type. */
const titlesOfTypes = computed<ReadonlyMap<string, Title>>(() => {
  const types = new Map<string, DetectorInfo>();
  // several detectors may share a type: the one of its name is the main one
  for (const detector of detectors().detectors) {
    if (!types.has(detector.entityType) || detector.name === detector.entityType) types.set(detector.entityType, detector);
  }
  const found = new Map([...types].map(([type, detector]) => [type, titleOf(type, detector.description)] as const));
  const times = new Map<string, number>();
  for (const { text } of found.values()) times.set(text, (times.get(text) ?? 0) + 1);
  for (const [type, title] of found) {
    const region = types.get(type)?.region ?? "";
    // `VAT number` is that of many countries
    if ((times.get(title.text) ?? 0) > 1 && isCountry(region)) title.text += ` (${countryName(region)})`;
  }
  return found;
});

/** The page's own word, a label of the catalogue in the language of the page, or the description, which is in English. */
function titleOf(type: string, description: string): Title {
  const known = term("types", type) ?? titles.value[language.value]?.[type] ?? titles.value["own"]?.[type];
  if (known !== undefined) return { text: capitalised(known) };
  return { text: shortened(description), ...(language.value !== "en" && { lang: "en" }) };
}

/** Returns the first part of a description: without its full stop, its label, and further clauses. */
function shortened(description: string): string {
  return description.replace(/(?:,? (?:after|behind) its label|, (?:also|as|electronic|for|in|of|which|with|without) .*|: .*|\.)$/, "");
}

/** The title of a type in the language of the page; a type of the reader's own is its own title. */
export function typeTitle(type: string): Title {
  // protection has another name for one type than detection
  const known = titlesOfTypes.value.get(type === "phone" ? "phone_number" : type);
  if (known !== undefined) return known;
  const own = term("types", type);
  return { text: own === undefined ? type.replaceAll("_", " ") : capitalised(own) };
}

/** The text of a type's title. */
export function typeName(type: string): string {
  return typeTitle(type).text;
}

function capitalised(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** Returns the description of a finding's type, in English; undefined for a type of the reader's own. */
export function descriptionOf({ type, country }: { type: string; country: string | null }): string | undefined {
  const own = detectors().detectors.filter(({ entityType }) => entityType === type);
  return (own.find(({ region }) => region === country) ?? own[0])?.description;
}

/** The name of a fact. */
export function factName(name: string): string {
  return term("facts", name) ?? name.replaceAll("_", " ");
}

/** Returns the text of a fact. */
export function factValue(name: string, value: string | boolean): string {
  if (typeof value === "boolean") return value ? t("yes") : t("no");
  if (["country", "nationality", "probableCountry"].includes(name)) return countryName(value);
  return term("values", value) ?? value;
}

/** The countries that have detectors of their own. */
export function countryCodes(detectors: readonly DetectorInfo[]): string[] {
  const regions = new Set(detectors.map(({ region }) => region));
  return [...regions].filter(isCountry);
}

function isCountry(region: string): boolean {
  return /^[A-Z]{2}$/.test(region) && region !== "EU";
}
