// Imports a WebAssembly file as a compiled module, as the edge runtimes do.

import { register } from "node:module";

const hooks = `
  export async function load(url, context, next) {
    if (!/\\.wasm(\\?module)?$/.test(url)) return next(url, context);
    const file = JSON.stringify(url.replace(/\\?.*/, ""));
    const source = 'import { readFileSync } from "node:fs";' +
      'export default new WebAssembly.Module(readFileSync(new URL(' + file + ')));';
    return { format: "module", source, shortCircuit: true };
  }`;
register(`data:text/javascript,${encodeURIComponent(hooks)}`);
