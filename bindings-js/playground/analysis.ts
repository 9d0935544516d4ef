// What the engine says of a text: findings, what stands in their place, and countries.

import {
  type CountryDetection,
  createProtector,
  type DetectedEntity,
  type DetectOptions,
  detect,
  type Protector,
} from "textveil";
import { type Piece, pieces, shifted } from "./pieces.js";

/** The modes that the page offers. */
export const MODES = ["replace", "mask", "hash", "tokenize"] as const;
export type ShownMode = (typeof MODES)[number];

/** A finding, and what stands in its place by mode. */
export interface Finding extends DetectedEntity {
  replacements: Partial<Record<ShownMode, string>>;
}

/** What to look for, and the modes to show it in. */
export interface Request {
  options: DetectOptions;
  modes: readonly ShownMode[];
}

/** What was found in a text. */
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

/** Looks at a text of any length, piece by piece, and says after each how far it has come. */
export function* analyse(text: string, request: Request): Generator<number, Analysis> {
  const findings: Finding[] = [];
  const countries = new Map<string, CountryDetection>();
  for (const piece of pieces(text)) {
    const found = detect(piece.text, { ...request.options, explain: true });
    findings.push(...withReplacements(found.entities, piece, request));
    for (const country of found.countries_detected) addCountry(countries, country, piece.start);
    yield (piece.start + piece.text.length) / text.length;
  }
  return {
    text,
    modes: request.modes,
    findings,
    countries: [...countries.values()].sort((a, b) => b.confidence - a.confidence),
  };
}

function withReplacements(entities: DetectedEntity[], piece: Piece, { options, modes }: Request): Finding[] {
  const byMode = modes.map((mode) => {
    const { entities } = protector().protect(piece.text, { ...options, mode });
    return { mode, places: new Map(entities.map((entity) => [entity.start, entity.protected])) };
  });
  return entities.map((entity) => {
    const replacements: Finding["replacements"] = {};
    for (const { mode, places } of byMode) {
      const replacement = places.get(entity.start);
      if (replacement !== undefined) replacements[mode] = replacement;
    }
    const evidence = (entity.evidence ?? []).map((reason) => shifted(reason, piece.start));
    return { ...shifted(entity, piece.start), evidence, replacements };
  });
}

/** A country is as sure as the piece that speaks for it most. */
function addCountry(countries: Map<string, CountryDetection>, country: CountryDetection, by: number): void {
  const known = countries.get(country.code);
  countries.set(country.code, {
    code: country.code,
    confidence: Math.max(country.confidence, known?.confidence ?? 0),
    evidence: [...(known?.evidence ?? []), ...(country.evidence ?? []).map((reason) => shifted(reason, by))],
  });
}
