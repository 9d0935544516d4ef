// For callers who load the WebAssembly themselves: it is `textveil/textveil.wasm`, and for names `textveil/names.wasm`.

import { load, loadSync } from "./instance.js";
import { loadNames, loadNamesSync } from "./names-instance.js";
import type { WasmSource } from "./options.js";

export * from "./common.js";

/** Loads the engine. Everything else needs this to be done; calling it again does no harm. */
export function init(source: WasmSource | Promise<WasmSource>): Promise<void> {
  return load(source);
}

/** Loads the engine without waiting, from its bytes or from a compiled module. */
export function initSync(source: BufferSource | WebAssembly.Module): void {
  loadSync(source);
}

/**
 * Loads the lexicons of names, addresses and organisations, as `initNames` of `textveil/names` does.
 *
 * @throws {TextveilError} `not_loaded` where `init` was not called
 */
export function initNames(source: WasmSource | Promise<WasmSource>): Promise<void> {
  return loadNames(source);
}

/**
 * The same without waiting, from its bytes or from a compiled module.
 *
 * @throws {TextveilError} `not_loaded` before the engine is
 */
export function initNamesSync(source: BufferSource | WebAssembly.Module): void {
  loadNamesSync(source);
}
