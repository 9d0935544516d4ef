// Names, addresses and organisations, through `textveil/names` of the installed package.

import assert from "node:assert/strict";
import { text as joined } from "node:stream/consumers";
import { before, describe, test } from "node:test";
import { project } from "./project.mjs";

const { import: load, run } = project();
const { createProtector, detect, protect, protectFetch, protectFile, protectFormData, protectStream, restore, TextveilError } = await load();

const R = "[REDACTED]";
const LETTER = "Dear Mr. Thompson,\nplease write to 221B Baker Street, London NW1 6XE.\nEmily Carter, Northwind Traders Ltd";
const NAMED = ["name", "address", "organization", "city", "place_of_birth"];

// the order counts: what is loaded stays
describe("before `textveil/names` is loaded", () => {
  test("no name is found, and everything else is", () => {
    const types = detect(`${LETTER}, PESEL 44051401359`).entities.map(({ type }) => type);
    assert.ok(types.includes("pesel"), types.join());
    assert.deepEqual(types.filter((type) => NAMED.includes(type)), []);
  });

  test("who asks for names is told, and not that there are none", () => {
    for (const type of [...NAMED, "PERSON", "org"]) {
      const options = { entities: ["pesel", type] };
      for (const call of [() => detect("x", options), () => protect("x", options), () => protectStream(options)]) {
        assert.throws(call, (error) => {
          assert.ok(error instanceof TextveilError);
          assert.deepEqual([error.code, error.field], ["not_loaded", "entities"], type);
          assert.match(error.message, /textveil\/names/);
          return true;
        });
      }
    }
    assert.equal(detect("PESEL 44051401359", { exclude_entities: ["name"] }).entities.length, 1);
  });
});

describe("once `textveil/names` is loaded", () => {
  before(() => load("textveil/names"));

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
    assert.deepEqual([thompson.title, thompson.family_name, thompson.probable_gender], ["Mr", "Thompson", "male"]);
    assert.deepEqual([emily.given_name, emily.family_name, emily.probable_gender], ["Emily", "Carter", "female"]);
    assert.match(emily.probable_country, /^[A-Z]{2}$/);
    const { house_number, street, city, postal_code } = address;
    assert.deepEqual([house_number, street, city, postal_code], ["221B", "Baker Street", "London", "NW1 6XE"]);
  });

  test("they can be asked for alone, and left out", () => {
    const types = (options) => detect(LETTER, options).entities.map(({ type }) => type);
    assert.deepEqual(types({ entities: ["PERSON"] }), ["name", "name"]);
    assert.deepEqual(types({ exclude_entities: ["name", "organization"] }), ["address"]);
  });

  test("offsets count UTF-16 units after an emoji, too", () => {
    const text = "👩‍👧 My name is Zoë Müller.";
    const [{ start, end, original }] = detect(text).entities;
    assert.deepEqual([original, text.slice(start, end)], ["Zoë Müller", "Zoë Müller"]);
  });

  test("they are protected, and turned back", () => {
    assert.equal(protect("My name is Oliver Bennett.").protected_text, `My name is ${R}.`);
    const protector = createProtector({ session: true, mode: "hash" });
    for (const mode of ["hash", "tokenize"]) {
      const { protected_text } = protector.protect(LETTER, { mode });
      assert.doesNotMatch(protected_text, /Thompson|Baker|Carter|Northwind/);
      assert.equal(protector.restore(protected_text).text, LETTER);
    }
    assert.equal(restore(protect(LETTER, { mode: "tokenize" }).protected_text).text, LETTER);
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

describe("`textveil/names` loads in", () => {
  const TEXT = '"My name is Oliver Bennett."';
  const PRINT = `console.log(detect(${TEXT}).entities.map(({ type, start, end }) => [type, start, end]).join());`;
  const FOUND = "name,11,25";

  test("Node, as an ES module and as CommonJS, into one instance", () => {
    const source = `
      import { createRequire } from "node:module";
      import { detect } from "textveil";
      import * as names from "textveil/names";
      const require = createRequire(import.meta.url);
      console.log(require("textveil/names").initNames === names.initNames);
      await names.initNames();
      ${PRINT}
      console.log(require("textveil").detect(${TEXT}).entities.length);`;
    assert.equal(run("both.mjs", source), `true\n${FOUND}\n1`);
    assert.equal(run("common.cjs", `require("textveil/names"); const { detect } = require("textveil"); ${PRINT}`), FOUND);
  });

  test("slim, by the caller", () => {
    const source = `
      import { readFileSync } from "node:fs";
      import { detect, init, initNames, initNamesSync, initSync } from "textveil/slim";
      const bytes = (name) => readFileSync(new URL(import.meta.resolve("textveil/" + name)));
      try { initNamesSync(bytes("names.wasm")); } catch ({ code }) { console.log(code); }
      await initNames(bytes("names.wasm")).catch(({ code }) => console.log(code));`;
    const early = "not_loaded\nnot_loaded";
    const later = 'await Promise.all([initNames(bytes("names.wasm")), init(bytes("textveil.wasm"))]);';
    assert.equal(run("slim.mjs", `${source} ${later} ${PRINT}`), `${early}\n${FOUND}`);
    const atOnce = 'initSync(bytes("textveil.wasm")); initNamesSync(bytes("names.wasm"));';
    assert.equal(run("slim.mjs", `${source} ${atOnce} ${PRINT}`), `${early}\n${FOUND}`);
  });
});
