// Runs the examples of the pages unchanged.
//
// A block `js run` is a module that has the built package; what it prints must be the comments behind its calls of
// `console.log`. A block `sh run` runs in an empty folder with the built program; what it prints must be the block `text`
// that follows, if one does.

import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { after, test } from "node:test";

import { compileErrors } from "../../bindings-js/test/compile.mjs";
import { DIST, blocks, component, noProgram, program } from "./pages.mjs";

const folder = mkdtempSync(join(tmpdir(), "textveil-docs-"));
after(() => rmSync(folder, { recursive: true, force: true }));

const all = blocks();
const runnable = (language) => all.filter((block) => block.language === language && block.marks.includes("run"));

const npm = resolve(DIST, "npm");

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
  assert.ok(runnable("js").length >= 15, `${runnable("js").length} blocks of JavaScript`);
  assert.ok(runnable("sh").length >= 10, `${runnable("sh").length} blocks of a shell`);
});

const noPackage = existsSync(join(npm, "package.json")) ? false : `${npm} is absent; run cargo xtask build --only npm`;
for (const { page, line, lines } of runnable("js")) {
  test(`${page}:${line}`, { skip: noPackage }, () => {
    const project = mkdtempSync(join(folder, "js-"));
    mkdirSync(join(project, "node_modules"));
    symlinkSync(npm, join(project, "node_modules/textveil"));
    writeFileSync(join(project, "example.mjs"), lines);
    const printed = execFileSync(process.execPath, ["example.mjs"], { cwd: project, encoding: "utf8", timeout: 60_000 });
    assert.deepEqual(printed.split("\n").slice(0, -1), expected(lines));
  });
}

test("every block of JavaScript compiles with tsc --strict", { skip: noPackage }, () => {
  const project = mkdtempSync(join(folder, "types-"));
  mkdirSync(join(project, "node_modules"));
  symlinkSync(npm, join(project, "node_modules/textveil"));
  const written = all.filter(({ language }) => /^(?:jsx?|tsx?|javascript|typescript)$/.test(language));
  const named = written.map(({ page, line, language, lines }) => ({ name: `${page}:${line}`, code: lines, isJsx: language.endsWith("x") }));
  assert.deepEqual(compileErrors(project, named), []);
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
