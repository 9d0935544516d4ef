// All tests of the pages in one process, which starts one browser for them.

import { readdirSync } from "node:fs";

for (const file of readdirSync(import.meta.dirname).filter((name) => name.endsWith(".test.mjs")).sort()) {
  await import(`./${file}`);
}
