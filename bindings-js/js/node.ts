// Node, Deno and Bun: the WebAssembly is read from the package, so that every verb works at once.

import { loadFromPackage } from "./package-wasm.js";

export * from "./common.js";
export { init, initNames } from "./loaded.js";

loadFromPackage();
