// Names, addresses and organisations, for Cloudflare's workerd.

import module from "../wasm/names_bg.wasm";
import { loadNamesSync } from "./names-instance.js";
import "./workerd.js";

export { initNames } from "./names-loaded.js";

loadNamesSync(module);
