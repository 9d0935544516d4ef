// Options are compiled once for many calls. The glue counts the compiled options (`counting.mjs`).

import assert from "node:assert/strict";
import { beforeEach, describe, test } from "node:test";
import { alive, made } from "./counting.mjs";
import { project } from "./project.mjs";

const { import: load, run } = project();
const { createProtector, detectBatch, find, openProtector, protect, protectFile, protectFormData, protectStream, TextveilError } = await load();
const { protectLogs } = await load("textveil/pino");

const TEXT = "Emily Carter, jan.novak@example.cz";
/** Lists that no other test has: each is compiled for this call of `lists` first. */
let salt = 0;
const lists = (entries = 500) => {
  const own = (salt += 1);
  return { allowList: Array.from({ length: entries }, (_, at) => ({ value: `entry ${at} of ${own}` })), denyList: [{ value: "Nightfall" }] };
};
const joined = async (stream) => {
  let text = "";
  for await (const piece of stream) text += piece;
  return text;
};

let before = 0;
beforeEach(() => (before = made.Options ?? 0));
/** The number of compiled options since the test began. */
const compiled = () => (made.Options ?? 0) - before;

describe("are compiled once", () => {
  const form = () => {
    const given = new FormData();
    given.append("mail", "jan.novak@example.cz");
    return given;
  };
  const verbs = {
    detect: (protector) => protector.detect(TEXT).entities.length,
    find: (protector) => protector.find(TEXT).length,
    protect: (protector) => protector.protect(TEXT).entities.length,
    apply: (protector) => protector.apply(TEXT, [{ type: "name", start: 0, end: 12 }]).entities.length,
    callbacks: (protector) => protector.protect(TEXT, { replace: () => "x", keep: () => false }).entities.length,
    stream: (protector) => joined(new Blob([TEXT]).stream().pipeThrough(protector.stream())),
    table: async (protector) => (await protector.file(new File(["name,mail\nEmily Carter,jan.novak@example.cz\n"], "a.csv"))).found,
    form: async (protector) => (await protector.formData(form())).get("mail"),
    value: (protector) => protector.value({ name: "Emily Carter" }),
    fetch: (protector) => protector.fetch({ fetch: async (_, { body }) => new Response(body) })("https://example.com/", { method: "POST", body: form() }),
  };

  for (const [mode, open] of [["placeholder", async (options) => createProtector(options)], ["mask", openProtector]]) {
    test(`by a protector with 500 allow entries, for every verb, in the mode ${mode}`, async () => {
      const protector = await open({ ...lists(), mode });
      assert.equal(compiled(), 1);
      for (const [name, verb] of Object.entries(verbs)) {
        for (let calls = 0; calls < 3; calls += 1) await verb(protector);
        assert.equal(compiled(), 1, name);
      }
    });
  }

  test("by protectors with the same options, as each conversation has one", () => {
    const options = lists();
    for (let users = 0; users < 5; users += 1) createProtector({ ...options, mode: "placeholder" }).protect(TEXT);
    assert.equal(compiled(), 1);
  });

  for (const [name, call] of Object.entries({
    find: (options) => find(TEXT, options),
    detectBatch: (options) => detectBatch([TEXT, TEXT], options),
    protect: (options) => protect(TEXT, options),
    protectStream: (options) => joined(new Blob([TEXT]).stream().pipeThrough(protectStream(options))),
    protectFile: (options) => protectFile(new File(["name\nEmily Carter\n"], "a.csv"), options),
    protectFormData: (options) => protectFormData(form(), options),
  })) {
    test(`by ${name}, though its options are another object in each call`, async () => {
      const options = lists();
      for (let calls = 0; calls < 3; calls += 1) await call(structuredClone(options));
      assert.equal(compiled(), 1);
    });
  }

  test("by a logger", () => {
    const { hooks } = protectLogs(lists());
    const line = () => hooks.streamWrite('{"msg":"Emily Carter","mail":"jan.novak@example.cz"}\n');
    assert.ok(!line().includes("jan.novak"));
    line();
    assert.equal(compiled(), 1);
  });
});

describe("are compiled again", () => {
  test("where their object was changed", () => {
    const options = { denyList: [{ value: `Nightfall ${(salt += 1)}` }] };
    const text = `${options.denyList[0].value}, Daybreak ${salt}`;
    assert.deepEqual(find(text, options).map(({ original }) => original), [`Nightfall ${salt}`]);
    options.denyList[0].value = `Daybreak ${salt}`;
    assert.deepEqual(find(text, options).map(({ original }) => original), [`Daybreak ${salt}`]);
    assert.equal(compiled(), 2);
  });

  test("for a call with options of its own, once", () => {
    const protector = createProtector(lists());
    for (let calls = 0; calls < 3; calls += 1) assert.equal(protector.protect("Nightfall", { mode: "mask" }).protectedText, "*********");
    assert.equal(compiled(), 2);
    for (let calls = 0; calls < 3; calls += 1) assert.deepEqual(protector.find(TEXT, { entities: ["email"] }).map(({ type }) => type), ["email"]);
    assert.equal(compiled(), 3);
  });

  test("after many others, which are freed", () => {
    const options = { ...lists(), mode: "mask" };
    const protector = createProtector(options);
    const all = alive.size;
    for (let others = 0; others < 100; others += 1) protect(TEXT, { allowList: [{ value: `other ${others}` }] });
    assert.equal(compiled(), 101);
    assert.ok(alive.size - all <= 32, `${alive.size - all} are not freed`);
    assert.equal(protector.protect("Nightfall").protectedText, "*********");
    assert.equal(compiled(), 102);
  });
});

test("options of detection stay apart from those of protection", () => {
  const options = { mode: "mask" };
  protect(TEXT, options);
  assert.throws(() => find(TEXT, options), ({ field }) => field === "mode");
});

test("faulty options are an error in every call, and when a protector is made", () => {
  for (const [options, field] of [
    [{ entities: ["emial"] }, "entities[0]"],
    [{ customDetectors: [{ name: "own", pattern: "(" }] }, "customDetectors[0].pattern"],
    [{ allowlist: [] }, "allowlist"],
  ]) {
    const named = (error) => error instanceof TextveilError && error.field === field;
    for (let calls = 0; calls < 2; calls += 1) assert.throws(() => find(TEXT, options), named);
    assert.throws(() => createProtector(options), named);
  }
});

test("a key that is faulty is named, also where the WebAssembly is loaded after it was given", () => {
  const source = `
    import { readFileSync } from "node:fs";
    import { createProtector, initSync } from "textveil/slim";
    const protector = createProtector({ key: "00" });
    initSync({ wasm: readFileSync(new URL(import.meta.resolve("textveil/textveil.wasm"))), names: false });
    try { protector.protect("x"); } catch ({ code, field }) { console.log(code, field); }`;
  assert.equal(run("late-key.mjs", source), "invalid_request key");
});
