// Vercel's edge runtime: a WebAssembly file imports as a compiled module where `?module` says so.

import documents from "../wasm/documents_bg.wasm?module";
import names from "../wasm/names_bg.wasm?module";
import module from "../wasm/speed/textveil_bg.wasm?module";
import { loadBothSync } from "./load.js";

export * from "./common.js";
export { init, initNames } from "./loaded.js";

loadBothSync({ wasm: module, names, documents: () => documents });
