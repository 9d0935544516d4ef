// The WebAssembly beside this package, for Node, Deno and Bun.

import { readFileSync } from "node:fs";
import { loadSync } from "./instance.js";

/** Loads the engine, once, without waiting. */
export function loadFromPackage(): void {
  loadSync(readFileSync(new URL("../wasm/textveil_bg.wasm", import.meta.url)));
}
