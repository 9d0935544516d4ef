// The reader's own rules: patterns to find as well, and findings to ignore.

import { computed, signal } from "@preact/signals";
import { type AllowRule, type CustomDetector, type DetectOptions, detect, TextveilError } from "textveil";

/** A pattern as it is written into the page. */
export interface Pattern {
  id: number;
  name: string;
  pattern: string;
  /** Words that speak for it, with commas between them. */
  context: string;
}

/** An exception as it is written into the page. */
export interface Exception {
  id: number;
  kind: "value" | "domain" | "regex";
  text: string;
}

/** Why the engine refuses a rule, and which of its fields. */
export interface Refusal {
  field: string;
  message: string;
}

export const patterns = signal<readonly Pattern[]>([]);
export const exceptions = signal<readonly Exception[]>([]);

let lastId = 0;

export function addPattern(): void {
  const id = ++lastId;
  patterns.value = [...patterns.value, { id, name: `custom_${id}`, pattern: "", context: "" }];
}

export function addException(): void {
  exceptions.value = [...exceptions.value, { id: ++lastId, kind: "value", text: "" }];
}

export function changePattern(pattern: Pattern): void {
  patterns.value = patterns.value.map((other) => (other.id === pattern.id ? pattern : other));
}

export function changeException(exception: Exception): void {
  exceptions.value = exceptions.value.map((other) => (other.id === exception.id ? exception : other));
}

export function removePattern({ id }: Pattern): void {
  patterns.value = patterns.value.filter((other) => other.id !== id);
}

export function removeException({ id }: Exception): void {
  exceptions.value = exceptions.value.filter((other) => other.id !== id);
}

/** Why a pattern is refused; undefined also for one that is still empty. */
export function patternRefusal(pattern: Pattern): Refusal | undefined {
  return pattern.pattern === "" ? undefined : refusal({ custom_detectors: [customDetector(pattern)] });
}

/** Why an exception is refused; undefined also for one that is still empty. */
export function exceptionRefusal(exception: Exception): Refusal | undefined {
  return exception.text === "" ? undefined : refusal({ allow_list: [allowRule(exception)] });
}

/** The rules that the engine takes, as its options. */
export const ownRules = computed(() => ({
  custom_detectors: patterns.value
    .filter((pattern) => pattern.pattern !== "" && patternRefusal(pattern) === undefined)
    .map(customDetector),
  allow_list: exceptions.value
    .filter((exception) => exception.text !== "" && exceptionRefusal(exception) === undefined)
    .map(allowRule),
}));

function customDetector({ name, pattern, context }: Pattern): CustomDetector {
  const words = context.split(",").map((word) => word.trim());
  return { name: name.trim(), pattern, context: words.filter((word) => word !== "") };
}

function allowRule({ kind, text }: Exception): AllowRule {
  if (kind === "domain") return { domain: text.trim() };
  return kind === "regex" ? { regex: text } : { value: text.trim() };
}

/** What the engine says against one rule: it reads its options before any text. */
function refusal(options: DetectOptions): Refusal | undefined {
  try {
    detect("-", options);
    return undefined;
  } catch (error) {
    if (!(error instanceof TextveilError)) throw error;
    const path = error.field ?? "";
    // the page shows the message at the field, so it need not name it
    return { field: path.split(".").at(-1) ?? "", message: error.message.replace(`${path} `, "") };
  }
}
