// Writes the files of a page and their compressed forms into one file, so that the server need not compress them:
// `node bundle.mjs FOLDER`. `spin registry push` cannot pack some hundred files of an application.
//
// A bundle is a line of JSON, which maps names to the place and length of their content behind the line, and the contents.
// `spin-app/pages/src/bundle.rs` reads it.

import { mkdirSync, readdirSync, readFileSync, renameSync, statSync, writeFileSync } from "node:fs";
import { basename, dirname, join, sep } from "node:path";
import { brotliCompressSync, constants, gzipSync } from "node:zlib";

const TEXT = /\.(?:css|html|js|json|svg|txt|wasm|webmanifest)$/;
const QUALITY = { params: { [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY } };

const [folder] = process.argv.slice(2);
const index = {};
const contents = [];
let length = 0;
function add(name, content) {
  index[name] = [length, content.length];
  contents.push(content);
  length += content.length;
}
const files = readdirSync(folder, { recursive: true }).filter((name) => statSync(join(folder, name)).isFile());
for (const file of files.sort()) {
  const name = file.split(sep).join("/");
  const content = readFileSync(join(folder, file));
  add(name, content);
  if (!TEXT.test(name)) continue;
  add(`${name}.br`, brotliCompressSync(content, QUALITY));
  add(`${name}.gz`, gzipSync(content, { level: constants.Z_BEST_COMPRESSION }));
}
const target = join(dirname(folder), "pages", `${basename(folder)}.bundle`);
mkdirSync(dirname(target), { recursive: true });
writeFileSync(`${target}.new`, Buffer.concat([Buffer.from(`${JSON.stringify(index)}\n`), ...contents]));
// a service that runs reads either the old bundle or the new one
renameSync(`${target}.new`, target);
