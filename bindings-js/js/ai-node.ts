// The AI SDK in Node, Deno and Bun: the WebAssembly is read from the package.

import { loadFromPackage } from "./package-wasm.js";

export * from "./ai.js";

loadFromPackage();
