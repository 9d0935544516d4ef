// ARCHITECTURE.md stays a map whose invariants have tests, and the list of unreleased changes stays readable.

import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { join, posix } from "node:path";
import { test } from "node:test";

import { parse } from "smol-toml";

import { ROOT, source } from "../generate/files.mjs";

/** The most bytes of ARCHITECTURE.md: the design of a folder belongs in its DESIGN.md. */
const MOST_BYTES = 12_000;

/** The most lines of the unreleased changes. Merge entries by subject above it. */
const MOST_LINES = 90;

/** The part of a document below a heading, up to the next one of its level or above. */
function section(text, heading) {
  const [level] = heading.split(" ");
  const [, ...rest] = text.split(`\n${heading}\n`);
  assert.equal(rest.length, 1, `the heading ${heading} must be there once`);
  return rest[0].split(new RegExp(`^#{1,${level.length}} `, "m"))[0];
}

/** The invariants, each with its tests: the path of a file and the name of a test in it. */
function invariants(text) {
  const items = section(text, "## Invariants").split(/^- (?=\*\*)/m).slice(1);
  return items.map((item) => {
    const [, invariant, rest] = /^\*\*(.+?)\*\*([^]*)/s.exec(item);
    const tests = [];
    let path;
    for (const [, code] of rest.matchAll(/`([^`]+)`/g)) {
      if (/\.(?:rs|mjs)$/.test(code)) path = code;
      else tests.push({ path, name: code });
    }
    return { invariant, tests };
  });
}

/** Whether a file declares a test of this name. */
function declares(path, name) {
  if (!path || !existsSync(join(ROOT, path))) return false;
  const text = source(path);
  if (path.endsWith(".mjs")) return text.includes(`test("${name}"`);
  // `proptest!` and `#[tokio::test]` have other attributes and arguments between
  const [, before] = new RegExp(`(#\\[[^\\n]*\\n(?:[ \\t]*(?:#\\[|//)[^\\n]*\\n)*)[ \\t]*(?:async )?fn ${name}\\(`).exec(text) ?? [];
  return /#\[(?:\w+::)?test\b/.test(before ?? "");
}

/** The faults of the invariants in a text. */
const faults = (text) =>
  invariants(text).flatMap(({ invariant, tests }) =>
    tests.length === 0
      ? [`“${invariant}” names no test`]
      : tests.filter(({ path, name }) => !declares(path, name)).map(({ path, name }) => `“${invariant}”: ${path} has no test ${name}`),
  );

const ARCHITECTURE = source("ARCHITECTURE.md");

test("ARCHITECTURE.md is short", () => {
  const bytes = Buffer.byteLength(ARCHITECTURE);
  assert.ok(bytes <= MOST_BYTES, `${bytes} bytes; move design into a DESIGN.md, ${MOST_BYTES} are the most`);
});

test("each invariant names tests that exist", () => {
  assert.ok(invariants(ARCHITECTURE).length >= 15, "about fifteen invariants");
  assert.deepEqual(faults(ARCHITECTURE), []);
});

test("an invariant without its test is found", () => {
  const of = (item) => faults(`x\n## Invariants\n- **A holds.** ${item}\n`);
  assert.deepEqual(of("`engine/tests/order.rs` `folders_use_only_those_before_them`"), []);
  assert.deepEqual(of("`bindings-js/test/names.test.mjs` `no name is found, and everything else is`"), []);
  for (const item of [
    "",
    "`engine/tests/order.rs`",
    "`folders_use_only_those_before_them`",
    "`engine/tests/absent.rs` `folders_use_only_those_before_them`",
    "`engine/tests/order.rs` `folders_use_only_those`",
    "`tests/order.rs` `first_name`", // a function that is not a test
    "`bindings-js/test/names.test.mjs` `no name is found`",
  ]) {
    assert.equal(of(item).length, 1, item);
  }
});

test("every design document is linked", () => {
  for (const folder of ["engine", "documents", "restore", "spin-app", "host-native", "bindings-js"]) {
    assert.ok(ARCHITECTURE.includes(`](${folder}/DESIGN.md)`), folder);
  }
});

/** The folders of the map, each with its rank. */
function ranks() {
  const [, table] = ARCHITECTURE.split(/^\| rank \|/m);
  const rows = [...table.split("\n\n")[0].matchAll(/^\| (\d+) \| (.*?) \|/gm)];
  return rows.flatMap(([, rank, cell]) => {
    const [first, ...others] = [...cell.matchAll(/`([^`]+)`/g)].map(([, path]) => path);
    // the folders of one row may be those of the first
    const paths = [first, ...others.map((path) => (existsSync(join(ROOT, path)) ? path : join(first, path)))];
    return paths.map((path) => ({ path, rank: Number(rank) }));
  });
}

test("the folders of the map exist, and their crates import only crates of lower rank", () => {
  const folders = ranks().toSorted((one, other) => other.path.length - one.path.length);
  assert.ok(folders.length > 15, `${folders.length} folders`);
  assert.deepEqual(folders.filter(({ path }) => !existsSync(join(ROOT, path))), []);

  const folderOf = (path) => folders.find((folder) => `${path}/`.startsWith(folder.path));
  const members = parse(source("Cargo.toml")).workspace.members.map((path) => ({ path, manifest: parse(source(`${path}/Cargo.toml`)) }));
  const paths = new Map(members.map(({ path, manifest }) => [manifest.package.name, path]));
  const wrong = [];
  let count = 0;
  for (const { path, manifest } of members) {
    const importing = folderOf(path);
    for (const name of Object.keys(manifest.dependencies ?? {}).filter((name) => paths.has(name))) {
      const imported = folderOf(paths.get(name));
      // a folder of several crates is one
      if (importing && imported !== importing && !(imported?.rank < importing.rank)) wrong.push(`${path} imports ${paths.get(name)}`);
      count += 1;
    }
  }
  assert.ok(count > 20, `${count} imports`);
  assert.deepEqual(wrong, []);
});

test("the common changes name files that exist", () => {
  const bases = ["", "spin-app/service/", "host-native/"];
  let folder = "";
  let count = 0;
  const missing = [];
  for (const [, path] of section(source("CONTRIBUTING.md"), "## Common changes").matchAll(/`\/?([\w./-]+\.(?:rs|toml|json|mjs|py|md|yaml))`/g)) {
    // a name alone is beside the file before it
    const found = [...(path.includes("/") ? [] : [folder]), ...bases].find((base) => existsSync(join(ROOT, base, path)));
    if (found === undefined) missing.push(path);
    else folder = posix.join(found, posix.dirname(path), "/");
    count += 1;
  }
  assert.ok(count > 40, `${count} files`);
  assert.deepEqual(missing, []);
});

test("the unreleased changes are short", () => {
  const lines = section(source("CHANGELOG.md"), "## Unreleased").trim().split("\n").length;
  assert.ok(lines <= MOST_LINES, `${lines} lines; merge entries by subject, ${MOST_LINES} are the most`);
});
