// The WebAssembly beside this package, for Node, Deno and Bun.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { loadSync } from "./instance.js";

/** Loads the engine, once, without waiting. */
export function loadFromPackage(): void {
  // written so, tools that trace what a server needs find the file; the build makes CommonJS of it
  loadSync(readFileSync(join(__dirname, "../wasm/textveil_bg.wasm")));
}
