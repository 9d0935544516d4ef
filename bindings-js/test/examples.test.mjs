// The examples in the published types: each is run, and says what it says.

import assert from "node:assert/strict";
import { readdirSync, readFileSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import { NODE_MODULES, project } from "./project.mjs";

const { folder, run } = project();
const PACKAGE = join(folder, "node_modules/textveil");
// the libraries of the integrations
for (const name of ["@langchain", "react"]) symlinkSync(join(NODE_MODULES, name), join(folder, "node_modules", name));

/** The examples of a file of types, each with what it documents. */
function examplesOf(path) {
  const source = readFileSync(join(PACKAGE, path), "utf8");
  return [...source.matchAll(/\/\*\*(?:(?!\*\/)[\s\S])*?@example\n((?:(?!\*\/)[\s\S])*)\*\/\s*(?:export )?(?:declare )?([^\n]*)/g)].map(([, lines, of]) => {
    return { code: lines.replaceAll(/^\s*\* ?/gm, "").trim(), of };
  });
}

/** The example with each `value; // literal` as an assertion. */
function checked(code) {
  let count = 0;
  const lines = code.split("\n").map((line) => {
    const [, value, wanted] = /^([[(\w].*); \/\/ ((?:["[\d]|true|false).*)$/.exec(line) ?? [];
    if (value === undefined || /^(?:const|let) /.test(value)) return line;
    count += 1;
    return `assert.deepEqual(${value}, ${wanted});`;
  });
  return { count, source: lines.join("\n") };
}

// Node fetches no files, so the addresses that a browser would ask for are answered here
const FETCH = `
  import { readFileSync } from "node:fs";
  globalThis.fetch = async (url) => {
    const name = /(textveil|names)(?:_bg)?\\.wasm$/.exec(String(url))[1];
    const file = new URL("node_modules/textveil/wasm/" + name + "_bg.wasm", import.meta.url);
    return new Response(readFileSync(file), { headers: { "content-type": "application/wasm" } });
  };`;

const ENTRIES = [
  ...["common", "detect", "error", "file", "format", "options", "protector", "session", "types"].map((name) => [`cjs/${name}.d.ts`, '* as all from "textveil"', ""]),
  ["cjs/ai.d.ts", '* as all from "textveil/ai"', ""],
  ["cjs/langchain.d.ts", '* as all from "textveil/langchain"', ""],
  ["cjs/react.d.ts", '* as all from "textveil/react"', 'import { createElement } from "react";'],
  ["cjs/prompt.d.ts", '* as all from "textveil/ai"', ""],
  ["cjs/transform.d.ts", '* as all from "textveil/node"', ""],
  ["cjs/transform-with.d.ts", '* as all from "textveil/node"', ""],
  ["cjs/slim.d.ts", '* as all from "textveil/slim"', FETCH],
  ["esm/inline.d.ts", '* as all from "textveil/inline"', ""],
  ["esm/browser.d.ts", '* as all from "./node_modules/textveil/esm/browser.js"', FETCH],
];

for (const [path, imported, before] of ENTRIES) {
  describe(path, () => {
    const examples = examplesOf(path);
    assert.ok(examples.length > 0, `${path} has no example`);
    for (const [index, { code, of }] of examples.entries()) {
      test(of.slice(0, 60), () => {
        const { count, source } = checked(code);
        assert.ok(count > 0, `it says nothing:\n${code}`);
        const taken = [...new Set(code.match(/\b[a-zA-Z]+\b/g))].filter((word) => !new RegExp(`(?:const|let|function) (?:\\[|\\{ )?${word}\\b`).test(code));
        const names = taken.map((word) => `if (${JSON.stringify(word)} in all && !(${JSON.stringify(word)} in globalThis)) globalThis[${JSON.stringify(word)}] = all[${JSON.stringify(word)}];`);
        run(`types-${path.replaceAll(/\W/g, "-")}-${index}.mjs`, `import assert from "node:assert/strict";\nimport ${imported};\n${before}\n${names.join("\n")}\n${source}\n`);
      });
    }
  });
}

/** Types without an example of their own: those of `init`, of React and of workers, which the examples of their functions have. */
const SHOWN_BY_FUNCTIONS = ["InitOptions", "SlimInitOptions", "SlimInitSyncOptions", "WasmSource"];
/** Types that only the package itself uses. */
const INTERNAL = ["Kept", "Place"];

test("every type of the package has an example", () => {
  const without = [];
  for (const [path] of ENTRIES) {
    const source = readFileSync(join(PACKAGE, path), "utf8");
    for (const [, comment, name] of source.matchAll(/(\/\*\*(?:(?!\*\/)[\s\S])*\*\/\n)?export (?:declare )?(?:interface|type) (\w+)/g)) {
      if (!comment?.includes("@example")) without.push(name);
    }
  }
  assert.deepEqual(without.filter((name) => ![...SHOWN_BY_FUNCTIONS, ...INTERNAL].includes(name)), []);
});

test("every function of the package has an example", () => {
  const without = [];
  const all = ["cjs", "esm"].flatMap((folder) => readdirSync(join(PACKAGE, folder)).map((name) => join(folder, name)));
  for (const file of all.filter((name) => name.endsWith(".d.ts"))) {
    const source = readFileSync(join(PACKAGE, file), "utf8");
    for (const found of source.matchAll(/(\/\*\*(?:(?!\*\/)[\s\S])*\*\/\n)?export declare (?:function|class|const) (\w+)/g)) {
      const isOverload = new RegExp(`@example(?:(?!\\*/)[\\s\\S])*\\*/\\n(?:export declare function ${found[2]}\\b[^\\n]*\\n)+`).test(source);
      if (!found[1]?.includes("@example") && !isOverload) without.push(`${file}: ${found[2]}`);
    }
  }
  // modules that load nothing say so
  assert.deepEqual(without, ["cjs/loaded.d.ts: init", "cjs/loaded.d.ts: initNames", "esm/loaded.d.ts: init", "esm/loaded.d.ts: initNames"]);
});
