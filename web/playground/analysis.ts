// The engine's answer to a text: findings, their replacements, and countries.

import { signal } from "@preact/signals";
import {
  type CountryDetection,
  createProtector,
  type DetectedEntityOf,
  type DetectOptions,
  detect,
  type FindingToApply,
  type Operator,
  type Protector,
  type RestoreResult,
} from "textveil";

/** The modes that the page offers. */
export const MODES = ["replace", "mask", "hash", "tokenize", "placeholder"] as const;
export type ShownMode = (typeof MODES)[number];
/** A mode that one type may have; placeholders are for all types. */
export type TypeOwnMode = Exclude<ShownMode, "placeholder">;

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

/** A key with its version, which tokens name. */
export interface PageKey {
  key: Uint8Array;
  keyVersion: number;
}

/** The key of this page: a random one, or that of a file. It is never shown or stored, and goes with the page. */
export const pageKey = signal<PageKey>({ key: crypto.getRandomValues(new Uint8Array(32)), keyVersion: 1 });

let own: { of: PageKey; protector: Protector } | undefined;

/** Protects and restores with the key of the page; the engine is loaded by then. */
export function protector(): Protector {
  const of = pageKey.value;
  if (own?.of !== of) own = { of, protector: createProtector({ ...of }) };
  return own.protector;
}

/** The placeholders of the newest text, which are restored with them. */
let numbered: Protector | undefined;

/** A text with its values again: those of tokens, and those of placeholders of the newest text. */
export function restored(text: string): RestoreResult {
  const ofNumbers = numbered?.restore(text);
  const ofTokens = protector().restore(ofNumbers?.text ?? text);
  return {
    ...ofTokens,
    restored: ofTokens.restored + (ofNumbers?.restored ?? 0),
    withheld: ofTokens.withheld + (ofNumbers?.withheld ?? 0),
  };
}

/** Looks at a text, and says after each step which part of the work is done. */
export function* analyse(text: string, { options, operators, modes }: Request): Generator<number, Analysis> {
  if (text === "") return { text, modes, findings: [], countries: [] };
  const { entities, countriesDetected } = detect(text, { ...options, explain: true });
  const findings: Finding[] = entities.map((entity) => ({ ...entity, replacements: {} }));
  for (const [done, mode] of modes.entries()) {
    yield (done + 1) / (modes.length + 1);
    // the findings are replaced as they are: nothing is searched twice
    for (const [index, entity] of replaced(text, entities, { options, operators, mode }).entries()) {
      const finding = findings[index];
      if (finding !== undefined) finding.replacements[mode] = entity.protected;
    }
  }
  return { text, modes, findings, countries: countriesDetected };
}

/** The findings with their replacements in a mode. Placeholders begin anew with each text, and no type has another mode then. */
function replaced(text: string, entities: FindingToApply[], { options, operators, mode }: Omit<Request, "modes"> & { mode: ShownMode }) {
  if (mode !== "placeholder") return protector().apply(text, entities, { ...options, operators, mode }).entities;
  numbered = createProtector({ mode });
  return numbered.apply(text, entities, options).entities;
}
