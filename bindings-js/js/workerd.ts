// Cloudflare's workerd: a WebAssembly file imports as a compiled module.

import names from "../wasm/names_bg.wasm";
import module from "../wasm/textveil_bg.wasm";
import { loadBothSync } from "./load.js";

export * from "./common.js";
export { init, initNames } from "./loaded.js";

loadBothSync(module, names);
