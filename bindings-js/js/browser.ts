// Browsers, and bundlers that build for them: the WebAssembly is a file beside the script.

import { initOptions, loadBoth, loadsByItself } from "./load.js";
import { loadNames } from "./names-instance.js";
import type { InitOptions, WasmSource } from "./options.js";

export * from "./common.js";

// the first asynchronous call loads everything
loadsByItself(init);

/**
 * Loads the engine and the lexicons of names, in parallel. Calling it again does nothing.
 *
 * A call that gives a promise, such as `protectFile`, does it by itself. Others throw `not_loaded` before it is done.
 *
 * `init({ names: false })` loads the engine alone, half of the download: names, addresses and organisations are then
 * not found until `initNames` is called.
 *
 * @example
 * await init();
 * protect("Dear Emily Carter").protectedText; // "Dear [REDACTED]"
 */
export async function init(options?: InitOptions): Promise<void> {
  const { wasm, names = true, documents, onProgress } = initOptions(options);
  await loadBoth({
    onProgress,
    wasm: wasm ?? new URL("../wasm/textveil_bg.wasm", import.meta.url),
    names: names === true ? namesUrl() : names,
    documents: () => documents ?? new URL("../wasm/documents_bg.wasm", import.meta.url),
  });
}

/**
 * Loads the lexicons of names after `init({ names: false })`. From then on every verb finds names, addresses and
 * organisations.
 *
 * @param source the WebAssembly, if it is not where the bundler put it
 * @throws {TextveilError} `not_loaded` where `init` was not called
 * @example
 * await init({ names: false });
 * detect("Dear Emily Carter").entities.length; // 0
 * await initNames();
 * detect("Dear Emily Carter").entities.length; // 1
 */
export function initNames(source?: WasmSource | Promise<WasmSource>): Promise<void> {
  return loadNames(source ?? namesUrl());
}

function namesUrl(): URL {
  return new URL("../wasm/names_bg.wasm", import.meta.url);
}
