// Names, addresses and organisations, for Vercel's edge runtime.

import module from "../wasm/names_bg.wasm?module";
import { loadNamesSync } from "./names-instance.js";
import "./edge-light.js";

export { initNames } from "./names-loaded.js";

loadNamesSync(module);
