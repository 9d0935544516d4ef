// Makes dist/, the folder that Chrome loads: the extension, and beside it the package as it is, since an
// extension may run no code but its own files.

import { cpSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const here = import.meta.dirname;
const out = join(here, "dist");
const folderOf = (specifier) => dirname(fileURLToPath(import.meta.resolve(specifier)));

rmSync(out, { recursive: true, force: true });
cpSync(join(here, "src"), out, { recursive: true });
cpSync(folderOf("textveil/slim"), join(out, "textveil/esm"), { recursive: true });
cpSync(folderOf("textveil/textveil.wasm"), join(out, "textveil/wasm"), { recursive: true });
