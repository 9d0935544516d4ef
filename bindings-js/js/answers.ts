// Reads the answers of the engine that have findings: numbers, and one text with all strings in their order. The writer is
// `src/answers.rs`.
//
// The state is the module's, since closures for each answer would cost more than the rest. Nothing here calls the engine:
// the numbers are a view of its memory, which moves when it grows.

import type {
  Action,
  CountryDetection,
  DetectBatchResponse,
  DetectedEntity,
  DetectResponse,
  Evidence,
  ProtectedEntity,
  ProtectResponse,
} from "./types.js";

/** The properties that a finding has, one bit each, as in `src/answers.rs`. */
const VALIDATED = 1;
const COUNTRY = 2;
const METADATA = 4;
const EVIDENCE = 8;
const ACTION = 16;
const POLICY = 32;

const NOTHING = new Uint32Array();
const bits = new Uint32Array(2);
const float = new Float64Array(bits.buffer);
/** Names of facts in camelCase, by those of the engine. */
const facts = new Map<string, string>();

let numbers: Uint32Array = NOTHING;
let texts = "";
/** The next number, and the next unit of the text. */
let at = 0;
let from = 0;
/** The texts of this answer that may occur again. */
let names: string[] = [];
/** The properties of the last finding. */
let has = 0;

function number(): number {
  return numbers[at++] as number;
}

function double(): number {
  bits[0] = number();
  bits[1] = number();
  return float[0] as number;
}

function text(length: number): string {
  return texts.slice(from, (from += length));
}

function name(): string {
  const index = number();
  const known = names[index];
  if (known !== undefined) return known;
  return (names[index] = text(number()));
}

function list<T>(read: () => T): T[] {
  const items: T[] = [];
  for (let left = number(); left > 0; left--) items.push(read());
  return items;
}

function fact(): string {
  const key = name();
  let camel = facts.get(key);
  if (camel === undefined) {
    camel = key.replace(/_(.)/g, (_, letter: string) => letter.toUpperCase());
    facts.set(key, camel);
  }
  return camel;
}

function metadata(): Record<string, boolean | string> {
  const object: Record<string, boolean | string> = {};
  for (let left = number(); left > 0; left--) {
    const key = fact();
    const value = number();
    object[key] = value < 2 ? value === 1 : text(value - 2);
  }
  return object;
}

function evidence(): Evidence {
  const one: Evidence = { signal: name(), weight: double() };
  if (number() === 1) {
    one.start = number();
    one.end = number();
  }
  return one;
}

function country(): CountryDetection {
  const one: CountryDetection = { code: name(), confidence: double() };
  const reasons = list(evidence);
  if (reasons.length > 0) one.evidence = reasons;
  return one;
}

function found(): DetectedEntity<string> {
  const type = name();
  has = number();
  const confidence = double();
  const start = number();
  const end = number();
  // the order of the properties is that of the service
  const entity = {
    type,
    original: text(number()),
    country: has & COUNTRY ? name() : null,
    confidence,
    validated: (has & VALIDATED) !== 0,
    start,
    end,
    metadata: has & METADATA ? metadata() : {},
  } as DetectedEntity<string>;
  if (has & EVIDENCE) entity.evidence = list(evidence);
  return entity;
}

function replaced(): ProtectedEntity {
  const entity = found() as ProtectedEntity;
  entity.protected = text(number());
  if (has & ACTION) entity.action = name() as Action;
  if (has & POLICY) entity.policy = name();
  return entity;
}

function detected(): DetectResponse<string> {
  const privacyPreset = name() as DetectResponse["privacyPreset"];
  const apiVersion = name() as DetectResponse["apiVersion"];
  const processingTimeMs = number();
  const countriesDetected = list(country);
  return { entities: list(found), countriesDetected, privacyPreset, processingTimeMs, apiVersion };
}

function batch(): DetectBatchResponse<string> {
  const totalEntities = number();
  const totalProcessingTimeMs = number();
  return { results: list(detected), totalEntities, totalProcessingTimeMs };
}

function protection(): ProtectResponse {
  const protectionMode = name() as ProtectResponse["protectionMode"];
  const apiVersion = name() as ProtectResponse["apiVersion"];
  const processingTimeMs = double();
  const protectedText = text(number());
  const countriesDetected = list(country);
  return {
    protectedText,
    entities: list(replaced),
    countriesDetected,
    protectionMode,
    processingTimeMs,
    apiVersion,
  };
}

/** Returns the function that the engine calls with an answer. */
function reads<T>(read: () => T): (numbers: Uint32Array, texts: string) => T {
  return (newNumbers, newTexts) => {
    numbers = newNumbers;
    texts = newTexts;
    at = from = 0;
    names = [];
    const value = read();
    // a view of memory that moves, and personal data
    numbers = NOTHING;
    texts = "";
    names = [];
    return value;
  };
}

/** The functions that the engine hands its answers to. */
export const reader = {
  detected: reads(detected),
  batch: reads(batch),
  protection: reads(protection),
  entity: reads(replaced),
};
