// Vercel's edge runtime: a WebAssembly file imports as a compiled module where `?module` says so.

import module from "../wasm/textveil_bg.wasm?module";
import { loadSync } from "./instance.js";

export * from "./common.js";
export { init } from "./loaded.js";

loadSync(module);
