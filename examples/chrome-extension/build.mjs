// Makes dist/, the folder that Chrome loads: the extension, and beside it the package as it is, since an
// extension may run no code but its own files.

import { cpSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const here = import.meta.dirname;
const out = join(here, "dist");
const installed = dirname(fileURLToPath(import.meta.resolve("textveil/package.json")));

rmSync(out, { recursive: true, force: true });
cpSync(join(here, "src"), out, { recursive: true });
for (const folder of ["esm", "wasm"]) cpSync(join(installed, folder), join(out, "textveil", folder), { recursive: true });
