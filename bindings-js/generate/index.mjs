// Writes the generated files, where they changed: `node generate/index.mjs`. The build runs it, and a test compares.

import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { consoleTypes } from "./console-types.mjs";
import { packageTypes, wireNames } from "./package-types.mjs";

const PACKAGE = join(import.meta.dirname, "..");

/** The generated files with their contents, by path from this package. */
export async function generated() {
  return {
    "js/types.ts": await packageTypes(),
    "js/wire-names.ts": wireNames(),
    "../web/console/types.ts": await consoleTypes(),
  };
}

if (import.meta.main ?? process.argv[1] === import.meta.filename) {
  for (const [path, text] of Object.entries(await generated())) {
    const file = join(PACKAGE, path);
    if (!existsSync(file) || readFileSync(file, "utf8") !== text) writeFileSync(file, text);
  }
}
