// For what places no files, such as a bundler that does not know `new URL(…, import.meta.url)`, or an extension: the
// WebAssembly is part of the script.

import { initOptions, loadBoth, loadsByItself } from "./load.js";
import { loadNames } from "./names-instance.js";
import type { InitOptions, WasmSource } from "./options.js";
import { response } from "./wasm-bytes.js";
import { documents, names, textveil } from "./wasm-inline-pages.js";

export * from "./common.js";

// the first asynchronous call loads everything
loadsByItself(init);

/**
 * Loads the engine and the lexicons of names from the script itself. Calling it again does nothing.
 *
 * A call that gives a promise, such as `protectFile`, does it by itself. Others throw `not_loaded` before it is done.
 *
 * `init({ names: false })` loads the engine alone: names, addresses and organisations are then not found until
 * `initNames` is called.
 *
 * @example
 * await init();
 * protect("Dear Emily Carter").protectedText; // "Dear [REDACTED]"
 */
export async function init(options?: InitOptions): Promise<void> {
  const given = initOptions(options);
  const { names: ofNames = true } = given;
  await loadBoth({
    wasm: given.wasm ?? response(textveil),
    names: ofNames === true ? response(names) : ofNames,
    documents: () => given.documents ?? response(documents),
  });
}

/**
 * Loads the lexicons of names after `init({ names: false })`. From then on every verb finds names, addresses and
 * organisations.
 *
 * @param source the WebAssembly, if it is not that of the script
 * @throws {TextveilError} `not_loaded` where `init` was not called
 * @example
 * await init({ names: false });
 * detect("Dear Emily Carter").entities.length; // 0
 * await initNames();
 * detect("Dear Emily Carter").entities.length; // 1
 */
export function initNames(source?: WasmSource | Promise<WasmSource>): Promise<void> {
  return loadNames(source ?? response(names));
}
