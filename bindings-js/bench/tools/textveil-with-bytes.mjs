// Textveil in a page that has its WebAssembly: how long it takes from there to the first answer.

import names from "textveil/names.wasm?url";
import { init, protect } from "textveil/slim";
import wasm from "textveil/textveil.wasm?url";

const [engine, lexicons] = await Promise.all([wasm, names].map(async (address) => (await fetch(address)).arrayBuffer()));

/** Loads both modules. */
export const start = () => init({ wasm: engine, names: lexicons });

export const verbs = { protect: (text) => protect(text).protectedText };
