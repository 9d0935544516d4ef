// Names, addresses and organisations: found by default, unless the caller leaves them out.

import assert from "node:assert/strict";
import { text as joined } from "node:stream/consumers";
import { describe, test } from "node:test";
import { project } from "./project.mjs";

const { import: load, run } = project();
const { createProtector, detect, protect, protectFetch, protectFile, protectFormData, protectStream, restore } = await load();

const R = "[REDACTED]";
const LETTER = "Dear Mr. Thompson,\nplease write to 221B Baker Street, London NW1 6XE.\nEmily Carter, Northwind Traders Ltd";
const NAMED = ["name", "address", "organization", "city", "place_of_birth"];

describe("without the names", () => {
  // an instance of its own, since what is loaded stays
  const slim = (program) =>
    run(
      "without.mjs",
      `import { readFileSync } from "node:fs";
      import { detect, init, initNames, initSync, protect, protectStream, TextveilError } from "textveil/slim";
      const bytes = (name) => readFileSync(new URL(import.meta.resolve("textveil/" + name)));
      const types = (text, options) => detect(text, options).entities.map(({ type }) => type).join();
      const why = (call) => { try { return call(); } catch (error) { return error instanceof TextveilError ? [error.code, error.field, error.message].join(" ") : String(error); } };
      ${program}`,
    ).split("\n");

  test("no name is found, and everything else is", () => {
    const said = slim(`
      await init({ wasm: bytes("textveil.wasm"), names: false });
      console.log(types(${JSON.stringify(LETTER)} + ", PESEL 44051401359"));
      console.log(types("PESEL 44051401359", { excludeEntities: ["name"] }));`);
    assert.ok(said[0].includes("pesel"), said[0]);
    assert.deepEqual(said[0].split(",").filter((type) => NAMED.includes(type)), []);
    assert.equal(said[1], "pesel");
  });

  test("a request for names fails instead of finding nothing", () => {
    const said = slim(`
      initSync({ wasm: bytes("textveil.wasm"), names: false });
      for (const type of ${JSON.stringify([...NAMED, "PERSON", "org"])}) {
        const options = { entities: ["pesel", type] };
        for (const verb of [detect, protect, (_, options) => protectStream(options)]) console.log(why(() => verb("x", options)));
      }`);
    assert.equal(said.length, 3 * (NAMED.length + 2));
    for (const line of said) assert.match(line, /^not_loaded entities .*initNames/);
  });

  test("calls are rejected while the names load, and after that failed, until the caller does without", () => {
    const said = slim(`
      const names = Promise.withResolvers?.() ?? (() => { let reject; const promise = new Promise((_, fail) => { reject = fail; }); return { promise, reject }; })();
      const loading = init({ wasm: bytes("textveil.wasm"), names: names.promise });
      // the engine is compiled first
      let said;
      for (let turn = 0; turn < 10_000 && !said?.includes("names are not loaded"); turn += 1) {
        await new Promise((done) => setTimeout(done, 5));
        said = why(() => types("Emily Carter"));
      }
      console.log(said);
      names.reject(new Error("no network"));
      console.log(await loading.then(() => "loaded", ({ code, field, cause }) => [code, field, cause.message].join(" ")));
      console.log(why(() => types("Emily Carter")));
      await init({ wasm: bytes("textveil.wasm"), names: false });
      console.log(types("PESEL 44051401359"));
      await initNames(bytes("names.wasm"));
      console.log(types("My name is Emily Carter"));`);
    assert.match(said[0], /^not_loaded  names are not loaded/);
    assert.equal(said[1], "not_loaded names no network");
    assert.match(said[2], /^not_loaded  names are not loaded/);
    assert.deepEqual(said.slice(3), ["pesel", "name"]);
  });

  test("the readers of documents are loaded when they are needed, from where the caller says", () => {
    const csv = 'const csv = () => joined(ReadableStream.from(["pesel\\n44051401359\\n"]).pipeThrough(protectStream({ format: "csv" })));';
    const said = slim(`
      import { text as joined } from "node:stream/consumers";
      ${csv}
      initSync({ wasm: bytes("textveil.wasm"), names: false });
      console.log(why(() => protectStream({ format: "csv" })));
      let asked = 0;
      initSync({ wasm: bytes("textveil.wasm"), names: false, documents: () => { asked += 1; return asked === 1 ? Promise.reject(new Error("no network")) : bytes("documents.wasm"); } });
      console.log(asked, await csv().catch(({ cause }) => cause.message), JSON.stringify(await csv()), JSON.stringify(await csv()), asked);
      await init({ wasm: bytes("textveil.wasm"), names: false, documents: bytes("documents.wasm") });`);
    const out = JSON.stringify("pesel\n[REDACTED]\n");
    assert.match(said[0], /^not_loaded {2}the readers of documents are not there; give `documents`/);
    assert.equal(said[1], `0 no network ${out} ${out} 2`);
  });

  test("leaving them out is said, not forgotten", () => {
    const said = slim(`
      console.log(await init({ wasm: bytes("textveil.wasm") }).catch(({ field }) => field));
      console.log(await init({ names: false }).catch(({ field }) => field));
      console.log(await init("textveil.wasm").catch(({ field }) => field));
      console.log(why(() => initSync(bytes("textveil.wasm"))));`);
    assert.deepEqual(said.slice(0, 3), ["names", "wasm", "options"]);
    assert.match(said[3], /^invalid_request options/);
  });
});

describe("by default", () => {
  test("names are found, and what they tell", () => {
    const { entities } = detect(LETTER);
    assert.deepEqual(entities.map(({ type, original }) => [type, original]), [
      ["name", "Thompson"],
      ["address", "221B Baker Street, London NW1 6XE"],
      ["name", "Emily Carter"],
      ["organization", "Northwind Traders Ltd"],
    ]);
    for (const { start, end, original } of entities) assert.equal(LETTER.slice(start, end), original);
    const [thompson, address, emily] = entities.map(({ metadata }) => metadata);
    assert.deepEqual([thompson.title, thompson.familyName, thompson.probableGender], ["Mr", "Thompson", "male"]);
    assert.deepEqual([emily.givenName, emily.familyName, emily.probableGender], ["Emily", "Carter", "female"]);
    assert.match(emily.probableCountry, /^[A-Z]{2}$/);
    const { houseNumber, street, city, postalCode } = address;
    assert.deepEqual([houseNumber, street, city, postalCode], ["221B", "Baker Street", "London", "NW1 6XE"]);
  });

  test("they can be asked for alone, and left out", () => {
    const types = (options) => detect(LETTER, options).entities.map(({ type }) => type);
    assert.deepEqual(types({ entities: ["PERSON"] }), ["name", "name"]);
    assert.deepEqual(types({ excludeEntities: ["name", "organization"] }), ["address"]);
  });

  test("offsets count UTF-16 units after an emoji, too", () => {
    const text = "👩‍👧 My name is Zoë Müller.";
    const [{ start, end, original }] = detect(text).entities;
    assert.deepEqual([original, text.slice(start, end)], ["Zoë Müller", "Zoë Müller"]);
  });

  test("they are protected and restored", () => {
    assert.equal(protect("My name is Oliver Bennett.").protectedText, `My name is ${R}.`);
    const protector = createProtector({ session: true, mode: "hash" });
    for (const mode of ["hash", "tokenize"]) {
      const { protectedText } = protector.protect(LETTER, { mode });
      assert.doesNotMatch(protectedText, /Thompson|Baker|Carter|Northwind/);
      assert.equal(protector.restore(protectedText).text, LETTER);
    }
    assert.equal(restore(protect(LETTER, { mode: "tokenize" }).protectedText).text, LETTER);
  });

  for (const [name, content, wanted] of [
    ["a.txt", "Kind regards,\nEmily Carter\n", `Kind regards,\n${R}\n`],
    ["a.csv", "name,n\nEmily Carter,1\n", `name,n\n${R},1\n`],
    ["a.json", '{"name":"Emily Carter","n":1}', `{"name":"${R}","n":1}`],
    ["a.ndjson", '{"name":"Emily Carter"}\n', `{"name":"${R}"}\n`],
    ["a.html", "<p>My name is <b>Emily Carter</b>.", `<p>My name is <b>${R}</b>.`],
  ]) {
    test(`in documents: ${name}`, async () => {
      const { file, found } = await protectFile(new File([content], name));
      assert.equal(await file.text(), wanted);
      assert.deepEqual(found, { name: 1 });
    });
  }

  test("in forms and requests", async () => {
    const form = new FormData();
    form.append("name", "Emily Carter");
    assert.equal((await protectFormData(form)).get("name"), R);
    const sent = [];
    const send = protectFetch({ fetch: async (_, { body }) => sent.push(body) });
    await send("https://example.com/", { method: "POST", body: '{"name":"Emily Carter"}' });
    assert.deepEqual(sent, [`{"name":"${R}"}`]);
  });

  test("in streams, however they are cut", async () => {
    const text = `${LETTER}\n\n`.repeat(60);
    const whole = await joined(ReadableStream.from([text]).pipeThrough(protectStream()));
    assert.doesNotMatch(whole, /Thompson|Baker|Carter|Northwind/);
    for (const size of [1, 7, 1000]) {
      const pieces = Array.from({ length: Math.ceil(text.length / size) }, (_, at) => text.slice(at * size, (at + 1) * size));
      assert.equal(await joined(ReadableStream.from(pieces).pipeThrough(protectStream())), whole, `pieces of ${size}`);
    }
    const { protectTransform } = await load("textveil/node");
    const transform = protectTransform();
    transform.end(text);
    assert.equal(await joined(transform), whole);
  });
});

describe("names are found at once in", () => {
  const TEXT = '"My name is Oliver Bennett."';
  const PRINT = `console.log(detect(${TEXT}).entities.map(({ type, start, end }) => [type, start, end]).join());`;
  const FOUND = "name,11,25";

  test("Node, as an ES module and as CommonJS", () => {
    assert.equal(run("names.mjs", `import { detect, init, initNames } from "textveil"; await init(); await initNames(); ${PRINT}`), FOUND);
    assert.equal(run("names.cjs", `const { detect } = require("textveil"); ${PRINT}`), FOUND);
  });

  test("slim, from the caller's bytes", () => {
    const source = `
      import { readFileSync } from "node:fs";
      import { detect, init, initSync } from "textveil/slim";
      const bytes = (name) => readFileSync(new URL(import.meta.resolve("textveil/" + name)));
      const modules = { wasm: bytes("textveil.wasm"), names: bytes("names.wasm") };`;
    assert.equal(run("slim.mjs", `${source} await Promise.all([init(modules), init(modules)]); ${PRINT}`), FOUND);
    assert.equal(run("slim.mjs", `${source} initSync(modules); ${PRINT}`), FOUND);
  });
});
