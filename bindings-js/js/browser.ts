// Browsers, and bundlers that build for them: the WebAssembly is a file beside the script.

import { load } from "./instance.js";
import type { WasmSource } from "./options.js";

export * from "./common.js";

/**
 * Loads the engine. Everything else needs this to be done; calling it again does no harm.
 *
 * @param source where the WebAssembly is, if not where the bundler put it
 */
export function init(source?: WasmSource | Promise<WasmSource>): Promise<void> {
  return load(source ?? new URL("../wasm/textveil_bg.wasm", import.meta.url));
}
