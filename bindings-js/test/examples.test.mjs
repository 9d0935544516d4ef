// The examples in the published types: each is run, and says what it says.

import assert from "node:assert/strict";
import { readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { before, describe, test } from "node:test";
import { compileErrors } from "./compile.mjs";
import { blocksOf } from "./guides.mjs";
import { NODE_MODULES, project } from "./project.mjs";

const { folder, import: load, run } = project();
const PACKAGE = join(folder, "node_modules/textveil");
// the libraries of the integrations
for (const name of ["@langchain", "@opentelemetry", "pino", "react"]) symlinkSync(join(NODE_MODULES, name), join(folder, "node_modules", name));

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
  ...["common", "detect", "error", "file", "format", "options", "protector", "session", "types", "value"].map((name) => [`cjs/${name}.d.ts`, '* as all from "textveil"', ""]),
  ["cjs/ai.d.ts", '* as all from "textveil/ai"', ""],
  ["cjs/langchain.d.ts", '* as all from "textveil/langchain"', ""],
  ["cjs/opencode.d.ts", '* as all from "textveil/opencode"', ""],
  ["cjs/otel.d.ts", '* as all from "textveil/otel"', ""],
  ["cjs/pino.d.ts", '* as all from "textveil/pino"', ""],
  ["cjs/record.d.ts", '* as all from "textveil/winston"', ""],
  ["cjs/sentry.d.ts", '* as all from "textveil/sentry"', ""],
  ["cjs/winston.d.ts", '* as all from "textveil/winston"', ""],
  ["cjs/react.d.ts", '* as all from "textveil/react"', 'import { createElement } from "react";'],
  ["cjs/prompt.d.ts", '* as all from "textveil/langchain"', ""],
  ["cjs/transform.d.ts", '* as all from "textveil/node"', ""],
  ["cjs/transform-with.d.ts", '* as all from "textveil/node"', ""],
  ["cjs/slim.d.ts", '* as all from "textveil/slim"', FETCH],
  ["esm/inline.d.ts", '* as all from "./node_modules/textveil/esm/inline.js"', ""],
  ["esm/browser.d.ts", '* as all from "./node_modules/textveil/esm/browser.js"', FETCH],
];

/** The entries with examples that load the WebAssembly. */
const LOADING = ["cjs/slim.d.ts", "esm/inline.d.ts", "esm/browser.d.ts"];

/** Imports each program and prints why it failed, or null: one process for all, since each loads the engine and the names. */
const RUNNER = `
  const failures = [];
  for (const name of process.argv.slice(2)) {
    failures.push(await import("./" + name).then(() => null, (error) => error.stack ?? String(error)));
  }
  console.log(JSON.stringify(failures));`;

for (const [path, imported, preparation] of ENTRIES) {
  describe(path, () => {
    const examples = examplesOf(path).map(({ code, of }, index) => {
      return { code, of, ...checked(code), name: `types-${path.replaceAll(/\W/g, "-")}-${index}.mjs` };
    });
    assert.ok(examples.length > 0, `${path} has no example`);
    let failures;

    before(() => {
      for (const { code, source, name } of examples) {
        const taken = [...new Set(code.match(/\b[a-zA-Z]+\b/g))].filter((word) => !new RegExp(`(?:const|let|function) (?:\\[|\\{ )?${word}\\b`).test(code));
        const globals = taken.map((word) => `if (${JSON.stringify(word)} in all && !(${JSON.stringify(word)} in globalThis)) globalThis[${JSON.stringify(word)}] = all[${JSON.stringify(word)}];`);
        writeFileSync(join(folder, name), `import assert from "node:assert/strict";\nimport ${imported};\n${preparation}\n${globals.join("\n")}\n${source}\n`);
      }
      const names = examples.map(({ name }) => name);
      // an example would find what the one before it loaded
      const processes = LOADING.includes(path) ? names.map((name) => [name]) : [names];
      // an example may print before the last line
      failures = processes.flatMap((own) => JSON.parse(run("examples.mjs", RUNNER, [], own).split("\n").at(-1)));
    });

    for (const [index, { code, of, count }] of examples.entries()) {
      test(of.slice(0, 60), () => {
        assert.ok(count > 0, `it says nothing:\n${code}`);
        assert.equal(failures[index], null);
      });
    }
  });
}

/** Lines that users write first, each with the types that they expect. */
const FIRST_LINES = `
import { apply, createProtector, detect, type DetectOptions, type EntityType, find, type Finding, openProtector, protect, protectFile, type ProtectOptions, TextveilError } from "textveil";
const findings: Finding[] = find("PESEL 44051401359");
const types: EntityType[] = findings.map(({ type }) => type);
const safe: string = protect("Dear Emily Carter", { mode: "mask" }).protectedText;
const born = find("PESEL 44051401359")[0].metadata.birthDate?.slice(0, 4);
const options: ProtectOptions = { mode: "hash", excludeEntities: ["city"], keep: ({ original }) => original === "Anna" };
const kept = protect("Dear Anna", options).entities.filter(({ type }) => type === "name");
const wanted: DetectOptions = { entities: ["PERSON", "EMAIL_ADDRESS", "pesel"] };
const rest = apply("Dear Emily", detect("Dear Emily", wanted).entities.filter((one) => one.confidence > 0.9));
const remembered: number = createProtector({ mode: "placeholder" }).session.size;
const size = await openProtector({ session: "case 7" }).then(({ session }) => session.keep());
const found: Record<string, number> = (await protectFile(new File(["x"], "x.csv"))).found;
try { protect("x"); } catch (error) { if (error instanceof TextveilError && error.code === "policy_violation") console.log(error.details); }
console.log(types, safe, born, kept, rest, remembered, size, found);`;

test("every block of JavaScript compiles with tsc --strict, and so do the first lines of users", async () => {
  const readme = blocksOf(readFileSync(join(PACKAGE, "README.md"), "utf8")).filter(({ kind }) => kind.startsWith("js"));
  // the tests of the documentation compile those of the guides
  const blocks = readme.map(({ source }, index) => ({ name: `README.md, block ${index + 1}`, code: source }));
  assert.ok(blocks.length > 5, `${blocks.length} blocks of the README`);
  for (const [path, imported, before] of [...ENTRIES, ["esm/worker.d.ts", '* as all from "textveil/worker"', ""]]) {
    const from = /from "(textveil[^"]*)"/.exec(imported)?.[1] ?? "textveil";
    const surface = Object.keys(await load(from)).filter((name) => /^[a-zA-Z]+$/.test(name) && name !== "default");
    const ofReact = before.includes('from "react"') ? before : "";
    for (const { code, of } of examplesOf(path)) {
      const names = surface.filter((name) => new RegExp(`\\b${name}\\b`).test(code) && !new RegExp(`(?:const|let) ${name}\\b`).test(code));
      blocks.push({ name: `${path}, ${of.slice(0, 60)}`, code: `import { ${names.join(", ")} } from "${from}";\n${ofReact}\n${code}` });
    }
  }
  blocks.push({ name: "first lines", code: FIRST_LINES });
  assert.deepEqual(compileErrors(folder, blocks), []);
});

/** Types without an example of their own: those of `init`, of React and of workers, which the examples of their functions have. */
const SHOWN_BY_FUNCTIONS = ["InitOptions", "LoadProgress", "SlimInitOptions", "SlimInitSyncOptions", "WasmSource"];
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
