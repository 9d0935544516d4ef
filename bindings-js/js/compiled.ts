// Options that the engine has compiled: reading them takes longer than a short text, and compiling lists longer than a page.

import { call } from "./instance.js";
import type { Options } from "../wasm/textveil.js";

/** Options of detection, or those of protection, which are more. */
type Purpose = "ofDetection" | "ofProtection";

/** The number of options that stay compiled. Patterns of one may take a megabyte. */
const KEPT = 32;

/** Compiled options by their text, the last used at the end. An object may change between two calls; its text does not. */
const kept: Readonly<Record<Purpose, Map<string, Options>>> = { ofDetection: new Map(), ofProtection: new Map() };

/**
 * Returns compiled options. They are compiled once, unless many others were used meanwhile.
 *
 * @param text the options as `json` writes them
 * @throws {TextveilError} naming the option at fault
 */
export function compiled(purpose: Purpose, text: string): Options {
  const all = kept[purpose];
  const options = all.get(text) ?? call((engine) => engine.Options[purpose](text));
  all.delete(text);
  all.set(text, options);
  if (all.size > KEPT) dropOldest(all);
  return options;
}

/** Frees at once what a garbage collector would free late, since it does not see the memory of WebAssembly. */
function dropOldest(all: Map<string, Options>): void {
  for (const [text, options] of all) {
    all.delete(text);
    options.free();
    return;
  }
}
