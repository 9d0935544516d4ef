// The reader's own rules: patterns and texts to find as well, and findings to ignore.

import { computed, signal } from "@preact/signals";
import {
  type AllowRule,
  type CustomDetector,
  type DenyRule,
  type DetectOptions,
  detect,
  TextveilError,
} from "textveil";

/** A pattern as it is written into the page. */
export interface Pattern {
  id: number;
  name: string;
  pattern: string;
  /** Context words that are evidence for it, with commas between them. */
  context: string;
}

/** An exception as it is written into the page. */
export interface Exception {
  id: number;
  kind: "value" | "domain" | "regex";
  text: string;
}

/** A text that is always reported, as it is written into the page. */
export interface Denied {
  id: number;
  value: string;
  /** The type to report; empty for `deny_list`. */
  type: string;
}

/** The reason for which the engine rejects a rule, and which of its fields. */
export interface Refusal {
  field: string;
  message: string;
}

export const patterns = signal<readonly Pattern[]>([]);
export const exceptions = signal<readonly Exception[]>([]);
export const denied = signal<readonly Denied[]>([]);

let lastId = 0;

export function addPattern(): void {
  const id = ++lastId;
  patterns.value = [...patterns.value, { id, name: `custom_${id}`, pattern: "", context: "" }];
}

export function addException(): void {
  exceptions.value = [...exceptions.value, { id: ++lastId, kind: "value", text: "" }];
}

export function addDenied(): void {
  denied.value = [...denied.value, { id: ++lastId, value: "", type: "" }];
}

export function changePattern(pattern: Pattern): void {
  patterns.value = patterns.value.map((other) => (other.id === pattern.id ? pattern : other));
}

export function changeException(exception: Exception): void {
  exceptions.value = exceptions.value.map((other) => (other.id === exception.id ? exception : other));
}

export function changeDenied(entry: Denied): void {
  denied.value = denied.value.map((other) => (other.id === entry.id ? entry : other));
}

export function removePattern({ id }: Pattern): void {
  patterns.value = patterns.value.filter((other) => other.id !== id);
}

export function removeException({ id }: Exception): void {
  exceptions.value = exceptions.value.filter((other) => other.id !== id);
}

export function removeDenied({ id }: Denied): void {
  denied.value = denied.value.filter((other) => other.id !== id);
}

/** Replaces all rules by those of the options, as far as the page has fields for them. */
export function takeRules({ customDetectors = [], allowList = [], denyList = [] }: DetectOptions<string>): void {
  patterns.value = customDetectors.map(({ name, pattern = "", context = [] }) => {
    return { id: ++lastId, name, pattern, context: context.join(", ") };
  });
  exceptions.value = allowList.map((rule) => {
    if ("domain" in rule) return { id: ++lastId, kind: "domain", text: rule.domain };
    return "regex" in rule
      ? { id: ++lastId, kind: "regex", text: rule.regex }
      : { id: ++lastId, kind: "value", text: rule.value };
  });
  denied.value = denyList.map(({ value, type = "" }) => ({ id: ++lastId, value, type }));
}

/** Returns why a pattern is rejected; undefined also for one that is still empty. */
export function patternRefusal(pattern: Pattern): Refusal | undefined {
  return pattern.pattern === "" ? undefined : refusal({ customDetectors: [customDetector(pattern)] });
}

/** Returns why an exception is rejected; undefined also for one that is still empty. */
export function exceptionRefusal(exception: Exception): Refusal | undefined {
  return exception.text === "" ? undefined : refusal({ allowList: [allowRule(exception)] });
}

/** Returns why an entry of the deny list is rejected; undefined also for one that is still empty. */
export function deniedRefusal(entry: Denied): Refusal | undefined {
  return entry.value.trim() === "" ? undefined : refusal({ denyList: [denyRule(entry)] });
}

/** The rules that the engine takes, as its options. */
export const ownRules = computed(() => ({
  customDetectors: patterns.value
    .filter((pattern) => pattern.pattern !== "" && patternRefusal(pattern) === undefined)
    .map(customDetector),
  allowList: exceptions.value
    .filter((exception) => exception.text !== "" && exceptionRefusal(exception) === undefined)
    .map(allowRule),
  denyList: denied.value
    .filter((entry) => entry.value.trim() !== "" && deniedRefusal(entry) === undefined)
    .map(denyRule),
}));

function customDetector({ name, pattern, context }: Pattern): CustomDetector<string> {
  const words = context.split(",").map((word) => word.trim());
  return { name: name.trim(), pattern, context: words.filter((word) => word !== "") };
}

function allowRule({ kind, text }: Exception): AllowRule {
  if (kind === "domain") return { domain: text.trim() };
  return kind === "regex" ? { regex: text } : { value: text.trim() };
}

function denyRule({ value, type }: Denied): DenyRule<string> {
  return { value: value.trim(), ...(type.trim() !== "" && { type: type.trim() }) };
}

/** Returns the engine's objection to one rule: it reads its options before any text. */
function refusal(options: DetectOptions<string>): Refusal | undefined {
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
