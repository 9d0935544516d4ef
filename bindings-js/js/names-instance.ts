// The one instance of the module that finds names: loading it, and handing it to the engine.

import start, * as wasm from "../wasm/names.js";
import { engine, setLacksNames, whenLoaded } from "./instance.js";
import type { WasmSource } from "./options.js";
import { instantiate, type OnRead } from "./source.js";

let loaded = false;
let loading: Promise<void> | undefined;

/** Loads the lexicons, once; a call after a failure tries again. */
export function loadNames(source: WasmSource | Promise<WasmSource>, onRead?: OnRead): Promise<void> {
  if (loaded) return Promise.resolve();
  loading ??= startWith(source, onRead).catch((error: unknown) => {
    loading = undefined;
    throw error;
  });
  return loading;
}

/** Loads the lexicons, once, without waiting. */
export function loadNamesSync(source: BufferSource | WebAssembly.Module): void {
  if (loaded) return;
  wasm.initSync({ module: source });
  handOver();
}

/** Rejects calls until the lexicons are loaded. */
export function requireNames(): void {
  setLacksNames(!loaded);
}

/** Lets calls through without names, unless another caller is loading them. */
export function releaseNames(): void {
  if (loading === undefined) setLacksNames(false);
}

async function startWith(source: WasmSource | Promise<WasmSource>, onRead: OnRead | undefined): Promise<void> {
  await instantiate(start, source, "names", onRead);
  // the two may be loaded at the same time
  await whenLoaded();
  handOver();
}

function handOver(): void {
  const { find } = wasm;
  engine().findNamesWith({ find });
  loaded = true;
  setLacksNames(false);
}
