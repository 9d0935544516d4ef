// The choices of the reader, and the results of the page. Nothing here outlives the page.

import { computed, effect, signal } from "@preact/signals";
import { type Category, detectors, type Preset, TextveilError } from "textveil";
import { type Analysis, analyse, type Finding, MODES, pageKey, type Request, type ShownMode } from "./analysis.js";
import { lexicons } from "./lexicons.js";
import { operators } from "./operators.js";
import { ownRules } from "./rules.js";

/** The confidence from which each preset reports. */
export const THRESHOLDS: Record<Preset, number> = { conservative: 0.85, balanced: 0.6, aggressive: 0.35 };

/** A text up to this length is looked at with every key; a longer one when the typing pauses. */
const AT_ONCE = 5_000;
const PAUSE_MS = 150;

const NOTHING: Analysis = { text: "", modes: MODES, findings: [], countries: [] };

export const text = signal("");
/** The file that the text came from. */
export const opened = signal<File | undefined>(undefined);
/** The mode of the result and of files. */
export const mode = signal<ShownMode>("replace");
/** Whether the result is shown in every mode. */
export const sideBySide = signal(false);
export const preset = signal<Preset>("balanced");
export const minConfidence = signal(THRESHOLDS.balanced);
export const country = signal("");
/** Types that are left as they are. */
export const typesOff = signal<ReadonlySet<string>>(new Set());
/** Findings that are left as they are, by `decisionKey`. */
const rejected = signal<ReadonlySet<string>>(new Set());

export const analysis = signal<Analysis>(NOTHING);
/** The part of the work on a text that is done; undefined when all is. */
export const progress = signal<number | undefined>(undefined);
/** The reason for which the engine rejects the text. */
export const refused = signal<string | undefined>(undefined);

/** The options of the search, in the text and in files. */
export const options = computed(() => ({
  privacyPreset: preset.value,
  minConfidence: minConfidence.value,
  country: country.value || undefined,
  ...ownRules.value,
}));

const request = computed<Request>(() => {
  // the same request finds more once they are there
  void lexicons.value;
  // and replaces it otherwise with another key
  void pageKey.value;
  const modes = sideBySide.value ? MODES : [mode.value];
  return { options: options.value, operators: operators.value, modes };
});

/** Whether what is shown is all there is to say of the text as it stands. */
export const isDone = computed(() => progress.value === undefined && refused.value === undefined);

/** The types found, most frequent first. */
export const typesFound = computed(() => {
  const counts = new Map<string, number>();
  for (const { type } of analysis.value.findings) counts.set(type, (counts.get(type) ?? 0) + 1);
  return [...counts].sort(([a, m], [b, n]) => n - m || a.localeCompare(b));
});

/** Whether a finding is protected: its type is on and nobody has rejected it. */
export function isProtected(finding: Finding): boolean {
  return !typesOff.value.has(finding.type) && !isRejected(finding);
}

export function isRejected(finding: Finding): boolean {
  return rejected.value.has(decisionKey(finding));
}

/** The values that are left wherever they turn up: rejected, and not protected as another type. */
export function rejectedValues(): string[] {
  const kept = new Set(analysis.value.findings.filter(isProtected).map(({ original }) => original));
  const values = [...rejected.value].map((key) => key.slice(key.indexOf(":") + 1));
  return [...new Set(values)].filter((value) => !kept.has(value));
}

/** Accepts or rejects findings, now and wherever their values turn up again. */
export function decide(findings: readonly Finding[], accept: boolean): void {
  const keys = new Set(rejected.value);
  for (const key of findings.map(decisionKey)) {
    if (accept) keys.delete(key);
    else keys.add(key);
  }
  rejected.value = keys;
}

export function setTypeOn(type: string, on: boolean): void {
  const types = new Set(typesOff.value);
  if (on) types.delete(type);
  else types.add(type);
  typesOff.value = types;
}

/** Puts another text in place of the one there. */
export function setText(value: string, file?: File): void {
  text.value = value;
  opened.value = file;
}

/** The category of a type, for its colour. */
export function category(type: string): Category {
  return categories.value.get(type) ?? "personal";
}

const categories = computed(
  () => new Map<string, Category>(detectors().detectors.map(({ entityType, category }) => [entityType, category] as const)),
);

/** Looks at the text now and whenever it or a choice changes. */
export function watch(): void {
  effect(() => look(text.value, request.value));
}

let latest = 0;

function look(value: string, request: Request): void {
  const own = ++latest;
  const steps = analyse(value, request);
  if (value.length <= AT_ONCE) {
    while (!step(steps));
  } else {
    progress.value = 0;
    setTimeout(() => lookOn(steps, own), PAUSE_MS);
  }
}

/** One step at a time, so that the page can answer in between; gives up when there is a newer text. */
function lookOn(steps: Generator<number, Analysis>, own: number): void {
  if (own === latest && !step(steps)) setTimeout(() => lookOn(steps, own));
}

/** Takes the next step; true after the last one. */
function step(steps: Generator<number, Analysis>): boolean {
  try {
    const { done, value } = steps.next();
    if (done) finish(value);
    else progress.value = value;
    return done ?? false;
  } catch (error) {
    if (!(error instanceof TextveilError)) throw error;
    finish(NOTHING, error.message);
    return true;
  }
}

function finish(found: Analysis, message?: string): void {
  analysis.value = found;
  refused.value = message;
  progress.value = undefined;
}

function decisionKey({ type, original }: Finding): string {
  return `${type}:${original}`;
}
