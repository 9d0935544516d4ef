// What a call hands to the engine and takes from it: texts as they are, all else as JSON.

import { invalid } from "./error.js";
import type { DetectOptions, EngineProtectOptions } from "./types.js";
import { toWire } from "./wire.js";

/** What a text has to be. */
export const TEXT = "must be a string of at least one character";

/** Refuses what is no string. */
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

/** Options as the engine reads them. */
export function json(options: DetectOptions<string> | EngineProtectOptions<string> | null | undefined): string {
  return JSON.stringify(toWire(object(options)));
}

/** What the engine answers. */
export function parse<T>(response: string): T {
  return JSON.parse(response) as T;
}
