// Names, addresses and organisations, for Node, Deno and Bun: the lexicons are read from the package.

import { loadFromPackage, readFromPackage } from "./package-wasm.js";
import { loadNamesSync } from "./names-instance.js";

export { initNames } from "./names-loaded.js";

loadFromPackage();
loadNamesSync(readFromPackage("names_bg.wasm"));
