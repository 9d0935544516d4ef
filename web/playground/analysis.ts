// The engine's answer to a text: findings, their replacements, and countries.

import {
  type CountryDetection,
  createProtector,
  type DetectedEntityOf,
  type DetectOptions,
  detect,
  type Operator,
  type Protector,
} from "textveil";

/** The modes that the page offers. */
export const MODES = ["replace", "mask", "hash", "tokenize"] as const;
export type ShownMode = (typeof MODES)[number];

/** A finding, and its replacement by mode. */
export interface Finding extends DetectedEntityOf<string> {
  replacements: Partial<Record<ShownMode, string>>;
}

/** The options of the search, and the modes to show it in. */
export interface Request {
  options: DetectOptions<string>;
  /** By type, instead of the mode. */
  operators: Record<string, Operator>;
  modes: readonly ShownMode[];
}

/** The findings in a text. */
export interface Analysis {
  text: string;
  modes: readonly ShownMode[];
  /** Ordered by start, never overlapping. */
  findings: readonly Finding[];
  /** Most likely first. */
  countries: readonly CountryDetection[];
}

/** The key of this page. It is never shown or stored, and goes with the page. */
export const KEY = crypto.getRandomValues(new Uint8Array(32));

let ownProtector: Protector | undefined;

/** Protects and restores with the key of the page; the engine is loaded by then. */
export function protector(): Protector {
  return (ownProtector ??= createProtector({ key: KEY }));
}

/** Looks at a text, and says after each step which part of the work is done. */
export function* analyse(text: string, { options, operators, modes }: Request): Generator<number, Analysis> {
  if (text === "") return { text, modes, findings: [], countries: [] };
  const { entities, countriesDetected } = detect(text, { ...options, explain: true });
  const findings: Finding[] = entities.map((entity) => ({ ...entity, replacements: {} }));
  for (const [done, mode] of modes.entries()) {
    yield (done + 1) / (modes.length + 1);
    // the findings are replaced as they are: nothing is searched twice
    for (const [index, entity] of protector().apply(text, entities, { ...options, operators, mode }).entities.entries()) {
      const finding = findings[index];
      if (finding !== undefined) finding.replacements[mode] = entity.protected;
    }
  }
  return { text, modes, findings, countries: countriesDetected };
}
