// For callers who load the WebAssembly themselves; it is `textveil/textveil.wasm`.

import { load, loadSync } from "./instance.js";
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
