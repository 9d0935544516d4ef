// The names of types, facts and countries, as a reader knows them.

import type { DetectorInfo } from "textveil";
import { countryName, t, term } from "./i18n/index.js";

/** Names as they stand on the card, the same in every language. */
const NATIVE: Record<string, string> = {
  rodne_cislo: "rodné číslo",
  cislo_uctu: "číslo účtu",
  ico: "IČO",
  dic: "DIČ",
  steuer_id: "Steuer-ID",
  steuernummer: "Steuernummer",
  ust_idnr: "USt-IdNr.",
};

/** Types that are written in capitals. */
const CAPITALS = new Set(
  (
    "bic cnp cpr curp eic iban iccid imei imo imsi ip isan isbn isil isin isni isrc jwt lei meid mrz nif nino nip " +
    "nir orcid pesel regon rib siren siret ssn svnr upu vat vin"
  ).split(" "),
);

/** A type as a reader would write it: `us_ssn` is `us SSN`. */
export function typeName(type: string): string {
  const known = term("types", type) ?? NATIVE[type];
  if (known !== undefined) return known;
  const words = type.split("_").map((word) => (CAPITALS.has(word) ? word.toUpperCase() : word));
  return words.join(" ");
}

/** The name of a fact. */
export function factName(name: string): string {
  return term("facts", name) ?? name.replaceAll("_", " ");
}

/** What a fact says. */
export function factValue(name: string, value: string | boolean): string {
  if (typeof value === "boolean") return value ? t("yes") : t("no");
  if (["country", "nationality", "probable_country"].includes(name)) return countryName(value);
  return term("values", value) ?? value;
}

/** The countries that have detectors of their own. */
export function countryCodes(detectors: readonly DetectorInfo[]): string[] {
  const regions = new Set(detectors.map(({ region }) => region));
  return [...regions].filter((region) => /^[A-Z]{2}$/.test(region) && region !== "EU");
}
