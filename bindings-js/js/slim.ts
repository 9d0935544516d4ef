// For callers who load the WebAssembly themselves: `textveil/textveil.wasm`, `textveil/names.wasm` and
// `textveil/documents.wasm`.

import type { DocumentsSource } from "./documents-instance.js";
import { invalid } from "./error.js";
import { initOptions, loadBoth, loadBothSync } from "./load.js";
import { loadNames } from "./names-instance.js";
import type { SlimInitOptions, SlimInitSyncOptions, WasmSource } from "./options.js";

export * from "./common.js";

/**
 * Loads the engine and the lexicons of names. Every other call needs it; calling it again does nothing.
 *
 * @throws {TextveilError} `invalid_request` naming `wasm` or `names`
 * @example
 * await init({ wasm: fetch("/textveil.wasm"), names: fetch("/names.wasm") });
 * protect("Dear Emily Carter").protectedText; // "Dear [REDACTED]"
 */
export async function init(options: SlimInitOptions): Promise<void> {
  await loadBoth(given(options));
}

/**
 * Loads both without waiting, from bytes or from compiled modules.
 *
 * @throws {TextveilError} `invalid_request` naming `wasm` or `names`
 * @example
 * const [wasm, names] = await Promise.all([fetch("/textveil.wasm"), fetch("/names.wasm")]);
 * initSync({ wasm: await wasm.arrayBuffer(), names: await names.arrayBuffer() });
 * protect("Dear Emily Carter").protectedText; // "Dear [REDACTED]"
 */
export function initSync(options: SlimInitSyncOptions): void {
  loadBothSync(given(options));
}

/**
 * Loads the lexicons of names after `init({ wasm, names: false })`.
 *
 * @throws {TextveilError} `not_loaded` where `init` was not called
 * @example
 * await init({ wasm: fetch("/textveil.wasm"), names: false });
 * await initNames(fetch("/names.wasm"));
 * protect("Dear Emily Carter").protectedText; // "Dear [REDACTED]"
 */
export function initNames(source: WasmSource | Promise<WasmSource>): Promise<void> {
  return loadNames(source);
}

/** Leaving the names out is a decision: the caller says `false`. */
function given<T extends SlimInitOptions>(options: T): T & { documents: DocumentsSource | undefined } {
  const { wasm, names, documents } = initOptions(options);
  if (wasm == null) throw invalid("wasm", "is missing; give the WebAssembly of `textveil/textveil.wasm`");
  if (names == null) throw invalid("names", "is missing; give the WebAssembly of `textveil/names.wasm`, or false");
  const source = documents === undefined || typeof documents === "function" ? documents : () => documents;
  return { ...options, documents: source as DocumentsSource | undefined };
}
