// The WebAssembly of this package, for Node, Deno and Bun. It is part of the script: a file beside it would be lost
// where a bundler puts the script elsewhere.

import { loadDocumentsSync } from "./documents-instance.js";
import { loadBothSync } from "./load.js";
import { bytes } from "./wasm-bytes.js";
import { documents, names, textveil } from "./wasm-inline.js";

/** Loads the engine and the lexicons of names, once, without waiting. The readers of documents follow when needed. */
export function loadFromPackage(): void {
  loadBothSync({ wasm: bytes(textveil), names: bytes(names), documents: () => bytes(documents) });
}

/** Loads the readers of documents, too, for callers that cannot wait. */
export function loadAllFromPackage(): void {
  loadFromPackage();
  loadDocumentsSync(bytes(documents));
}
