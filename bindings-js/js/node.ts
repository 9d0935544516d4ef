// Node, Deno and Bun: the WebAssembly is read from the package, so that every verb works at once.

import { readFileSync } from "node:fs";
import { loadSync } from "./instance.js";

export * from "./common.js";
export { init } from "./loaded.js";

loadSync(readFileSync(new URL("../wasm/textveil_bg.wasm", import.meta.url)));
