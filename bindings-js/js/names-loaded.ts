// For the entry points that load the lexicons by themselves.

import type { WasmSource } from "./options.js";

/** Does nothing here: the lexicons are loaded by then. For code that runs in browsers too. */
export function initNames(_source?: WasmSource | Promise<WasmSource>): Promise<void> {
  return Promise.resolve();
}
