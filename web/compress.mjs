// Compresses what a page is made of, once, so that the server need not: `node compress.mjs FOLDER`.

import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { brotliCompressSync, constants, gzipSync } from "node:zlib";

const [folder] = process.argv.slice(2);
const files = readdirSync(folder, { recursive: true }).filter((name) => /\.(?:css|html|js|json|svg|wasm|webmanifest)$/.test(name));
for (const name of files) {
  const content = readFileSync(join(folder, name));
  const quality = { params: { [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY } };
  writeFileSync(join(folder, `${name}.br`), brotliCompressSync(content, quality));
  writeFileSync(join(folder, `${name}.gz`), gzipSync(content, { level: constants.Z_BEST_COMPRESSION }));
}
