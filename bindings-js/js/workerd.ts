// Cloudflare's workerd: a WebAssembly file imports as a compiled module.

import documents from "../wasm/documents_bg.wasm";
import names from "../wasm/names_bg.wasm";
import module from "../wasm/speed/textveil_bg.wasm";
import { loadBothSync } from "./load.js";

export * from "./common.js";
export { init, initNames } from "./loaded.js";

loadBothSync({ wasm: module, names, documents: () => documents });
