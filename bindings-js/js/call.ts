// The interface of a call to the engine: texts cross as they are, options as JSON. Answers with findings are objects already
// (`answers.ts`), the others are JSON.

import { invalid } from "./error.js";
import type { FindingToApply } from "./options.js";
import type { DetectOptions, EngineProtectOptions } from "./types.js";
import { toWire } from "./wire.js";

/** The requirement for a text. */
export const TEXT = "must be a string of at least one character";

/** Rejects a value that is not a string. */
export function check(value: unknown, field: string, expected: string): string {
  if (typeof value !== "string") throw invalid(field, expected);
  return value;
}

/** Options as they were given, or none. */
export function object<T extends object>(options: T | null | undefined): T {
  if (options == null) return {} as T;
  if (typeof options !== "object") throw invalid("options", "must be an object");
  return options;
}

/**
 * Options as the engine reads them, and the findings that it is given, whose names are single words. A number that JSON
 * cannot write must not turn into an absent field.
 */
export function json(
  options: DetectOptions<string> | EngineProtectOptions<string> | null | undefined,
  findings?: readonly FindingToApply[],
): string {
  const request = toWire(object(options)) as object;
  return JSON.stringify(findings === undefined ? request : { ...request, findings }, (_, value: unknown) =>
    typeof value === "bigint" || (typeof value === "number" && !Number.isFinite(value)) ? String(value) : value,
  );
}

/** Parses an answer of the engine without findings. */
export function parse<T>(response: string): T {
  return JSON.parse(response) as T;
}
