// Sentry in Node, Deno and Bun: the WebAssembly is read from the package.

import { loadAllFromPackage } from "./package-wasm.js";

export * from "./sentry.js";

loadAllFromPackage();
