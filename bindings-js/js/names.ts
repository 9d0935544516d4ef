// Names, addresses and organisations, for browsers and bundlers: the WebAssembly is a file beside the script.

import { loadNames } from "./names-instance.js";
import type { WasmSource } from "./options.js";

/**
 * Loads the lexicons. From then on every verb finds names, addresses and organisations too; calling it again does no
 * harm. The engine may be loaded at the same time: `await Promise.all([init(), initNames()])`.
 *
 * @param source where the WebAssembly is, if not where the bundler put it
 * @throws {TextveilError} `not_loaded` where `init` was not called
 */
export function initNames(source?: WasmSource | Promise<WasmSource>): Promise<void> {
  return loadNames(source ?? new URL("../wasm/names_bg.wasm", import.meta.url));
}
