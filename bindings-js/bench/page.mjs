// The tools in a page: each built by Vite as an application would have it, in a folder of its own.

import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { brotliCompressSync } from "node:zlib";
import { build } from "vite";
import { launch, serve, SKIPPED } from "../test/browser.mjs";

const PAGE = '<!doctype html><title>bench</title><link rel="icon" href="data:," />';

/** Builds the tools; what is given measures them and must be closed. */
export async function pages(tools) {
  const folder = mkdtempSync(join(tmpdir(), "textveil-bench-"));
  await bundle(join(import.meta.dirname, "measure.mjs"), join(folder, "measure"));
  writeFileSync(join(folder, "index.html"), PAGE);
  const broken = {};
  for (const tool of tools) {
    await bundle(join(import.meta.dirname, `tools/${tool}.mjs`), join(folder, tool)).catch((error) => {
      broken[tool] = `cannot be built for a page: ${firstLine(error)}`;
    });
  }
  const site = await serve(folder);
  const browser = SKIPPED ? undefined : await launch();
  return {
    broken,
    sizes: (tool) => sizes(join(folder, tool)),
    /** Returns the result of a function of measure.mjs in a page whose caches are empty. */
    async run(what, tool) {
      const context = await browser.newContext();
      try {
        const page = await context.newPage();
        await page.goto(site.address);
        return await page.evaluate(
          async ([what, tool]) => {
            const { measure, ready } = await import("/measure/main.js");
            const load = () => import(`/${tool}/main.js`);
            return what === "ready" ? ready(load) : measure((await load()).verbs);
          },
          [what, tool],
        );
      } finally {
        await context.close();
      }
    },
    async close() {
      await browser?.close();
      await site.close();
      rmSync(folder, { recursive: true });
    },
  };
}

async function bundle(entry, outDir) {
  mkdirSync(outDir);
  const base = `/${outDir.split("/").at(-1)}/`;
  const output = { entryFileNames: "main.js" };
  await build({
    configFile: false,
    logLevel: "silent",
    root: import.meta.dirname,
    base,
    build: { outDir, target: "es2022", modulePreload: false, rolldownOptions: { input: entry, output, preserveEntrySignatures: "strict" } },
  });
}

/** Bytes of the scripts, of the WebAssembly beside them, and of both: as they are, by gzip and by Brotli. */
function sizes(folder) {
  if (!existsSync(join(folder, "main.js"))) return undefined;
  const all = readdirSync(folder, { recursive: true }).filter((name) => statSync(join(folder, name)).isFile());
  // the readers of documents are loaded for the first document only
  const files = all.filter((name) => !/documents_bg[^/]*\.wasm$/.test(name));
  const sum = (wanted) => {
    const bytes = files.filter(wanted).map((name) => readFileSync(join(folder, name)));
    const add = (pack) => bytes.reduce((sum, file) => sum + pack(file).length, 0);
    return { raw: add((file) => file), gzip: add(gzip), brotli: add(brotliCompressSync) };
  };
  return { wasm: sum((name) => name.endsWith(".wasm")), all: sum(() => true) };
}

/** By the program of that name, as the budget is counted: Node's zlib packs 2 % worse at the same level. */
function gzip(file) {
  return execFileSync("gzip", ["-9c"], { input: file, maxBuffer: 1e8 });
}

export function firstLine(error) {
  return String(error.message ?? error).split("\n", 1)[0];
}
