// Runs the examples of the pages unchanged.
//
// A block `js run` or `ts run` is a module that has the built package; what it prints must be the comments behind its calls of
// `console.log`. A block `ts route` is a route handler of Next.js; its answer must be the block `json` that follows. Both have a
// language model that answers. A block `sh run` runs in an empty folder with the built program; what it prints must be the
// block `text` that follows, if one does.

import assert from "node:assert/strict";
import { execFile, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { after, before, test } from "node:test";
import { promisify } from "node:util";
import ts from "typescript";

import { compileErrors, link } from "../../bindings-js/test/compile.mjs";
import { KINDS } from "../../bindings-js/test/guides.mjs";
import { openModel } from "./model.mjs";
import { DIST, blocks, component, noProgram, program } from "./pages.mjs";

const folder = mkdtempSync(join(tmpdir(), "textveil-docs-"));
after(() => rmSync(folder, { recursive: true, force: true }));

const all = blocks();
const runnable = (language) => all.filter((block) => block.language === language && block.marks.includes("run"));

const npm = resolve(DIST, "npm");

let model;
before(async () => {
  model = await openModel();
});
after(() => model.close());

/** Makes a project that has the package and the libraries of the recipes. */
function project() {
  const made = mkdtempSync(join(folder, "js-"));
  mkdirSync(join(made, "node_modules"));
  symlinkSync(npm, join(made, "node_modules/textveil"));
  link(made);
  return made;
}

/** Runs a module in a project of its own and returns what it prints. */
async function run(language, source) {
  const cwd = project();
  const { outputText } = ts.transpileModule(source, { compilerOptions: { target: "es2022", module: "esnext" } });
  writeFileSync(join(cwd, "example.mjs"), language === "ts" ? outputText : source);
  const env = { ...process.env, OPENAI_BASE_URL: model.address, OPENAI_API_KEY: "none" };
  const { stdout } = await promisify(execFile)(process.execPath, ["example.mjs"], { cwd, env, encoding: "utf8", timeout: 60_000 });
  return stdout;
}

/** Returns the expected output of a module: the comments after its calls of `console.log`. */
function expected(lines) {
  const calls = [...lines.matchAll(/^.*\bconsole\.log\(.*$/gm)].map(([line]) => line);
  return calls.map((line) => {
    const comment = line.match(/\); \/\/ (.*)$/);
    assert.ok(comment, `a call of console.log must have what it prints as a comment: ${line}`);
    return comment[1];
  });
}

test("there are examples", () => {
  assert.ok(runnable("js").length >= 30, `${runnable("js").length} blocks of JavaScript`);
  assert.ok(runnable("ts").length >= 3, `${runnable("ts").length} blocks of TypeScript`);
  assert.ok(runnable("sh").length >= 10, `${runnable("sh").length} blocks of a shell`);
});

const noPackage = existsSync(join(npm, "package.json")) ? false : `${npm} is absent; run cargo xtask build --only npm`;
for (const { page, line, language, lines } of [...runnable("js"), ...runnable("ts")]) {
  test(`${page}:${line}`, { skip: noPackage }, async () => {
    const printed = await run(language, lines);
    assert.deepEqual(printed.split("\n").slice(0, -1), expected(lines));
  });
}

const CALL = `
const text = "Write to Emily Carter, emily@example.com";
const request = new Request("http://127.0.0.1/api/chat", { method: "POST", body: JSON.stringify({ message: text }) });
console.log(await (await POST(request)).text());`;

for (const block of all.filter(({ marks }) => marks.includes("route"))) {
  const { page, line, language, lines } = block;
  test(`${page}:${line}`, { skip: noPackage }, async () => {
    const next = all[all.indexOf(block) + 1];
    assert.deepEqual([next.page, next.language], [page, "json"]);
    assert.equal(await run(language, lines + CALL), next.lines);
  });
}

test("the model of the recipes reads no personal data", { skip: noPackage }, () => {
  assert.ok(model.asked.length >= 3, `${model.asked.length} requests`);
  for (const body of model.asked) {
    assert.match(body, /\[\[EMAIL_2\]\]/);
    assert.doesNotMatch(body, /emily/i);
  }
});

const isScript = ({ language }) => /^(?:jsx?|tsx?|javascript|typescript|html)$/.test(language);

test("a suite runs every block of JavaScript", () => {
  // the tests of the package run the others: bindings-js/test/guides.mjs
  const known = (block) => block.marks.some((mark) => ["run", "route", ...KINDS].includes(mark)) || block.language === "html";
  const unknown = all.filter((block) => isScript(block) && !known(block));
  assert.deepEqual(unknown.map(({ page, line }) => `${page}:${line}`), []);
});

test("every block of JavaScript compiles with tsc --strict", { skip: noPackage }, () => {
  const written = all.filter((block) => isScript(block) && block.language !== "html");
  const named = written.map(({ page, line, language, lines }) => ({ name: `${page}:${line}`, code: lines, isJsx: language.endsWith("x") }));
  assert.deepEqual(compileErrors(project(), named), []);
});

for (const block of runnable("sh")) {
  const { page, line, lines } = block;
  test(`${page}:${line}`, { skip: noProgram }, () => {
    const work = mkdtempSync(join(folder, "sh-"));
    const env = { ...process.env, PATH: `${dirname(program)}:${process.env.PATH}`, TEXTVEIL_COMPONENT: component };
    const ran = spawnSync("bash", ["-eu", "-o", "pipefail", "-c", lines], { cwd: work, env, encoding: "utf8", timeout: 60_000 });
    assert.equal(ran.status, 0, ran.stderr);
    const next = all[all.indexOf(block) + 1];
    if (next?.page === page && next.language === "text") assert.equal(ran.stdout, next.lines);
  });
}
