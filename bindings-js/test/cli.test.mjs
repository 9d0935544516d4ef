// The program of the package, as npm installs it: its output and its exit status, which are those of the native program.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, beforeEach, describe, test } from "node:test";
import { PROGRAM, project, ROOT } from "./project.mjs";

const { folder: user, manifest } = project();
const OWN = join(user, "node_modules/.bin/textveil");
const { TEXTVEIL_KEY_FILE: _ofTheUser, ...given } = process.env;
const env = { ...given, TEXTVEIL_COMPONENT: join(ROOT, "dist/textveil-engine.wasm"), NO_COLOR: "1" };

const KEY = "1:101112131415161718191a1b1c1d1e1f\n0:000102030405060708090a0b0c0d0e0f\n";
const TEXT = "PESEL 44051401359\n🙂 mail jan.novak@example.cz, Emily Carter\nIBAN DE89 3704 0044 0532 0130 00\n";
const FILES = {
  "a.txt": TEXT,
  "none.txt": "nothing here\n",
  "b.csv": "pesel;note\r\n44051401359;x\r\n",
  "c.json": '{"pesel": 44051401359, "Emily Carter": [1.50]}\n',
  "d.html": "<p title='jan.novak@example.cz'>PESEL 440514<b>01359</b></p>\n",
  "options.json": JSON.stringify({ min_confidence: 0.2, operators: { email: { mode: "mask", keep_last: 3 } }, deny_list: [{ value: "here", type: "place" }] }),
  "policies.json": JSON.stringify([{ name: "mail", action: "ALLOW", conditions: [{ entity_types: ["email"] }] }]),
  dump: "-- people\nINSERT INTO t (id, pesel) VALUES (1, 44051401359);\n",
  "broken.json": "{ jan.novak@example.cz",
  "keys.txt": KEY,
};

const all = mkdtempSync(join(tmpdir(), "textveil-cli-"));
after(() => rmSync(all, { recursive: true, force: true }));

/** A new folder with the files. */
function place() {
  const made = mkdtempSync(join(all, "in-"));
  for (const [name, content] of Object.entries(FILES)) writeFileSync(join(made, name), content);
  mkdirSync(join(made, "folder/inner"), { recursive: true });
  mkdirSync(join(made, "folder/.git"));
  for (const [name, content] of [["b.txt", TEXT], ["inner/a.csv", FILES["b.csv"]], [".git/x.txt", TEXT], ["photo.bin", "\0\0jan.novak@example.cz"], ["scan.pdf", "%PDF-1.4\n"]]) writeFileSync(join(made, "folder", name), content);
  chmodSync(join(made, "keys.txt"), 0o600);
  return made;
}

function run(program, cwd, words, input = "") {
  const { status, stdout, stderr } = spawnSync(program, words, { cwd, env, input, encoding: "utf8" });
  return { status, stdout: stdout.replaceAll(/"processing_time_ms":[\d.]+/g, '"processing_time_ms":0'), stderr };
}

/** Every file below a folder, with its content. */
const filesIn = (path) =>
  Object.fromEntries(
    readdirSync(path, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath ?? entry.path, entry.name))
      .sort()
      .map((file) => [file.slice(path.length + 1), readFileSync(file, "utf8")]),
  );

/** Calls of the program: words, and the standard input. */
const CALLS = [
  ["detect a.txt"],
  ["detect", TEXT],
  ["detect -", "x\r\nPESEL 44051401359"],
  ["detect a.txt none.txt"],
  ["detect --check a.txt"],
  ["detect --check none.txt"],
  ["detect --explain a.txt"],
  ["detect --json a.txt"],
  ["detect --json --offset-unit utf16", TEXT],
  ["detect --json --explain none.txt"],
  ["detect --entities pesel,email --exclude-entities email a.txt"],
  ["detect --preset conservative --country PL a.txt"],
  ["detect --min-confidence 0.999 a.txt"],
  ["detect --allow jan.novak@example.cz --deny carter --deny place=IBAN --custom-detector what=PESEL.4 a.txt"],
  ["detect --allow-domain example.cz --allow-regex [0-9]+ a.txt"],
  ["detect --options options.json none.txt"],
  ["protect a.txt"],
  ["protect", TEXT],
  ["protect --check a.txt"],
  ["protect --check none.txt"],
  ["protect --mode mask --operator email=replace,new_value=MAIL --operator iban=mask,keep_last=4,mask_char=# a.txt"],
  ["protect --mode policy --policies policies.json --default-action REDACT a.txt"],
  ["protect --options options.json a.txt"],
  ["protect --mode hash --key-file keys.txt a.txt"],
  ["protect --mode tokenize --key-file keys.txt a.txt"],
  ["protect dump"],
  ["protect --format text dump"],
  ["protect", "CREATE TABLE t (pesel bigint);\nINSERT INTO t VALUES (44051401359);\n"],
  ["protect b.csv"],
  ["protect c.json"],
  ["protect d.html"],
  ["protect --format csv", "mail,n\njan.novak@example.cz,1\n"],
  ["protect --encoding windows-1250", "PESEL 44051401359"],
  ["protect -o out.txt a.txt"],
  ["protect -o out folder a.txt"],
  ["protect -o out --allow-skipped folder"],
  ["protect folder/scan.pdf"],
  ["detect folder/scan.pdf"],
  ["protect --output out/ b.csv"],
  ["protect --in-place a.txt none.txt b.csv"],
  ["protect a.txt b.csv"],
  ["protect -i"],
  ["protect -o a.txt folder"],
  ["protect -o out a.txt folder/../a.txt"],
  ["protect --mode hash a.txt"],
  ["protect missing.txt"],
  ["detect missing.txt a.txt gone/"],
  ["protect -o out -q folder"],
  ["protect --policies none.json a.txt"],
  ["restore --key-file keys.txt none.txt"],
  ["restore a.txt"],
  ["restore --key-file missing.txt a.txt"],
  ["validate pesel 44051401359"],
  ["validate pesel 44051401358"],
  ["validate pesel -", "44051401359\nmore"],
  ["validate --json --country PL pesel 44051401359"],
  ["validate --json iban x"],
  ["detectors --country PL"],
  ["detectors --json --country CZ"],
  ["detectors"],
  ["--version"],
];

describe("does as the native program:", () => {
  for (const [words, input] of CALLS) {
    test(`textveil ${words}`, () => {
      assert.ok(existsSync(PROGRAM), `${PROGRAM} is absent; run \`cargo xtask build\` first`);
      const [own, native] = [OWN, PROGRAM].map((program) => {
        const cwd = place();
        return { ...run(program, cwd, words.split(" "), input), files: filesIn(cwd) };
      });
      assert.deepEqual(own, native);
    });
  }

  test("tokens of one are restored by the other", () => {
    const cwd = place();
    for (const [protects, restores] of [[OWN, PROGRAM], [PROGRAM, OWN]]) {
      const { stdout } = run(protects, cwd, ["protect", "--mode", "tokenize", "--key-file", "keys.txt", "a.txt"]);
      assert.match(stdout, /tok_pl_pesel_/);
      assert.deepEqual(run(restores, cwd, ["restore", "--key-file", "keys.txt"], `${stdout}https://example.org/?q=${stdout}tok_xx_email_abcdef`), run(PROGRAM, cwd, ["restore", "--key-file", "keys.txt"], `${stdout}https://example.org/?q=${stdout}tok_xx_email_abcdef`));
    }
  });
});

describe("textveil", () => {
  let cwd;
  beforeEach(() => {
    cwd = place();
  });

  test("finds, protects and restores", () => {
    const found = run(OWN, cwd, ["detect", "a.txt"]).stdout.replace(/(?<=name - )\d\.\d\d/, "N");
    assert.equal(found, "a.txt:1:7: pesel PL 1.00 44051401359\na.txt:2:8: email - 1.00 jan.novak@example.cz\na.txt:2:30: name - N Emily Carter\na.txt:3:6: iban DE 1.00 DE89 3704 0044 0532 0130 00\n");
    const { stdout, status } = run(OWN, cwd, ["protect", "--mode", "tokenize", "--key-file", "keys.txt"], TEXT);
    assert.equal(status, 0);
    assert.doesNotMatch(stdout, /jan\.novak|44051401359/);
    assert.equal(run(OWN, cwd, ["restore", "--key-file", "keys.txt"], stdout).stdout, TEXT);
  });

  test("reads a stream of any length in constant memory", () => {
    const line = "2024-03-12 request of a@example.cz is done\n";
    const { stdout } = run(OWN, cwd, ["protect"], line.repeat(20_000));
    assert.equal(stdout, line.replace("a@example.cz", "[REDACTED]").repeat(20_000));
  });

  test("says what it does, and what it does not", () => {
    assert.match(run(OWN, cwd, []).stdout, /^Finds personal data[^]*Usage: textveil <COMMAND>/);
    assert.equal(run(OWN, cwd, []).status, 2);
    for (const verb of ["detect", "protect", "restore", "validate", "detectors"]) {
      const { status, stdout } = run(OWN, cwd, [verb, "--help"]);
      assert.equal(status, 0);
      assert.ok(stdout.includes(`Usage: textveil ${verb}`), stdout);
    }
    assert.match(run(OWN, cwd, ["serve"]).stderr, /^error: serve is not a command here; there are detect, protect/);
    assert.match(run(OWN, cwd, ["detect", "b.csv"]).stderr, /the places of findings in csv need the native program/);
    assert.match(run(OWN, cwd, ["restore", "--key-file", "keys.txt", "b.csv"]).stderr, /restoring csv needs the native program/);
    assert.match(run(OWN, cwd, ["detect", "--presets", "x"]).stderr, /^error: Unknown option '--presets'/);
    assert.equal(run(OWN, cwd, ["--version"]).stdout, `textveil ${manifest.version}\n`);
  });

  test("tells nothing of a text in an error, and leaves files that fail", () => {
    writeFileSync(join(cwd, "old.txt"), Buffer.from([0x4e, 0xe1, 0x40, 0x65]));
    for (const words of [["protect", "-i", "old.txt", "a.txt"], ["protect", "--policies", "broken.json", "a.txt"], ["protect", "-o", "x", "broken.json"]]) {
      const { status, stderr } = run(OWN, cwd, words);
      assert.equal(status, 2);
      assert.ok(stderr !== "" && !stderr.includes("jan.novak"), stderr);
    }
    assert.deepEqual(readFileSync(join(cwd, "old.txt")), Buffer.from([0x4e, 0xe1, 0x40, 0x65]));
    assert.doesNotMatch(readFileSync(join(cwd, "a.txt"), "utf8"), /jan\.novak/);
    assert.deepEqual(readdirSync(cwd).filter((name) => name.startsWith(".textveil")), []);
  });

  test("does not use keys that others may read", () => {
    chmodSync(join(cwd, "keys.txt"), 0o644);
    assert.match(run(OWN, cwd, ["protect", "--mode", "hash", "--key-file", "keys.txt", "a.txt"]).stderr, /others may read the key file keys\.txt; say `chmod 600 keys\.txt`/);
  });
});
