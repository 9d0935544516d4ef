// The interface of a call to the engine: texts cross as they are, options as JSON. Answers with findings are objects already
// (`answers.ts`), the others are JSON.

import { invalid } from "./error.js";
import type { FindingToApply } from "./options.js";
import type { DetectOptions, EngineProtectOptions } from "./types.js";
import { isPlain, optionsJson } from "./wire.js";

/** The requirement for a text. */
export const TEXT = "must be a string";

/** Rejects a value that is not a string. */
export function check(value: unknown, field: string, expected: string): string {
  if (typeof value !== "string") throw invalid(field, expected);
  return value;
}

/** Options as they were given, or none. */
export function object<T extends object>(options: T | null | undefined): T {
  if (options == null) return {} as T;
  if (!isPlain(options)) throw invalid("options", "must be a plain object");
  return options;
}

/** Rejects options of other names. The engine checks the names of those that it reads. */
export function known<T extends object>(options: T | null | undefined, names: readonly string[], field = ""): T {
  const given = object(options);
  for (const name of Object.keys(given)) {
    if (!names.includes(name)) throw invalid(field + name, `is not an option; there are ${names.join(", ")}`);
  }
  return given;
}

/** Options as the engine reads them. */
export function json(options: DetectOptions<string> | EngineProtectOptions<string> | null | undefined): string {
  return optionsJson(object(options));
}

/** Findings as the engine reads them. A number that JSON cannot write must not turn into an absent field. */
export function findingsJson(findings: readonly FindingToApply[]): string {
  return JSON.stringify({ findings }, (_, item: unknown) =>
    typeof item === "bigint" || (typeof item === "number" && !Number.isFinite(item)) ? String(item) : item,
  );
}

/** Parses an answer of the engine without findings. */
export function parse<T>(response: string): T {
  return JSON.parse(response) as T;
}
