// The one instance of the module that reads documents. It is loaded for the first document that is not plain text.

import start, * as wasm from "../wasm/documents.js";
import { TextveilError } from "./error.js";
import type { WasmSource } from "./options.js";
import { instantiate } from "./source.js";

/** The module, loaded. */
export type Documents = typeof wasm;

/** Gives the WebAssembly when it is needed. */
export type DocumentsSource = () => WasmSource | Promise<WasmSource>;

let source: DocumentsSource | undefined;
let loaded = false;
let loading: Promise<Documents> | undefined;

/** Says where the module comes from, until it is loaded. */
export function documentsFrom(given: DocumentsSource): void {
  source = given;
}

/** Loads the module, once, without waiting. */
export function loadDocumentsSync(module: BufferSource | WebAssembly.Module): void {
  if (loaded) return;
  wasm.initSync({ module });
  loaded = true;
}

/**
 * The module, or a promise of it while it is not loaded; a call after a failure tries again.
 *
 * @throws {TextveilError} `not_loaded` where nobody said where it comes from
 */
export function documents(): Documents | Promise<Documents> {
  if (loaded) return wasm;
  if (source === undefined) {
    throw new TextveilError("not_loaded", "the readers of documents are not there; give `documents` to `init`, or use the format text");
  }
  loading ??= load(source).catch((error: unknown) => {
    loading = undefined;
    throw error;
  });
  return loading;
}

async function load(from: DocumentsSource): Promise<Documents> {
  await instantiate(start, from(), "documents");
  loaded = true;
  return wasm;
}
