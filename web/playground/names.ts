// The names of types, facts and countries, as a reader knows them.

import { names } from "virtual:type-names";
import { type DetectorInfo, detectors } from "textveil";
import { countryName, language, t, term } from "./i18n/index.js";

/** Abbreviations, which are written in capitals. */
const CAPITALS = new Set(
  (
    "abn acn afm amka bc bic brn btw cin cnp cpr crn cups curp dod egn eic embg gmc gstin hp iban ibans iccid id ihi imei " +
    "imo imsi inn ip isan isbn isil isin isni isrc jmbg jwt krs kvnr lei mbi meid mf mrz nhi nhs nif nino nip nir npi nuts " +
    "orcid pan pesel plz ptin pwz qr ramq regon rrn rvnr sedol sin siren siret snils ssn sss svnr tckn tfn tin trn tva " +
    "ubn uen upc upi ups upu uscc uscis utr vat vin wkn"
  ).split(" "),
);

/** A type as a reader writes it: in the language of the page, or as its holders do. `us_ssn` is `us SSN`. */
export function typeName(type: string): string {
  const known: Record<string, string> | undefined = Object.hasOwn(names, type) ? names[type] : undefined;
  const name = term("types", type) ?? known?.[language.value] ?? known?.["own"] ?? type.replaceAll("_", " ");
  return name.replaceAll(/[^\s-]+/g, (word) => (CAPITALS.has(word) ? word.toUpperCase() : word));
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
  return [...regions].filter((region) => /^[A-Z]{2}$/.test(region) && region !== "EU");
}
