// For the entry points that load the engine by themselves.

import type { WasmSource } from "./options.js";

/** Does nothing here: the engine is loaded by then. For code that runs in browsers too. */
export function init(_source?: WasmSource | Promise<WasmSource>): Promise<void> {
  return Promise.resolve();
}
