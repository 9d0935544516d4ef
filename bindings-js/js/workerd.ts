// Cloudflare's workerd: a WebAssembly file imports as a compiled module.

import module from "../wasm/textveil_bg.wasm";
import { loadSync } from "./instance.js";

export * from "./common.js";
export { init } from "./loaded.js";

loadSync(module);
