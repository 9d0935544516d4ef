// The restore texts that Rust, Node and pages read alike. `@E`, `@N`, `@P`, `@D`, `@T` and `@W` stand for placeholders.

import { readFileSync } from "node:fs";

const corpus = JSON.parse(readFileSync(new URL("../../restore/texts.json", import.meta.url), "utf8"));

/** The values of the placeholders, and the hosts that may get them. */
export const VALUES = corpus.values;
export const TYPES = corpus.types;
export const HOSTS = corpus.restore_hosts;

/** The text with the values in place of the signs. */
const withValues = (text) => Object.entries(VALUES).reduce((all, [sign, value]) => all.replaceAll(sign, value), text);

/** Texts with their results: name, text, result. */
export const TEXTS = [
  ...corpus.withheld.map(([name, text]) => [name, text, text]),
  ...corpus.restored.map(([name, text]) => [name, text, withValues(text)]),
  ...corpus.mixed,
];

/** Parts of one answer with their results. */
export const PARTS = corpus.parts.map(([name, parts, wanted]) => [name, parts, wanted ?? parts]);

/** Calls: name, tool, arguments, whether the values are restored. */
export const CALLS = corpus.calls;
