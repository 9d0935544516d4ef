// The WebAssembly of this package, for Node, Deno and Bun.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { loadBothSync } from "./load.js";

/** Reads a module of the package. */
function readFromPackage(name: string): Uint8Array<ArrayBuffer> {
  // written so, tools that trace what a server needs find the files; the build makes CommonJS of it
  return readFileSync(join(__dirname, "../wasm", name));
}

/** Loads the engine and the lexicons of names, once, without waiting. */
export function loadFromPackage(): void {
  loadBothSync(readFromPackage("textveil_bg.wasm"), readFromPackage("names_bg.wasm"));
}
