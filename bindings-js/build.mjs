// Builds the npm package around the WebAssembly: `dist/npm/`, ready for `npm pack`.
//
// `cargo xtask build --only npm` comes first; it compiles the crates and leaves wasm-bindgen's output for pages in
// dist/npm/wasm/, and that for servers in the folder that `TEXTVEIL_SERVERS` names. What is made here:
//
//   wasm/speed/    the engine for edge runtimes, which import WebAssembly as modules: compiled for speed, it is twice as fast
//   esm/           the entry points of bundlers and browsers, and what they share, in a few files: a page that nobody
//                  built asks for each of them
//   cjs/           the entry points of Node, bundled as CommonJS with the WebAssembly, with the same types
//   *.mjs          ESM for Node: re-exports cjs/, so that a process has one instance
//   package.json, README.md, LICENSE, NOTICE

import { execFileSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { gzipSync } from "node:zlib";
import { rolldown } from "rolldown";

const here = import.meta.dirname;
const out = join(here, "../dist/npm");
const WASM = ["textveil", "names", "documents"];
const commonjs = ["node", "slim", "transform", "transform-with", "ai-node", "langchain-node", "react-node", "worker", "pino", "winston", "sentry-node", "otel-node", "opencode", "cli"];
const modules = ["browser", "inline", "slim", "workerd", "edge-light", "worker", "worker-script", "ai", "langchain", "react", "sentry-browser", "otel-browser"];
for (const name of ["ai", "langchain", "sentry", "otel"]) for (const runtime of ["workerd", "edge-light"]) modules.push(`${name}-${runtime}`);
/** The module with the types of an entry point: those of several runtimes share one. */
const typesOf = (entry) => entry.replace(/(?<=^(?:ai|langchain|otel|react|sentry))-.*/, "");
// packages that the caller installs
const peers = /^(?:ai|langchain|react)$|^@langchain\//;
// a directive of an entry point stays; elsewhere it would not
// a constant that is used twice would be there twice, and each is megabytes
const optimization = { inlineConst: false };
// declarations have the documentation, and a page would download it
const comments = { jsdoc: false };
const onLog = (level, log, handle) => log.code !== "MODULE_LEVEL_DIRECTIVE" && handle(level, log);

const servers = process.env.TEXTVEIL_SERVERS;
if (!servers || !existsSync(join(out, "wasm/textveil.js"))) {
  console.error("the WebAssembly is not there; run `cargo xtask build --only npm`, which ends with this script");
  process.exit(2);
}

execFileSync(process.execPath, [join(here, "generate/index.mjs")], { stdio: "inherit" });
for (const folder of ["esm", "cjs"]) rmSync(join(out, folder), { recursive: true, force: true });
execFileSync(process.execPath, [join(here, "../node_modules/typescript/bin/tsc"), "-p", here], { stdio: "inherit" });

// a script of Node has its WebAssembly in it: the one that is compiled for speed, which has the same glue
writeInline("wasm-inline.js", servers, (wasm) => wasm);
// a server compresses base64 of WebAssembly badly
writeInline("wasm-inline-pages.js", join(out, "wasm"), (wasm) => gzipSync(wasm, { level: 9 }));
const sizes = ["textveil", "names"].map((name) => `${name}: ${statSync(join(out, `wasm/${name}_bg.wasm`)).size}`);
writeFileSync(join(out, "esm/wasm-sizes.js"), `export const SIZES = { ${sizes.join(", ")} };\n`);
rmSync(join(out, "wasm/speed"), { recursive: true, force: true });
mkdirSync(join(out, "wasm/speed"));
// of the others, speed wins a tenth
cpSync(join(servers, "textveil_bg.wasm"), join(out, "wasm/speed/textveil_bg.wasm"));
const bundle = await rolldown({ input: entries(commonjs), platform: "node", external: peers, onLog, optimization });
await bundle.write({ dir: join(out, "cjs"), format: "cjs", exports: "named", chunkFileNames: "[name].js", comments });
await bundle.close();
// entry points that import WebAssembly as a module leave it to their runtime
const shared = await rolldown({ input: entries(modules), external: [/\.wasm(\?module)?$/, peers], onLog, optimization });
const { output } = await shared.generate({ format: "esm", chunkFileNames: "[name].js", comments });
await shared.close();
writeFileSync(join(out, "cjs/package.json"), '{ "type": "commonjs" }\n');
const declarations = reachable([...commonjs, ...modules].filter((entry) => !/^(?:cli|worker-script)$/.test(entry)).map(typesOf));
for (const file of readdirSync(join(out, "esm"), { recursive: true })) {
  // declarations of inner modules refer to wasm-bindgen's, which need more of a user's compiler
  if (declarations.has(file)) cpSync(join(out, "esm", file), join(out, "cjs", file));
  else if (/\.[jt]s$/.test(file)) rmSync(join(out, "esm", file));
}
for (const { fileName, code } of output) writeFileSync(join(out, "esm", fileName), code);
// in Node both kinds of module are the CommonJS one
for (const file of ["node.d.ts", "opencode.d.ts", "pino.d.ts", "transform.d.ts", "transform-with.d.ts", "winston.d.ts"]) rmSync(join(out, "esm", file));

for (const file of readdirSync(join(here, "js")).filter((name) => /\.m[jt]s$/.test(name))) cpSync(join(here, "js", file), join(out, file));
for (const file of ["package.json", "README.md"]) cpSync(join(here, "js", file), join(out, file));
for (const file of ["LICENSE", "NOTICE"]) cpSync(join(here, "..", file), join(out, file));

/** A script with the WebAssembly of a folder. */
function writeInline(file, folder, packed) {
  const inline = WASM.map((name) => `export const ${name} = "${packed(readFileSync(join(folder, `${name}_bg.wasm`))).toString("base64")}";\n`);
  writeFileSync(join(out, "esm", file), inline.join(""));
}

/** Returns the entry points of a bundle. */
function entries(names) {
  return Object.fromEntries(names.map((entry) => [entry, join(out, `esm/${entry}.js`)]));
}

/** Returns the declarations that entry points refer to. */
function reachable(entries) {
  const found = new Set();
  const wanted = entries.map((entry) => `${entry}.d.ts`);
  for (let file = wanted.pop(); file !== undefined; file = wanted.pop()) {
    if (found.has(file)) continue;
    found.add(file);
    const source = readFileSync(join(out, "esm", file), "utf8");
    for (const [, path] of source.matchAll(/from "(\.[^"]+)\.js"/g)) wanted.push(`${join(dirname(file), path)}.d.ts`);
  }
  return found;
}
