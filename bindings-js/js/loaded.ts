// For the entry points that load both modules by themselves.

import type { InitOptions, WasmSource } from "./options.js";

/** Does nothing here: the engine and the names are loaded. For code that runs in browsers too. */
export function init(_options?: InitOptions): Promise<void> {
  return Promise.resolve();
}

/** Does nothing here: the names are loaded. For code that runs in browsers too. */
export function initNames(_source?: WasmSource | Promise<WasmSource>): Promise<void> {
  return Promise.resolve();
}
