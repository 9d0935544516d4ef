// Answers with findings are objects as JSON would have made them. Every surface has the same ones: `tests/conformance`.

import assert from "node:assert/strict";
import { test } from "node:test";

import { project } from "./project.mjs";

const { createProtector, detect, detectBatch } = await project().import();

const KEY = "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f";
const PESEL = "44051401359";

/** The keys of an object in their order. */
const keys = (object) => Object.keys(object).join(" ");

/** Whether an answer is plain data: it survives JSON unchanged. */
const isData = (answer) => assert.deepStrictEqual(JSON.parse(JSON.stringify(answer)), answer);

test("the properties of an answer and of a finding have the order of the service", () => {
  const answer = detect(`PESEL: ${PESEL}`, { explain: true });
  assert.equal(keys(answer), "entities countriesDetected privacyPreset processingTimeMs apiVersion");
  const [found] = answer.entities;
  assert.equal(keys(found), "type original country confidence validated start end metadata evidence");
  assert.equal(keys(answer.countriesDetected[0]), "code confidence evidence");
  isData(answer);
  const policies = [{ name: "all", priority: 1, action: "HASH" }];
  const replaced = createProtector({ key: KEY, mode: "policy", policies }).protect(`PESEL: ${PESEL}`);
  assert.equal(keys(replaced), "protectedText entities countriesDetected protectionMode processingTimeMs apiVersion");
  assert.equal(keys(replaced.entities[0]), "type original country confidence validated start end metadata protected action policy");
  assert.deepEqual([replaced.entities[0].action, replaced.entities[0].policy], ["HASH", "all"]);
  isData(replaced);
});

test("texts and facts of a finding are its own, beyond ASCII and with repeated types", () => {
  const values = [`PESEL ${PESEL}`, "žofie.nováková@example.cz", "👩‍⚕️ +420 601 123 456", "4111 1111 1111 1111", "𝒥an\u{fffd} 8001011238"];
  const text = Array.from({ length: 40 }, (_, index) => `${index}: ${values[index % values.length]} 👍\n`).join("");
  const { entities, countriesDetected } = detect(text, { explain: true });
  assert.ok(entities.length >= 40, `${entities.length} findings`);
  for (const found of entities) {
    assert.equal(text.slice(found.start, found.end), found.original);
    assert.equal(typeof found.confidence, "number");
    for (const { signal, weight, start, end } of found.evidence) {
      assert.ok(signal.length > 0 && Number.isFinite(weight));
      assert.equal(start === undefined, end === undefined);
    }
  }
  const pesel = entities.filter(({ type }) => type === "pesel");
  assert.equal(pesel.length, 8);
  for (const { metadata, country, validated } of pesel) {
    assert.deepEqual([metadata.birthDate, metadata.gender, metadata.checksumValid], ["1944-05-14", "male", true]);
    assert.deepEqual([country, validated], ["PL", true]);
  }
  assert.ok(countriesDetected.every(({ code, confidence }) => code.length === 2 && confidence > 0 && confidence <= 1));
});

test("the answers of a batch are those of its texts", () => {
  const texts = [`PESEL ${PESEL}`, "nothing", "jan.novak@example.cz, PESEL 02270803624"];
  const { results, totalEntities } = detectBatch(texts);
  assert.deepEqual(results.map(({ entities }) => entities), texts.map((text) => detect(text).entities));
  assert.equal(totalEntities, 3);
});

test("a callback may call the engine while it decides on a finding", () => {
  const seen = [];
  const inner = `mail eva@example.com, PESEL ${PESEL}`;
  const want = detect(inner).entities;
  const protector = createProtector({
    replace(found) {
      assert.deepEqual(detect(inner).entities, want);
      seen.push(found.original);
      return `<${found.type}>`;
    },
  });
  const text = `PESEL ${PESEL}, jan.novak@example.cz.\n`;
  assert.equal(protector.protect(text).protectedText, "PESEL <pesel>, <email>.\n");
  assert.deepEqual(seen, [PESEL, "jan.novak@example.cz"]);
});
