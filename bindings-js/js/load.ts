// Loading the engine together with the lexicons of names, or without them.

import { known } from "./call.js";
import { documentsFrom, type DocumentsSource } from "./documents-instance.js";
import { invalid } from "./error.js";
import { isLoaded, load, loadSync } from "./instance.js";
import { loadNames, loadNamesSync, releaseNames, requireNames } from "./names-instance.js";
import type { InitOptions, WasmSource } from "./options.js";
import type { OnRead } from "./source.js";
import { SIZES } from "./wasm-sizes.js";
import { isPlain } from "./wire.js";

/** The sources of both modules; `names: false` leaves the lexicons out. */
export interface Sources {
  wasm: WasmSource | Promise<WasmSource>;
  names: WasmSource | Promise<WasmSource> | false;
  /** Gives the module that reads documents, which is loaded when it is needed. */
  documents: DocumentsSource | undefined;
  onProgress?: InitOptions["onProgress"];
}

/** The newest loading that was asked for, until it is done. */
let underWay: Promise<void> | undefined;
/** Loads what `init()` loads, where the entry point can do so by itself. */
let byItself: (() => Promise<void>) | undefined;

/** Has the first asynchronous call load everything by this function. */
export function loadsByItself(init: () => Promise<void>): void {
  byItself = init;
}

/**
 * Does asynchronous work after everything is loaded, which it begins where nobody did.
 *
 * It is done at once where everything is loaded, and where nothing can be: it then fails as a synchronous call does.
 */
export function whenReady<T>(work: () => T | Promise<T>): T | Promise<T> {
  if (isLoaded()) return work();
  const loading = underWay ?? byItself?.();
  return loading === undefined ? work() : loading.then(work);
}

/** Loads both in parallel. Calls are rejected until both are there. Settles when nothing is compiled any more. */
export function loadBoth(sources: Sources): Promise<void> {
  const own = loadingOf(sources).finally(() => {
    if (underWay === own) underWay = undefined;
  });
  underWay = own;
  return own;
}

async function loadingOf({ wasm, names, documents, onProgress }: Sources): Promise<void> {
  if (documents !== undefined) documentsFrom(documents);
  const read = readers(onProgress, names === false ? [SIZES.textveil] : [SIZES.textveil, SIZES.names]);
  if (names === false) {
    releaseNames();
    return load(wasm, read[0]);
  }
  requireNames();
  const both = await Promise.allSettled([load(wasm, read[0]), loadNames(names, read[1])]);
  for (const one of both) if (one.status === "rejected") throw one.reason;
}

/** Adds up what is read of several modules of these sizes. */
function readers(onProgress: InitOptions["onProgress"], sizes: number[]): OnRead[] {
  if (onProgress === undefined) return [];
  const read = sizes.map(() => 0);
  const sum = (numbers: number[]) => numbers.reduce((all, one) => all + one, 0);
  return sizes.map((_, at) => (bytes) => {
    read[at] = bytes;
    // a caller's own file may have another size
    const done = sum(read);
    onProgress({ read: done, total: Math.max(done, sum(sizes)) });
  });
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

/** Rejects what is not an options object, such as a bare address, and unknown options. */
export function initOptions<T extends object>(options: T | undefined): Partial<T> {
  if (options !== undefined && !isPlain(options)) throw invalid("options", "must be an object, such as { wasm: url }");
  return known(options, ["wasm", "names", "documents", "onProgress"]);
}
