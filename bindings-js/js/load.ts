// Loading the engine together with the lexicons of names, or without them.

import { documentsFrom, type DocumentsSource } from "./documents-instance.js";
import { invalid } from "./error.js";
import { load, loadSync } from "./instance.js";
import { loadNames, loadNamesSync, releaseNames, requireNames } from "./names-instance.js";
import type { WasmSource } from "./options.js";

/** The sources of both modules; `names: false` leaves the lexicons out. */
export interface Sources {
  wasm: WasmSource | Promise<WasmSource>;
  names: WasmSource | Promise<WasmSource> | false;
  /** Gives the module that reads documents, which is loaded when it is needed. */
  documents: DocumentsSource | undefined;
}

/** Loads both in parallel. Calls are rejected until both are there. Settles when nothing is compiled any more. */
export async function loadBoth({ wasm, names, documents }: Sources): Promise<void> {
  if (documents !== undefined) documentsFrom(documents);
  if (names === false) {
    releaseNames();
    return load(wasm);
  }
  requireNames();
  const both = await Promise.allSettled([load(wasm), loadNames(names)]);
  for (const one of both) if (one.status === "rejected") throw one.reason;
}

/** As `Sources`, for what is loaded without waiting. */
export interface SyncSources extends Pick<Sources, "documents"> {
  wasm: BufferSource | WebAssembly.Module;
  names: BufferSource | WebAssembly.Module | false;
}

/** Loads both without waiting. */
export function loadBothSync({ wasm, names, documents }: SyncSources): void {
  if (documents !== undefined) documentsFrom(documents);
  loadSync(wasm);
  if (names !== false) loadNamesSync(names);
}

/** Rejects what is not an options object, such as a bare address. */
export function initOptions<T extends object>(options: T | undefined): Partial<T> {
  if (options === undefined) return {};
  const isPlain = typeof options === "object" && options !== null && [Object.prototype, null].includes(Object.getPrototypeOf(options));
  if (!isPlain) throw invalid("options", "must be an object, such as { wasm: url }");
  return options;
}
