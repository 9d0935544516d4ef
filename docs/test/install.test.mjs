// The script that installs the program, with a release on a server of this machine; and the formula for Homebrew.

import assert from "node:assert/strict";
import { execFile, execFileSync, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { chmodSync, copyFileSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { promisify } from "node:util";
import { parse } from "smol-toml";
import { ROOT } from "../generate/files.mjs";
import { component, noProgram, program } from "./pages.mjs";

const INSTALL = join(ROOT, "host-native/install");
const ARCHIVE = "textveil-x86_64-unknown-linux-gnu.tar.gz";
const isHere = process.platform === "linux" && process.arch === "x64";
const skip = isHere ? false : "releases have a program for Linux on x86-64 only";

/** The files of a release by name; a file that is absent is not found. */
const files = new Map();
const folder = mkdtempSync(join(tmpdir(), "textveil-install-"));
after(() => rmSync(folder, { recursive: true, force: true }));

const sum = (bytes) => createHash("sha256").update(bytes).digest("hex");

/** Makes a release whose program is this file, or a script that tells its version. */
function release(version, file) {
  const made = mkdtempSync(join(folder, "release-"));
  mkdirSync(join(made, "dist"));
  if (file === undefined) writeFileSync(join(made, "dist/textveil"), `#!/bin/sh\necho "textveil ${version}"\n`);
  else copyFileSync(file, join(made, "dist/textveil"));
  chmodSync(join(made, "dist/textveil"), 0o755);
  if (existsSync(component)) copyFileSync(component, join(made, "dist/textveil-engine.wasm"));
  writeFileSync(join(made, "LICENSE"), "Apache-2.0\n");
  execFileSync("tar", ["--create", "--gzip", `--file=${join(made, ARCHIVE)}`, "dist", "LICENSE"], { cwd: made });
  const archive = readFileSync(join(made, ARCHIVE));
  files.clear();
  files.set(ARCHIVE, archive);
  files.set("SHA256SUMS", `${sum("other")}  other.wasm\n${sum(archive)}  ${ARCHIVE}\n`);
}

describe("install.sh", { skip }, () => {
  const server = createServer(({ url }, response) => {
    const content = files.get(url.replace("/v1/", ""));
    response.writeHead(content === undefined ? 404 : 200).end(content);
  });
  let address;
  before(async () => {
    await new Promise((ready) => server.listen(0, "127.0.0.1", ready));
    address = `http://127.0.0.1:${server.address().port}/v1`;
  });
  after(() => server.close());

  /** Runs the script for a prefix; gives its status and what it said. */
  async function install(prefix, { words = [address], env = {} } = {}) {
    const own = { ...process.env, TEXTVEIL_PREFIX: prefix, TEXTVEIL_RELEASE: "", ...env };
    try {
      const { stdout } = await promisify(execFile)("sh", [join(INSTALL, "install.sh"), ...words], { env: own });
      return { status: 0, said: stdout };
    } catch ({ code, stderr }) {
      return { status: code, said: stderr };
    }
  }

  const place = () => mkdtempSync(join(folder, "prefix-"));
  const version = (prefix) => execFileSync(join(prefix, "bin/textveil"), ["--version"], { encoding: "utf8" });

  test("installs the program, and a later one in its place", async () => {
    const prefix = place();
    release("1.0.0");
    const first = await install(prefix);
    assert.equal(first.status, 0, first.said);
    assert.equal(first.said, `textveil 1.0.0\nAdd ${prefix}/bin to your PATH.\n`);
    release("1.1.0");
    const second = await install(prefix, { words: [], env: { TEXTVEIL_RELEASE: `${address}/`, PATH: `${process.env.PATH}:${prefix}/bin` } });
    assert.equal(second.said, "textveil 1.1.0\n");
    assert.equal(version(prefix), "textveil 1.1.0\n");
    assert.deepEqual(readdirSync(join(prefix, "lib")), ["textveil"]);
    assert.deepEqual(readdirSync(join(prefix, "lib/textveil")).sort(), ["LICENSE", "dist"]);
  });

  for (const [name, spoil, wanted] of [
    ["an archive that was changed", () => files.set(ARCHIVE, Buffer.from("x")), /has another checksum than SHA256SUMS says; nothing was installed/],
    ["an archive that is cut", () => files.set(ARCHIVE, files.get(ARCHIVE).subarray(0, 100)), /has another checksum/],
    ["checksums without the archive", () => files.set("SHA256SUMS", `${sum("x")}  other-${ARCHIVE}.sig\n`), /SHA256SUMS does not name/],
    ["no checksums", () => files.delete("SHA256SUMS"), /SHA256SUMS could not be downloaded/],
    ["no archive", () => files.delete(ARCHIVE), /tar\.gz could not be downloaded/],
    [
      "an archive without a program",
      () => {
        const made = mkdtempSync(join(folder, "empty-"));
        execFileSync("tar", ["--create", "--gzip", `--file=${join(made, ARCHIVE)}`, "--files-from=/dev/null"]);
        files.set(ARCHIVE, readFileSync(join(made, ARCHIVE)));
        files.set("SHA256SUMS", `${sum(files.get(ARCHIVE))}  ${ARCHIVE}\n`);
      },
      /has no program/,
    ],
  ]) {
    test(`leaves what is there with ${name}`, async () => {
      const prefix = place();
      release("1.0.0");
      await install(prefix);
      release("2.0.0");
      spoil();
      const { status, said } = await install(prefix);
      assert.equal(status, 1);
      assert.match(said, wanted);
      assert.equal(version(prefix), "textveil 1.0.0\n");
      assert.deepEqual(readdirSync(join(prefix, "lib")), ["textveil"]);
    });
  }

  test("says what is missing", async () => {
    const none = await install(place(), { words: [] });
    assert.match(none.said, /the address of a release is missing/);
    const tools = mkdtempSync(join(folder, "tools-"));
    writeFileSync(join(tools, "uname"), '#!/bin/sh\necho Plan9\n', { mode: 0o755 });
    const other = await install(place(), { env: { PATH: `${tools}:${process.env.PATH}` } });
    assert.match(other.said, /there is no program for Plan9-Plan9; `npx textveil` runs on Node/);
  });

  test("does nothing if it arrives in part", () => {
    const script = readFileSync(join(INSTALL, "install.sh"), "utf8");
    const prefix = place();
    for (let lines = 1; lines < script.split("\n").length - 2; lines += 7) {
      spawnSync("sh", ["-s", address], { input: script.split("\n").slice(0, lines).join("\n"), env: { ...process.env, TEXTVEIL_PREFIX: prefix } });
      assert.deepEqual(readdirSync(prefix), [], `${lines} lines`);
    }
  });

  test("installs the real program, which finds its engine", { skip: noProgram }, async () => {
    const prefix = place();
    release("", program);
    assert.equal((await install(prefix)).status, 0);
    const found = spawnSync(join(prefix, "bin/textveil"), ["protect"], { input: "PESEL 44051401359\n", encoding: "utf8", env: { PATH: process.env.PATH, HOME: folder } });
    assert.equal(found.stdout, "PESEL [REDACTED]\n", found.stderr);
  });
});

test("the formula has the address and the checksum of the archive", { skip }, () => {
  release("1.0.0");
  const archive = join(folder, ARCHIVE);
  writeFileSync(archive, files.get(ARCHIVE));
  const formula = execFileSync("sh", [join(INSTALL, "formula.sh"), "v1.0.0", archive, "https://example.org/textveil"], { encoding: "utf8" });
  assert.doesNotMatch(formula, /@\w+@/);
  assert.match(formula, new RegExp(`url "https://example\\.org/textveil/releases/download/v1\\.0\\.0/${ARCHIVE.replaceAll(".", "\\.")}"`));
  assert.match(formula, /version "1\.0\.0"/);
  assert.match(formula, new RegExp(`sha256 "${sum(files.get(ARCHIVE))}"`));
});

test("cargo binstall finds the program in the archive of the release", { skip }, () => {
  const { package: { name, metadata: { binstall } } } = parse(readFileSync(join(ROOT, "host-native/Cargo.toml"), "utf8"));
  const values = { repo: "https://example.org/textveil", version: "1.0.0", name, bin: name, "binary-ext": "", target: "x86_64-unknown-linux-gnu" };
  const filled = (template) => template.replaceAll(/\{ (\S+) \}/g, (_, variable) => values[variable] ?? assert.fail(variable));
  assert.equal(filled(binstall["pkg-url"]), `https://example.org/textveil/releases/download/v1.0.0/${ARCHIVE}`);
  assert.equal(binstall["pkg-fmt"], "tgz");
  const workflow = readFileSync(join(ROOT, ".github/workflows/release.yml"), "utf8");
  const [, members] = workflow.match(/release\/textveil-x86_64-unknown-linux-gnu\.tar\.gz \\\n([^]*?)LICENSE/);
  assert.ok(members.split(/[\s\\]+/).includes(filled(binstall["bin-dir"])));
  // a crate of that name on crates.io, or a build of somebody else, would be another program
  assert.deepEqual(binstall["disabled-strategies"], ["quick-install", "compile"]);
});

test("the release has the script and the formula, and checksums of both", () => {
  const workflow = readFileSync(join(ROOT, ".github/workflows/release.yml"), "utf8");
  const gathered = workflow.indexOf("cp host-native/install/install.sh release/");
  assert.ok(gathered > 0 && workflow.indexOf("formula.sh", gathered) < workflow.indexOf("sha256sum -- *", gathered));
});
