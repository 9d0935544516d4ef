// The languages of the page: which one is spoken, and what it says.

import { computed, effect, signal } from "@preact/signals";
import { cs, csTerms } from "./cs.js";
import { de, deTerms } from "./de.js";
import { en, enTerms } from "./en.js";
import { fr, frTerms } from "./fr.js";
import { pl, plTerms } from "./pl.js";

/** A message that counts, by plural category of the language. */
type Plural = { other: string } & Partial<Record<Intl.LDMLPluralRule, string>>;

type English = typeof en;
type Single = { [Key in keyof English]: English[Key] extends string ? Key : never }[keyof English];
type Counted = Exclude<keyof English, Single>;

/** The messages of a language. */
export type Messages = Record<Single, string> & Record<Counted, Plural>;

/** The meaning of the engine's words in a language. */
export type Terms = { [Group in keyof typeof enTerms]: Record<keyof (typeof enTerms)[Group], string> };

const LANGUAGES = {
  en: { name: "English", messages: en, terms: enTerms },
  cs: { name: "Čeština", messages: cs, terms: csTerms },
  de: { name: "Deutsch", messages: de, terms: deTerms },
  fr: { name: "Français", messages: fr, terms: frTerms },
  pl: { name: "Polski", messages: pl, terms: plTerms },
} satisfies Record<string, { name: string; messages: Messages; terms: Terms }>;

export type Language = keyof typeof LANGUAGES;

/** The key under which the choice of a language is kept. It is all that the page keeps. */
const KEPT = "textveil-language";

/** Code and own name of each language. */
export const languages = Object.entries(LANGUAGES).map(([code, { name }]) => ({ code: code as Language, name }));

export const language = signal<Language>(preferred());

const spoken = computed(() => LANGUAGES[language.value]);
const plurals = computed(() => new Intl.PluralRules(language.value));
const numbers = computed(() => new Intl.NumberFormat(language.value));
const percents = computed(() => new Intl.NumberFormat(language.value, { style: "percent" }));
const sizes = computed(() => new Intl.NumberFormat(language.value, { maximumSignificantDigits: 3 }));
const regions = computed(() => new Intl.DisplayNames([language.value], { type: "region", fallback: "code" }));

effect(() => {
  document.documentElement.lang = language.value;
  document.title = spoken.value.messages.title;
});

/** Speaks another language from now on. */
export function choose(code: Language): void {
  language.value = code;
  try {
    localStorage.setItem(KEPT, code);
  } catch {
    // a browser that keeps nothing asks anew the next time
  }
}

/** A message, with its `{name}`s filled in. */
export function t(key: Single, values: Record<string, string> = {}): string {
  return fill(spoken.value.messages[key], values);
}

/** A message that counts. */
export function count(key: Counted, n: number): string {
  const forms: Plural = spoken.value.messages[key];
  return fill(forms[plurals.value.select(n)] ?? forms.other, { n: numbers.value.format(n) });
}

/** Returns the meaning of a word of the engine, or undefined. */
export function term(group: keyof Terms, word: string): string | undefined {
  const terms: Record<string, string> = spoken.value.terms[group];
  return Object.hasOwn(terms, word) ? terms[word] : undefined;
}

/** A number as the language writes it. */
export function number(n: number): string {
  return numbers.value.format(n);
}

/** A confidence in per cent. Only what is certain is 100 %. */
export function percent(confidence: number): string {
  const whole = Math.round(confidence * 100);
  return percents.value.format((confidence < 1 ? Math.min(whole, 99) : whole) / 100);
}

/** The size of a file. */
export function size(bytes: number): string {
  if (bytes < 1e3) return `${sizes.value.format(bytes)} B`;
  return bytes < 1e6 ? `${sizes.value.format(bytes / 1e3)} kB` : `${sizes.value.format(bytes / 1e6)} MB`;
}

/** The name of a country, or its code if it has no name. */
export function countryName(code: string): string {
  try {
    return regions.value.of(code) ?? code;
  } catch {
    return code;
  }
}

function fill(message: string, values: Record<string, string>): string {
  return message.replace(/\{(\w+)\}/g, (whole, name: string) => values[name] ?? whole);
}

function preferred(): Language {
  const wanted = [kept(), ...navigator.languages].map((tag) => tag?.split("-")[0] ?? "");
  return languages.find(({ code }) => code === wanted.find((tag) => Object.hasOwn(LANGUAGES, tag)))?.code ?? "en";
}

function kept(): string | undefined {
  try {
    return localStorage.getItem(KEPT) ?? undefined;
  } catch {
    return undefined;
  }
}
