// Programs for Node that a bundler put into one file elsewhere: the package has its WebAssembly in its scripts. And pages
// of the same bundlers, in Chromium.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import commonjs from "@rollup/plugin-commonjs";
import { nodeResolve } from "@rollup/plugin-node-resolve";
import * as esbuild from "esbuild";
import { rolldown } from "rolldown";
import { rollup } from "rollup";
import webpack from "webpack";
import { launch, record, serve, SKIPPED } from "./browser.mjs";
import { project } from "./project.mjs";

const { folder } = project();
const elsewhere = mkdtempSync(join(tmpdir(), "textveil-bundled-"));
after(() => rmSync(elsewhere, { recursive: true, force: true }));

const PROGRAM = `
  import { protect, protectStream } from "textveil";
  import { protectTransform } from "textveil/node";
  console.log(protect("Dear Emily Carter, PESEL 44051401359").protectedText);
  const table = ReadableStream.from(["pesel\\n44051401359"]).pipeThrough(protectStream({ format: "csv" }));
  new Response(table.pipeThrough(new TextEncoderStream())).text().then((text) => {
    console.log(text);
    const transform = protectTransform();
    transform.end("PESEL 44051401359");
    transform.setEncoding("utf8").on("data", (text) => console.log(text));
  });`;
const PRINTED = "Dear [REDACTED], PESEL [REDACTED]\npesel\n[REDACTED]\nPESEL [REDACTED]";
const entry = join(folder, "program.mjs");
writeFileSync(entry, PROGRAM);

/** The bundlers that make one file of the program, by name and kind of module. */
const BUNDLERS = {
  esbuild: {
    esm: (outfile) => esbuild.build({ entryPoints: [entry], outfile, bundle: true, platform: "node", format: "esm", logLevel: "error" }),
    cjs: (outfile) => esbuild.build({ entryPoints: [entry], outfile, bundle: true, platform: "node", format: "cjs", logLevel: "error" }),
  },
  webpack: {
    esm: (file) => packed(file, { library: { type: "module" }, module: true, chunkFormat: "module" }, { outputModule: true }),
    cjs: (file) => packed(file, {}, {}),
  },
  Rollup: {
    esm: (file) => rolled(rollup({ input: entry, plugins: [nodeResolve({ exportConditions: ["node"] }), commonjs()], external: /^node:/ }), file, "es"),
    cjs: (file) => rolled(rollup({ input: entry, plugins: [nodeResolve({ exportConditions: ["node"] }), commonjs()], external: /^node:/ }), file, "cjs"),
  },
  Rolldown: {
    esm: (file) => rolled(rolldown({ input: entry, platform: "node" }), file, "es"),
    cjs: (file) => rolled(rolldown({ input: entry, platform: "node" }), file, "cjs"),
  },
};

async function rolled(bundling, file, format) {
  const bundle = await bundling;
  await bundle.write({ file, format });
  await bundle.close();
}

function packed(file, output, experiments) {
  const options = { target: "node20", entry, output: { path: elsewhere, filename: file.slice(elsewhere.length + 1), ...output }, experiments };
  return runWebpack(options);
}

function runWebpack(options) {
  const quick = { mode: "production", performance: { hints: false }, optimization: { minimize: false } };
  return new Promise((done, fail) => {
    webpack({ ...quick, ...options }, (error, stats) => (error || stats.hasErrors() ? fail(error ?? new Error(stats.toString("errors-only"))) : done()));
  });
}

describe("a program for Node is bundled by", () => {
  for (const [name, kinds] of Object.entries(BUNDLERS)) {
    for (const [kind, make] of Object.entries(kinds)) {
      test(`${name}, as ${kind === "esm" ? "an ES module" : "CommonJS"}`, async () => {
        const file = join(elsewhere, `${name}-${kind}.${kind === "esm" ? "mjs" : "cjs"}`);
        await make(file);
        assert.equal(execFileSync(process.execPath, [file], { cwd: elsewhere, encoding: "utf8" }).trim(), PRINTED);
      });
    }
  }
});

const READ = `
  const file = await protectFile(new File(["<p title='Emily Carter'>PESEL 44051401359</p>"], "page.html"));
  window.answer = [protect("Dear Emily Carter").protectedText, await file.file.text()];`;
const ADDRESSES = `
  import { init, protect, protectFile } from "textveil";
  import wasm from "textveil/textveil.wasm";
  import names from "textveil/names.wasm";
  import documents from "textveil/documents.wasm";
  const at = (path) => new URL(path, import.meta.url);
  await init({ wasm: at(wasm), names: at(names), documents: at(documents) });
  ${READ}`;
// without `init`: the first call that gives a promise loads everything, also where a bundler drops unused modules
const OF_FILES = `import { protect, protectFile } from "textveil"; ${READ}`;
const INLINE = `import { protect, protectFile } from "textveil/inline"; ${READ}`;

/** The bundlers that make main.js of a page, with its program and the number of WebAssembly files that it requests. */
const PAGES = {
  "webpack, as it is": {
    source: OF_FILES,
    files: 3,
    make: (entry, path) =>
      runWebpack({ target: "web", entry, output: { path, filename: "main.js", module: true, library: { type: "module" }, chunkFormat: "module" }, experiments: { outputModule: true } }),
  },
  "esbuild, with the addresses of the files": {
    source: ADDRESSES,
    files: 3,
    make: (entry, path) =>
      esbuild.build({ entryPoints: [entry], outfile: join(path, "main.js"), bundle: true, format: "esm", loader: { ".wasm": "file" }, logLevel: "error" }),
  },
  "esbuild, with all in the script": {
    source: INLINE,
    files: 0,
    make: (entry, path) => esbuild.build({ entryPoints: [entry], outfile: join(path, "main.js"), bundle: true, format: "esm", logLevel: "error" }),
  },
  "Rollup, with all in the script": {
    source: INLINE,
    files: 0,
    make: (entry, path) => rolled(rollup({ input: entry, plugins: [nodeResolve({ browser: true })] }), join(path, "main.js"), "es"),
  },
};

describe("a page is bundled by", { skip: SKIPPED }, () => {
  let browser;
  before(async () => {
    browser = await launch();
  });

  for (const [name, { source, files, make }] of Object.entries(PAGES)) {
    test(name, async () => {
      const entry = join(folder, "page.mjs");
      writeFileSync(entry, source);
      const path = join(elsewhere, name.replaceAll(/\W+/g, "-"));
      mkdirSync(path);
      writeFileSync(join(path, "index.html"), '<!doctype html><title>page</title><link rel="icon" href="data:," /><script type="module" src="./main.js"></script>');
      await make(entry, path);
      const site = await serve(path);
      const page = await browser.newPage();
      try {
        const seen = record(page);
        await page.goto(site.address);
        await page.waitForFunction(() => window.answer).catch((error) => assert.fail(`${error}\n${seen.errors.join("\n")}`));
        assert.deepEqual(await page.evaluate("window.answer"), ["Dear [REDACTED]", "<p title='[REDACTED]'>PESEL [REDACTED]</p>"]);
        assert.deepEqual(seen.errors, []);
        assert.equal(seen.requests.filter((url) => url.endsWith(".wasm")).length, files);
      } finally {
        await page.close();
        await site.close();
      }
    });
  }
});

test("slim has one instance for import and require", () => {
  const source = `
    import { createRequire } from "node:module";
    import { readFileSync } from "node:fs";
    import * as esm from "textveil/slim";
    const cjs = createRequire(import.meta.url)("textveil/slim");
    const bytes = (name) => readFileSync(new URL(import.meta.resolve("textveil/" + name)));
    esm.initSync({ wasm: bytes("textveil.wasm"), names: bytes("names.wasm") });
    const { protectedText } = cjs.protect("PESEL 44051401359", { mode: "tokenize" });
    console.log(esm.restore(protectedText).text, cjs.TextveilError === esm.TextveilError);`;
  const file = join(folder, "both-slim.mjs");
  writeFileSync(file, source);
  assert.equal(execFileSync(process.execPath, [file], { cwd: folder, encoding: "utf8" }).trim(), "PESEL 44051401359 true");
});
