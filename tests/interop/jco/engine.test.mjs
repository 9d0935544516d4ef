// The engine component in Node, through jco; and the imports of the components that answer HTTP.

import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { mkdtemp, mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath, pathToFileURL } from "node:url";

import { generateHostTypes, transpile } from "@bytecodealliance/jco-transpile";
import { componentWit } from "@bytecodealliance/jco-transpile/wasm-tools";
import { _addPreopen as allowReading } from "@bytecodealliance/preview2-shim/filesystem";

const COMPONENT = fileURLToPath(new URL("../../../dist/textveil-engine.wasm", import.meta.url));
const TEXT = "Žofie 🦀: PESEL 44051401359, zofie@example.cz";
const KEYS = [{ version: 1, secret: new Uint8Array(32).fill(7) }];

/** Every option, as it is when nothing is asked for. */
const OPTIONS = {
  entities: [],
  excludeEntities: [],
  allowList: [],
  denyList: [],
  hints: [],
  cells: [],
  customDetectors: [],
  explain: false,
};
const CUSTOM = { shapes: [], labels: [], labelled: [], parts: [], check: [], context: [] };
const PROTECT = { mode: "replace", operators: [], policies: [] };

let folder, engine, imports, files;

before(async () => {
  folder = await mkdtemp(join(tmpdir(), "textveil-jco-"));
  const output = await transpile(COMPONENT, { name: "engine" });
  ({ files, imports } = output);
  for (const [name, content] of Object.entries(files)) {
    const path = join(folder, name);
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, content);
  }
  await writeFile(join(folder, "package.json"), '{"type": "module"}');
  engine = await import(pathToFileURL(join(folder, "engine.js")));
});

after(() => rm(folder, { recursive: true, force: true }));

/** The engine's error that a call throws: jco throws it as it is. */
function refusal(call) {
  try {
    call();
  } catch (error) {
    return error;
  }
  assert.fail("nothing was thrown");
}

test("it imports nothing", () => {
  assert.deepEqual(imports, []);
});

for (const name of ["stateless", "middleware"]) {
  const path = fileURLToPath(new URL(`../../../dist/${name}.wasm`, import.meta.url));
  test(`${name}.wasm imports WASI, and Spin's variables`, { skip: existsSync(path) ? false : `dist/${name}.wasm is absent` }, async () => {
    const wit = await componentWit(await readFile(path));
    const packages = [...wit.matchAll(/^ +import ([\w-]+:[\w-]+)\//gm)].map(([, found]) => found);
    assert.deepEqual([...new Set(packages)].filter((found) => !found.startsWith("wasi:")), ["spin:variables"]);
    assert.match(wit, /^ +export wasi:http\/handler@0\.3\.0;$/m);
  });
}

test("the documentation reaches the types", async () => {
  const wit = fileURLToPath(new URL("../../../wit", import.meta.url));
  // jco reads wit/ from inside a component of its own, which sees no files but those it is given
  allowReading("/", "/");
  const types = Object.values(await generateHostTypes(wit, { name: "engine", worldName: "engine" }));
  const text = types.map((content) => Buffer.from(content).toString()).join("\n");
  assert.match(text, /\* Finds personal data in a text of 1 to 50,000 code points\./);
  assert.match(text, /\* The default \(0\.60\)\./);
  assert.match(text, /privacyPreset\?: Preset/);
});

test("a custom detector with a check", () => {
  const badge = {
    ...CUSTOM,
    name: "badge",
    shapes: ["d4-d4"],
    check: [{ tag: "all", val: [1, 2] }, { tag: "luhn", val: "" }, { tag: "part", val: { from: 0, to: 4, check: 3 } }, { tag: "none" }],
  };
  const find = (text, detector) =>
    engine.detection.detect(text, { ...OPTIONS, entities: ["badge"], customDetectors: [detector] }).entities.length;
  assert.equal(find("badge 7992-7398", { ...badge, check: [] }), 1);
  assert.equal(find("badge 1234-5674", badge), 1);
  assert.equal(find("badge 1234-5675", badge), 0);
  for (const check of [[{ tag: "all", val: [0] }], [{ tag: "any", val: [1, 1] }, { tag: "none" }], [{ tag: "all", val: [9] }]]) {
    assert.equal(refusal(() => find("a", { ...badge, check })).val.field, "custom_detectors[0].check");
  }
});

test("a custom detector with labels and parts", () => {
  const part = { at: 0, len: 1, length: 0, not: [], chars: "", oneOf: [], noneOf: [], within: [] };
  const locker = {
    ...CUSTOM,
    name: "locker",
    labels: ["locker number"],
    labelled: ["d4"],
    parts: [{ ...part, len: 2, min: 1, max: 12 }, { ...part, at: -1, chars: "2468" }],
  };
  const find = (text, detector) => {
    const { entities } = engine.detection.detect(text, { ...OPTIONS, entities: ["locker"], customDetectors: [detector] });
    return entities.map(({ original }) => original);
  };
  assert.deepEqual(find("room 0312, locker number: 0482", locker), ["0482"]);
  assert.deepEqual(find("locker number: 1482", locker), []);
  assert.deepEqual(find("locker number: 0481", locker), []);
  const { field } = refusal(() => find("a", { ...locker, parts: [part] })).val;
  assert.equal(field, "custom_detectors[0].parts[0]");
});

test("detect", () => {
  const found = engine.detection.detect(TEXT, { ...OPTIONS, offsetUnit: "utf16" });
  assert.equal(found.preset, "balanced");
  assert.ok(found.countries.some(({ code }) => code === "PL"));
  const [pesel, email] = found.entities;
  assert.deepEqual([pesel.type, email.type], ["pesel", "email"]);
  assert.equal(pesel.country, "PL");
  assert.equal(pesel.validated, true);
  assert.equal(TEXT.slice(pesel.span.start, pesel.span.end), "44051401359");
  assert.deepEqual(new Map(pesel.metadata).get("birth_date"), { tag: "text", val: "1944-05-14" });
  assert.deepEqual(new Map(pesel.metadata).get("checksum_valid"), { tag: "flag", val: true });
  assert.equal(email.country, undefined);
});

test("detect without options", () => {
  const [pesel] = engine.detection.detect(TEXT, undefined).entities;
  assert.equal([...TEXT].slice(pesel.span.start, pesel.span.end).join(""), "44051401359");
  assert.deepEqual(pesel.evidence, []);
});

test("detect with every kind of option", () => {
  const { entities } = engine.detection.detect(`${TEXT}, EMP-1234, Projekt X`, {
    ...OPTIONS,
    country: "pl",
    language: "pl",
    privacyPreset: "aggressive",
    minConfidence: 0.1,
    excludeEntities: ["pesel"],
    allowList: [{ tag: "domain", val: "example.cz" }],
    denyList: [{ value: "projekt x", type: "secret" }],
    customDetectors: [{ ...CUSTOM, name: "employee", pattern: "EMP-[0-9]{4}", category: "business" }],
    explain: true,
  });
  assert.deepEqual(entities.map(({ type }) => type), ["name", "employee", "secret"]);
  assert.ok(entities[0].evidence.length > 0);
});

test("a batch keeps its order", () => {
  const results = engine.detection.detectBatch(["nothing here", TEXT], undefined);
  assert.deepEqual(results.map(({ entities }) => entities.length), [0, 2]);
});

test("detectors", () => {
  const polish = engine.detection.detectors("PL");
  assert.ok(polish.some(({ entityType, region }) => entityType === "pesel" && region === "PL"));
  assert.ok(engine.detection.detectors(undefined).length > polish.length);
  assert.deepEqual(engine.detection.detectors("XX"), []);
});

test("validate", () => {
  const { validate } = engine.validation;
  const right = validate("44051401359", "pesel", undefined);
  assert.equal(right.valid, true);
  assert.deepEqual(new Map(right.metadata).get("gender"), { tag: "text", val: "male" });
  const wrong = validate("44051401358", "PESEL", "PL");
  assert.equal(wrong.valid, false);
  assert.equal(wrong.entityType, "pesel");
  assert.deepEqual(new Map(wrong.metadata).get("reason"), { tag: "text", val: "checksum" });
});

test("protect", () => {
  const { protect } = engine.protection;
  assert.equal(protect(TEXT, undefined, undefined, []).text, "Žofie 🦀: PESEL [REDACTED], [REDACTED]");
  const operators = [["pesel", { mode: "mask", maskChar: "#", keepFirst: 0, keepLast: 4 }]];
  const masked = protect(TEXT, undefined, { ...PROTECT, operators }, []);
  assert.equal(masked.text, "Žofie 🦀: PESEL #######1359, [REDACTED]");
  assert.equal(masked.entities[0].replacement, "#######1359");
});

test("tokens are restored to their values", () => {
  const { protect, restore } = engine.protection;
  const { text } = protect(TEXT, undefined, { ...PROTECT, mode: "tokenize" }, KEYS);
  assert.match(text, /^Žofie 🦀: PESEL tok_pl_pesel_[a-z0-9]+, tok_xx_email_[a-z0-9]+$/);
  assert.deepEqual(restore(text, KEYS), { text: TEXT, restored: 2, unknown: 0 });
});

test("policies decide", () => {
  const policies = [
    { name: "mails", priority: 1n, action: "allow", conditions: [{ entityTypes: ["email"], excludeEntityTypes: [] }], isDefault: false },
    { name: "rest", priority: 0n, action: "redact", conditions: [], isDefault: true },
  ];
  const options = { ...PROTECT, mode: "policy", policies };
  const { text, entities } = engine.protection.protect(TEXT, undefined, options, []);
  assert.equal(text, "Žofie 🦀: PESEL [REDACTED], zofie@example.cz");
  assert.deepEqual(entities.map(({ policy, action }) => [policy, action]), [["rest", "redact"], ["mails", "allow"]]);
  policies[1].action = "block";
  const blocked = refusal(() => engine.protection.protect(TEXT, undefined, options, []));
  assert.deepEqual(blocked, { tag: "policy-violation", val: [["pesel", 1]] });
});

test("a stream gives the same text however it is cut", () => {
  const { TextStream } = engine.streaming;
  const text = `${TEXT}\n`.repeat(50);
  const expected = "Žofie 🦀: PESEL [REDACTED], [REDACTED]\n".repeat(50);
  for (const size of [7, 1000, text.length]) {
    const stream = TextStream.open(undefined, undefined, []);
    let out = "";
    const letters = [...text];
    for (let at = 0; at < letters.length; at += size) {
      out += stream.push(letters.slice(at, at + size).join(""));
    }
    assert.equal(out + stream.finish(), expected, `in pieces of ${size}`);
    stream[Symbol.dispose]?.();
  }
});

test("a refusal names the field", () => {
  const { detect } = engine.detection;
  for (const [field, call] of [
    ["text", () => detect("", undefined)],
    ["min_confidence", () => detect("a", { ...OPTIONS, minConfidence: 2 })],
    ["entity_type", () => engine.validation.validate("1", "no_such_type", undefined)],
    ["key", () => engine.protection.protect(TEXT, undefined, { ...PROTECT, mode: "hash" }, [])],
    ["key", () => engine.protection.restore("tok_xx_email_abc", [])],
    ["key", () => engine.streaming.TextStream.open(undefined, { ...PROTECT, mode: "tokenize" }, [])],
  ]) {
    const { tag, val } = refusal(call);
    assert.equal(tag, "invalid-request");
    assert.equal(val.field, field);
    assert.ok(val.message.startsWith(field), val.message);
  }
});
