// The WebAssembly beside this package, for Node, Deno and Bun.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { loadSync } from "./instance.js";

/** Reads a module of the package. */
export function readFromPackage(name: string): Uint8Array<ArrayBuffer> {
  // written so, tools that trace what a server needs find the files; the build makes CommonJS of it
  return readFileSync(join(__dirname, "../wasm", name));
}

/** Loads the engine, once, without waiting. */
export function loadFromPackage(): void {
  loadSync(readFromPackage("textveil_bg.wasm"));
}
