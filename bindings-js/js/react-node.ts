// React in Node, which renders pages: the WebAssembly is read from the package where an effect needs it.
"use client";

import { loadFromPackage } from "./package-wasm.js";
import { reactWith } from "./react-with.js";

export const { useProtect, ProtectedTextarea } = reactWith(async () => loadFromPackage());
