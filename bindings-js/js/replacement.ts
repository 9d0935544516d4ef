// The replacement of a finding: the engine's, a placeholder, or the one that the caller's callbacks decide.

import { object } from "./call.js";
import { invalid } from "./error.js";
import type { ProtectOptions, Replaceable } from "./options.js";
import type { TokenMap } from "./session.js";
import type { EngineProtectOptions, ProtectedEntity } from "./types.js";

/** Decides what replaces a finding; undefined leaves what the engine says. */
export type Decide = (entity: Replaceable) => string | undefined;

/** The options as the engine reads them, and the decision that it does not make. */
interface Decision {
  options: EngineProtectOptions<string>;
  decide: Decide | undefined;
  /** Whether placeholders are written. */
  isPlaceholder: boolean;
}

/** Splits the options of a call. */
export function decisionOf(options: ProtectOptions<string>, memory: TokenMap): Decision {
  const { keep, replace, ...rest } = object(options);
  for (const [name, callback] of Object.entries({ keep, replace })) {
    if (callback !== undefined && typeof callback !== "function") throw invalid(name, "must be a function");
  }
  const { mode, ...others } = rest;
  const isPlaceholder = mode === "placeholder";
  if (isPlaceholder && Object.keys(rest.operators ?? {}).length > 0) {
    throw invalid("operators", "must be absent in the mode placeholder; use the callback `replace`");
  }
  const engineOptions: EngineProtectOptions<string> = isPlaceholder ? { ...others, mode: "replace" } : { ...others, ...(mode === undefined ? {} : { mode }) };
  if (keep === undefined && replace === undefined && !isPlaceholder) return { options: engineOptions, decide: undefined, isPlaceholder };
  return {
    options: engineOptions,
    isPlaceholder,
    decide(entity) {
      const isKept: unknown = keep === undefined ? false : keep(entity);
      if (typeof isKept !== "boolean") throw invalid("keep", `must return true or false${not(isKept)}`);
      if (isKept) return entity.original;
      const own = replace?.(entity);
      if (own === undefined) return isPlaceholder ? memory.placeholder(entity) : undefined;
      if (typeof own !== "string") throw invalid("replace", `must return a string or undefined${not(own)}`);
      return own;
    },
  };
}

/** The end of a message about what a callback returned. */
function not(returned: unknown): string {
  const isPromise = typeof (returned as { then?: unknown } | null)?.then === "function";
  return isPromise ? ", and not a promise; look up before the call what it needs" : "";
}

/** Has a decision made about each finding, and the text written with what was decided. */
export function decided(text: string, entities: readonly ProtectedEntity[], decide: Decide): string {
  let out = "";
  let done = 0;
  for (const entity of entities) {
    entity.protected = decide(entity) ?? entity.protected;
    out += text.slice(done, entity.start) + entity.protected;
    done = entity.end;
  }
  return out + text.slice(done);
}
