// Tests of the verbs, through the installed package.

import assert from "node:assert/strict";
import { Duplex, Readable } from "node:stream";
import { text as join } from "node:stream/consumers";
import { describe, test } from "node:test";
import { project } from "./project.mjs";

const textveil = await project().import();
const { apply, createProtector, detect, detectBatch, find, detectors, protect, protectFetch, protectFile, protectFormData, protectStream, restore, TextveilError, validate } = textveil;

const KEY = "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f";
const only = (response) => {
  assert.equal(response.entities.length, 1, JSON.stringify(response.entities));
  return response.entities[0];
};
const refused = (call, code, field) =>
  assert.throws(call, (error) => {
    assert.ok(error instanceof TextveilError && error instanceof Error, String(error));
    assert.equal(error.name, "TextveilError");
    assert.deepEqual([error.code, error.field], [code, field], error.message);
    return true;
  });

describe("detect", () => {
  test("finds an identifier and what it tells", () => {
    const response = detect("PESEL 44051401359");
    const pesel = only(response);
    assert.equal(pesel.type, "pesel");
    assert.equal(pesel.country, "PL");
    assert.equal(pesel.original, "44051401359");
    assert.equal(pesel.validated, true);
    assert.deepEqual([pesel.start, pesel.end], [6, 17]);
    assert.equal(pesel.metadata.birthDate, "1944-05-14");
    assert.equal(pesel.metadata.gender, "male");
    assert.equal(pesel.metadata.checksumValid, true);
    assert.equal(pesel.evidence, undefined);
    assert.ok(!("text" in response));
    assert.equal(response.privacyPreset, "balanced");
    assert.equal(response.apiVersion, "v1");
    assert.ok(Number.isInteger(response.processingTimeMs));
    assert.ok(response.countriesDetected.some(({ code }) => code === "PL"));
  });

  test("writes null where there is nothing, and plain objects", () => {
    const { entities, countriesDetected } = detect("mail jan.novak@example.com, tel. +420 601 123 456, password: hunter2secret");
    assert.equal(entities[0].country, null);
    // never null, so that no fact needs a check of its own
    for (const { metadata } of [...entities, ...protect("password: hunter2secret").entities, validate("x", "pesel")]) {
      assert.equal(Object.getPrototypeOf(metadata), Object.prototype);
    }
    assert.equal(Object.getPrototypeOf(entities[0].metadata), Object.prototype);
    assert.ok(Array.isArray(countriesDetected));
  });

  for (const [name, before] of [
    ["nothing", ""],
    ["an accented letter", "Mój "],
    ["a combining mark", "Mo\u0301j "],
    ["an emoji of two units", "🙂 "],
    ["an emoji of several code points", "👩‍👩‍👧‍👦 "],
    ["right-to-left text", "שלום "],
    ["CRLF", "a\r\n"],
    ["a lone high surrogate", "\ud83d "],
    ["a lone low surrogate", "\ude42 "],
  ]) {
    test(`counts UTF-16 units after ${name}`, () => {
      const text = `${before}PESEL 44051401359 🙂 jan.novak@example.cz`;
      const { entities } = detect(text);
      assert.deepEqual(entities.map(({ type }) => type), ["pesel", "email"]);
      for (const { start, end, original } of entities) assert.equal(text.slice(start, end), original);
      assert.equal(entities[0].start, before.length + 6);
    });
  }

  test("counts in another unit where it is asked for", () => {
    const at = (offsetUnit) => only(detect("🙂 PESEL 44051401359", { offsetUnit })).start;
    assert.deepEqual([at("utf16"), at("code_point"), at("byte"), at(undefined), at(null)], [9, 8, 11, 9, 9]);
  });

  test("explains where it is asked to", () => {
    const { evidence } = only(detect("🙂 PESEL 44051401359", { explain: true }));
    const label = evidence.find(({ signal }) => signal === "label");
    assert.ok(evidence.some(({ signal }) => signal === "check"));
    assert.equal("🙂 PESEL 44051401359".slice(label.start, label.end), "PESEL");
  });

  test("takes options as absent that are undefined or null", () => {
    const absent = { country: undefined, language: null, entities: undefined, minConfidence: null, explain: undefined };
    const { entities } = detect("PESEL 44051401359");
    assert.deepEqual(detect("PESEL 44051401359", absent).entities, entities);
    assert.deepEqual(detect("PESEL 44051401359", null).entities, entities);
  });

  test("takes lists and detectors of the caller", () => {
    const text = "T-1234 is about jan.novak@example.cz, PESEL 44051401359";
    const customDetectors = [{ name: "ticket", pattern: "T-[0-9]{4}" }];
    const types = (options) => detect(text, options).entities.map(({ type }) => type);
    assert.deepEqual(types({ customDetectors }), ["ticket", "email", "pesel"]);
    assert.deepEqual(types({ entities: ["email"] }), ["email"]);
    assert.deepEqual(types({ excludeEntities: ["EMAIL_ADDRESS"] }), ["pesel"]);
    assert.deepEqual(types({ allowList: [{ domain: "example.cz" }] }), ["pesel"]);
  });

  test("names what is at fault, and never quotes the text", () => {
    for (const [call, field] of [
      [() => detect(), "text"],
      [() => detect(12), "text"],
      [() => detect("x", "balanced"), "options"],
      [() => detect("x", { privacyPreset: "paranoid" }), "privacyPreset"],
      [() => detect("x", { offsetUnit: "words" }), "offsetUnit"],
      [() => detect("x", { minConfidence: "high" }), "minConfidence"],
      [() => detect("x", { minConfidence: 2 }), "minConfidence"],
      [() => detect("x", { minConfidence: Number.NaN }), "minConfidence"],
      [() => detect("x", { minConfidence: 1n }), "minConfidence"],
      [() => detectBatch("x"), "texts"],
      [() => detectBatch(["x", 1]), "texts[1]"],
      [() => protect("x", { mode: "shred" }), "mode"],
      [() => protect("x", { operators: { iban: { mode: "shred" } } }), "operators"],
      [() => protect("x", { key: "secret" }), "key"],
      [() => protect("x", { key: "00ff" }), "key"],
      [() => protect("x", { key: KEY, keyVersion: 32 }), "key"],
      [() => protect("x", { key: KEY, keyVersion: 1.5 }), "key"],
      [() => protect("x", { key: 5 }), "key"],
      [() => validate("x"), "entityType"],
      [() => validate(undefined, "pesel"), "value"],
      [() => validate("x", "no_such_type"), "entityType"],
      [() => validate("x", "pesel", 48), "country"],
    ]) {
      refused(call, "invalid_request", field);
    }
    // a condition that was dropped would fail open
    const policies = [{ name: "p", action: "ALLOW", conditions: [{ confidence_mim: 0.9 }] }];
    assert.throws(() => protect("x", { mode: "policy", policies }), { code: "invalid_request" });
    const secret = "jan.novak@example.cz";
    assert.throws(() => detect(secret, { privacyPreset: secret }), (error) => !error.message.includes(secret));
  });

  test("takes texts and batches of any size", () => {
    const long = `${"🙂 some words and more of them\n".repeat(20_000)}PESEL 44051401359`;
    const { start, end } = only(detect(long));
    assert.equal(long.slice(start, end), "44051401359");
    assert.equal(protect(long).protectedText, long.replace("44051401359", "[REDACTED]"));
    assert.equal(restore(protect(long, { mode: "tokenize" }).protectedText).text, long);
    assert.equal(detectBatch(Array(500).fill("PESEL 44051401359")).totalEntities, 500);
  });
});

test("detectBatch answers each text in its place", () => {
  const texts = ["PESEL 44051401359", "nothing here", "🙂 jan.novak@example.cz"];
  const { results, totalEntities, totalProcessingTimeMs } = detectBatch(texts);
  assert.ok(results.every((result) => !("text" in result)));
  assert.deepEqual(results.map(({ entities }) => entities.length), [1, 0, 1]);
  assert.equal(results[2].entities[0].start, 3);
  assert.equal(totalEntities, 2);
  assert.ok(Number.isInteger(totalProcessingTimeMs));
});

test("validate takes a request or its parts", () => {
  const verdict = validate("44051401359", "pesel");
  assert.deepEqual(validate({ value: "44051401359", entityType: "pesel" }), verdict);
  assert.equal(verdict.valid, true);
  assert.ok(!("value" in verdict));
  assert.equal(verdict.country, "PL");
  assert.equal(verdict.metadata.birthDate, "1944-05-14");
  assert.equal(validate("44051401358", "pesel", "pl").valid, false);
});

test("detectors lists all, or those of a country", () => {
  const all = detectors();
  assert.equal(all.count, all.detectors.length);
  assert.ok(all.count >= 50);
  const polish = detectors("pl").detectors;
  assert.ok(polish.length > 0 && polish.every(({ region }) => region === "PL"));
  assert.equal(polish.find(({ name }) => name === "pesel").category, "identity");
  assert.deepEqual(detectors("AQ"), { detectors: [], count: 0 });
  assert.ok(detectors("EU").count > 0 && detectors("GLOBAL").count > 0);
});

describe("an unknown option is an error", () => {
  const policy = (rest) => ({ mode: "policy", policies: [{ name: "a", action: "MASK", ...rest }] });
  const detector = (rest) => ({ customDetectors: [{ name: "a", shapes: ["d8"], ...rest }] });
  for (const [call, field, near] of [
    [() => detect("x", { denylist: [] }), "denylist", "denyList"],
    [() => find("x", { entites: [] }), "entites", "entities"],
    [() => detect("x", { preset: "balanced" }), "preset", "privacyPreset"],
    [() => detectBatch(["x"], { minConfidense: 1 }), "minConfidense", "minConfidence"],
    [() => detect("x", { allowList: [{ domian: "a" }] }), "allowList[0].domian", "domain"],
    [() => detect("x", { denyList: [{ value: "a" }, { vlaue: "b" }] }), "denyList[1].vlaue", "value"],
    [() => detect("x", { hints: [{ type: "name", start: 0, end: 1, confidense: 1 }] }), "hints[0].confidense", "confidence"],
    [() => detect("x", detector({ contexts: [] })), "customDetectors[0].contexts", "context"],
    [() => detect("x", detector({ check: { rule: "integer", modulus: 97, checklen: 2 } })), "customDetectors[0].check.checklen", "checkLen"],
    [() => detect("x", detector({ check: { rule: "verhoeff", modulus: 97 } })), "customDetectors[0].check.modulus", "rule"],
    [() => detect("x", detector({ parts: [{ at: 0, oneof: ["1"] }] })), "customDetectors[0].parts[0].oneof", "oneOf"],
    [() => protect("x", { operators: { email: { mode: "mask", keeplast: 4 } } }), "operators.email.keeplast", "keepLast"],
    [() => protect("x", policy({ prioritty: 1 })), "policies[0].prioritty", "priority"],
    [() => protect("x", policy({ conditions: [{ entityType: ["email"] }] })), "policies[0].conditions[0].entityType", "entityTypes"],
    [() => protect("x", { defaultaction: "MASK" }), "defaultaction", "defaultAction"],
    [() => protect("x", { kep: () => true }), "kep", "keep"],
    [() => protect("x", { replacer: () => "" }), "replacer", "replace"],
    [() => createProtector({ mod: "mask" }), "mod", "mode"],
    [() => createProtector().protect("x", { seed: 1 }), "seed", "country"],
    [() => createProtector().detect("x", { entites: [] }), "entites", "entities"],
    [() => createProtector().restore("x", { key: KEY }), "key", "signal"],
    [() => createProtector().restoreStream({ encodng: "utf-8" }), "encodng", "encoding"],
    [() => createProtector().restoreResponse(new Response("x"), { timeout: 1 }), "timeout", "signal"],
    [() => restore("x", { kye: KEY }), "kye", "key"],
    [() => createProtector({ key: KEY, previousKeys: [{ key: KEY, version: 1 }] }), "previousKeys[0].version", "keyVersion"],
    [() => validate({ value: "x", entityType: "pesel", contry: "PL" }), "contry", "country"],
    [() => apply("x", [], { mod: "mask" }), "mod", "mode"],
    [() => protectStream({ formt: "csv" }), "formt", "format"],
    [() => protectFetch({ binry: "pass" }), "binry", "binary"],
  ]) {
    test(`${field}, and ${near} is named`, () => {
      refused(call, "invalid_request", field);
      assert.throws(call, ({ message }) => message.startsWith(`${field} is not an option`) && message.includes(near), String(call));
    });
  }

  test("one of another call is told to be of another call", () => {
    for (const options of [{ mode: "mask" }, { keep: () => true }, { policies: [] }, { signal: new AbortController().signal }]) {
      assert.throws(() => detect("x", options), { code: "invalid_request", message: `${Object.keys(options)[0]} is not an option of this call` });
    }
    // the options that a protector keeps are for all its verbs
    const protector = createProtector({ mode: "mask", operators: { email: { mode: "hash" } }, policies: [], keep: () => false });
    assert.equal(protector.find("a@example.com").length, 1);
  });

  test("a name that may be personal data is not repeated", () => {
    assert.throws(() => detect("x", { "jan.novak@example.cz": 1 }), ({ field, message }) => field === "options" && !message.includes("jan"));
    assert.throws(() => protect("x", { operators: { "jan.novak@example.cz": { keep: 1 } } }), ({ field, message }) => field === "operators.keep" && !message.includes("jan"));
  });

  test("an object that hides its options is rejected", () => {
    class Options {
      country = "PL";
    }
    for (const [call, field] of [
      [() => detect("x", new Options()), "options"],
      [() => detect("x", Object.create({ country: "PL" })), "options"],
      [() => detect("x", new Map([["country", "PL"]])), "options"],
      [() => detect("x", []), "options"],
      [() => protect("x", { operators: new Map([["email", { mode: "mask" }]]) }), "operators"],
      [() => protect("x", { operators: () => ({}) }), "operators"],
      [() => detect("x", { entities: new Set(["email"]) }), "entities"],
      [() => detect("x", { entities: () => ["email"] }), "entities"],
      [() => detect("x", { customDetectors: [{ name: "a", pattern: /a/ }] }), "customDetectors[0].pattern"],
    ]) {
      refused(call, "invalid_request", field);
    }
    assert.equal(detect("PESEL 44051401359", Object.assign(Object.create(null), { country: "PL" })).entities.length, 1);
  });

  test("keyVersion and previousKeys need a key", () => {
    refused(() => restore("x", { previousKeys: [{ key: KEY, keyVersion: 0 }] }), "invalid_request", "key");
    refused(() => protect("x", { keyVersion: 1 }), "invalid_request", "key");
    refused(() => protect("x", { key: KEY, previousKeys: KEY }), "invalid_request", "previousKeys");
  });
});

describe("a country is a code", () => {
  for (const country of ["Poland", "XX", "EN", "ZZ", "", "P", "pol", "48"]) {
    test(JSON.stringify(country), () => {
      for (const call of [() => detect("x", { country }), () => protect("x", { country }), () => validate("x", "pesel", country), () => detectors(country)]) {
        refused(call, "invalid_request", "country");
        assert.throws(call, ({ message }) => message === "country must be a code of ISO 3166-1 alpha-2, such as PL");
      }
    });
  }
  test("of any case, and UK and XK too", () => {
    for (const country of ["PL", "pl", "UK", "GB", "XK", "AQ"]) assert.equal(detect("x", { country }).entities.length, 0);
  });
});

describe("an empty text is an empty result", () => {
  const nothing = { entities: [], countriesDetected: [] };
  const of = ({ entities, countriesDetected }) => ({ entities, countriesDetected });
  test("of every verb", () => {
    assert.deepEqual(of(detect("")), nothing);
    assert.deepEqual(find("", { country: "PL", explain: true }), []);
    assert.deepEqual(detectBatch(["", "PESEL 44051401359"]).results.map(({ entities }) => entities.length), [0, 1]);
    assert.deepEqual(detectBatch([]).results, []);
    for (const mode of ["replace", "mask", "hash", "tokenize", "policy"]) {
      const response = protect("", { mode });
      assert.deepEqual([of(response), response.protectedText], [nothing, ""]);
    }
    assert.equal(apply("", []).protectedText, "");
    assert.deepEqual(restore("", { key: KEY }), { text: "", restored: 0, unknown: 0, withheld: 0, apiVersion: "v1" });
    assert.equal(createProtector({ mode: "placeholder" }).protect("").protectedText, "");
    assert.equal(createProtector({ session: true }).restore("").text, "");
  });
  test("options are checked all the same", () => {
    refused(() => detect("", { entites: [] }), "invalid_request", "entites");
    refused(() => protect("", { mode: "shred" }), "invalid_request", "mode");
  });
});

test("one person has one placeholder", () => {
  const protector = createProtector({ mode: "placeholder" });
  const { protectedText } = protector.protect("Dear Anna Kellermann, ask Anna or Mrs Kellermann: A.K@example.com, a.k@EXAMPLE.com");
  assert.equal(protectedText, "Dear [[NAME_1]], ask [[NAME_1]] or Mrs [[NAME_1]]: [[EMAIL_2]], [[EMAIL_2]]");
  assert.equal(protector.restore("[[NAME_1]]").text, "Anna Kellermann");
});

test("a placeholder outside a protector says what to use", async () => {
  const form = new FormData();
  for (const call of [
    () => protect("x", { mode: "placeholder" }),
    () => apply("x", [], { mode: "placeholder" }),
    () => protectStream({ mode: "placeholder" }),
  ]) {
    assert.throws(call, ({ field, message }) => field === "mode" && message.includes("`createProtector({ mode: \"placeholder\" })`"));
  }
  await assert.rejects(protectFile(new Blob(["x"]), { mode: "placeholder" }), { field: "mode" });
  await assert.rejects(protectFormData(form, { mode: "placeholder" }), { field: "mode" });
});

test("a type that does not exist is named with the nearest one", () => {
  for (const [call, message] of [
    [() => detect("x", { entities: ["email", "emial"] }), "entities[1] is no known entity type; did you mean email?"],
    [() => detect("x", { excludeEntities: ["pesell"] }), "excludeEntities[0] is no known entity type; did you mean pesel?"],
    [() => validate("x", "ibann"), "entityType is no known entity type; did you mean iban?"],
    [() => protect("x", { operators: { emial: { mode: "mask" } } }), "operators names no known entity type; did you mean email?"],
    [() => validate("x", "no such type of an entity"), "entityType is no known entity type; `detectors()` lists them"],
  ]) {
    assert.throws(call, { message });
  }
});

describe("protect", () => {
  const text = "🙂 PESEL 44051401359, tel. +420 601 123 456";

  test("replaces by default, with protection's names", () => {
    const response = protect(text);
    assert.equal(response.protectedText, "🙂 PESEL [REDACTED], tel. [REDACTED]");
    assert.ok(!JSON.stringify({ ...response, entities: [] }).includes("44051401359"));
    assert.equal(response.protectionMode, "replace");
    assert.deepEqual(response.entities.map(({ type, country }) => [type, country?.toLowerCase() === country]), [
      ["pesel", true],
      ["phone", true],
    ]);
    for (const { start, end, original } of response.entities) assert.equal(text.slice(start, end), original);
  });

  test("masks, hashes and tokenizes", () => {
    const [pesel] = protect(text, { mode: "mask" }).entities;
    assert.equal(pesel.protected, "*".repeat(11));
    const hash = (options) => protect(text, { mode: "hash", ...options }).entities[0].protected;
    assert.match(hash(), /^[0-9a-f]{16}$/);
    assert.equal(hash({ key: KEY }), hash({ key: Uint8Array.from(Buffer.from(KEY, "hex")) }));
    assert.equal(hash({ key: KEY }), hash({ key: KEY.toUpperCase() }));
    assert.notEqual(hash({ key: KEY }), hash());
    assert.match(protect(text, { mode: "tokenize" }).entities[0].protected, /^tok_pl_pesel_[a-z0-9]+$/);
  });

  test("goes by type, and by policies", () => {
    const { protectedText } = protect(text, { mode: "mask", operators: { pesel: { mode: "mask", maskChar: "#", keepLast: 4 } } });
    assert.ok(protectedText.includes("#######1359"), protectedText);
    const block = { mode: "policy", policies: [{ name: "no PESEL", action: "BLOCK", conditions: [{ entityTypes: ["pesel"] }] }] };
    refused(() => protect(text, block), "policy_violation", undefined);
    assert.throws(() => protect(text, block), ({ details }) => details.pesel === 1);
  });

  test("restores what it tokenized, with the same key only", () => {
    const { protectedText } = protect(text, { mode: "tokenize", key: KEY });
    assert.deepEqual(restore(protectedText, { key: KEY }), { text, restored: 2, unknown: 0, withheld: 0, apiVersion: "v1" });
    assert.deepEqual(restore(protectedText, { key: KEY.replaceAll("0", "1") }).text, protectedText);
    assert.equal(restore(protectedText).unknown, 2);
    assert.equal(restore(protect(text, { mode: "tokenize" }).protectedText).text, text);
  });

  test("opens the tokens of a key that was replaced", () => {
    const { protectedText } = protect(text, { mode: "tokenize", key: KEY, keyVersion: 1 });
    const rotated = createProtector({ key: `ff${KEY}`, keyVersion: 2, previousKeys: [{ key: KEY, keyVersion: 1 }] });
    assert.equal(rotated.restore(protectedText).text, text);
    assert.equal(rotated.restore(rotated.protect(text, { mode: "tokenize" }).protectedText).text, text);
  });

  test("createProtector keeps its options", () => {
    const protector = createProtector({ key: KEY, mode: "mask" });
    assert.equal(protector.protect(text).protectionMode, "mask");
    assert.equal(protector.protect(text, { mode: "hash" }).protectedText, protect(text, { mode: "hash", key: KEY }).protectedText);
  });
});

describe("apply", () => {
  const text = "🙂 Dear Emily Carter, PESEL 44051401359, tel. +420 601 123 456, JAN.NOVAK@example.cz";
  const types = ({ entities }) => entities.map(({ type }) => type);

  for (const options of [
    {},
    ...["replace", "mask", "hash", "tokenize"].map((mode) => ({ mode, key: KEY })),
    { mode: "mask", operators: { pesel: { mode: "mask", maskChar: "#", keepLast: 4 } } },
    { mode: "policy", policies: [{ name: "names", action: "ALLOW", conditions: [{ entityTypes: ["name"], categories: ["personal", "identity"] }] }] },
    { offsetUnit: "code_point" },
    { offsetUnit: "byte" },
    { explain: true },
    { replace: ({ type }) => `<${type}>` },
  ]) {
    test(`does to all findings what protect does: ${JSON.stringify(options)}`, () => {
      const { key, mode, operators, policies, replace, ...detection } = options;
      const { processingTimeMs: _, countriesDetected: __, ...wanted } = protect(text, options);
      const { processingTimeMs, countriesDetected, ...applied } = apply(text, find(text, detection), options);
      assert.equal(wanted.entities.length, 4);
      assert.deepEqual(applied, wanted);
    });
  }

  test("replaces what is left after a review, in any order, and what the caller adds", () => {
    const left = find(text).filter(({ type }) => type !== "name" && type !== "pesel").reverse();
    const added = { type: "greeting", start: text.indexOf("Dear"), end: text.indexOf("Dear") + 4 };
    const response = apply(text, [...left, added]);
    assert.equal(response.protectedText, "🙂 [REDACTED] Emily Carter, PESEL 44051401359, tel. [REDACTED], [REDACTED]");
    assert.deepEqual(types(response), ["greeting", "phone", "email"]);
    assert.equal(apply(text, []).protectedText, text);
    assert.equal(restore(apply(text, left, { mode: "tokenize" }).protectedText).text, text);
  });

  test("takes what protect returned, too", () => {
    const { entities, protectedText } = protect(text);
    assert.equal(apply(text, entities).protectedText, protectedText);
  });

  test("names the finding at fault, and quotes nothing", () => {
    const [name, pesel] = find(text);
    for (const [findings, field] of [
      ["x", "findings"],
      [[1], "findings[0]"],
      [[{ start: 1, end: 2 }], "findings[0].type"],
      [[{ ...name, start: -1 }], "findings[0].start"],
      [[{ ...name, start: 1 }], "findings[0].start"],
      [[pesel, { ...name, end: 1_000 }], "findings[1].end"],
      [[{ ...name, end: name.start }], "findings[0].end"],
      [[name, { ...name, start: name.start + 1, original: undefined }], "findings[1]"],
      [[{ ...name, end: name.end - 1 }], "findings[0].original"],
      [[{ ...name, type: "A name" }], "findings[0].type"],
      [[{ ...name, confidence: 2 }], "findings[0].confidence"],
    ]) {
      refused(() => apply(text, findings), "invalid_request", field);
      assert.throws(() => apply(text, findings), ({ message }) => !/Emily|44051401359/.test(message));
    }
    const block = { mode: "policy", policies: [{ name: "no PESEL", action: "BLOCK", conditions: [{ entityTypes: ["pesel"] }] }] };
    refused(() => apply(text, [pesel], block), "policy_violation", undefined);
    assert.equal(apply(text, [name], block).entities.length, 1);
  });
});

describe("callbacks", () => {
  const text = "Dear Emily Carter, PESEL 44051401359, mail a@example.com or b@example.com";

  test("keep leaves a finding, replace names its replacement", () => {
    const seen = [];
    const options = {
      mode: "mask",
      keep: ({ original }) => original.startsWith("b@"),
      replace: (finding) => {
        seen.push(finding.type);
        return { name: "<name>", email: "" }[finding.type];
      },
    };
    const { protectedText, entities } = protect(text, options);
    assert.equal(protectedText, "Dear <name>, PESEL ***********, mail  or b@example.com");
    assert.deepEqual(seen, ["name", "pesel", "email"]);
    assert.deepEqual(entities.map(({ protected: replacement }) => replacement), ["<name>", "*".repeat(11), "", "b@example.com"]);
  });

  for (const [name, document, wanted] of [
    ["text", `${text}\n`, "Dear <name>, PESEL <pesel>, mail <email> or <email>\n"],
    ["csv", "pesel,mail\n44051401359,a@example.com\n", "pesel,mail\n<pesel>,<email>\n"],
    ["json", '{"mail":"a@example.com"}', '{"mail":"<email>"}'],
  ]) {
    test(`in streams of ${name}, however they are cut`, async () => {
      for (const size of [1, 7, 1_000]) {
        const parts = Array.from({ length: Math.ceil(document.length / size) }, (_, at) => document.slice(at * size, (at + 1) * size));
        const stream = protectStream({ format: name, replace: ({ type }) => `<${type}>` });
        assert.equal(await join(ReadableStream.from(parts).pipeThrough(stream)), wanted);
      }
    });
  }

  test("what they throw is thrown, and nothing comes out", async () => {
    const own = new Error("own");
    const replace = () => {
      throw own;
    };
    assert.throws(() => protect(text, { replace }), own);
    for (const format of ["text", "csv"]) {
      await assert.rejects(join(ReadableStream.from([text]).pipeThrough(protectStream({ replace, format }))), own);
    }
    assert.equal(protect(text).entities.length, 4, "the engine still works");
    refused(() => protect(text, { replace: () => 1 }), "invalid_request", "replace");
    refused(() => protect(text, { replace: "x" }), "invalid_request", "replace");
    refused(() => protect(text, { keep: true }), "invalid_request", "keep");
    // a promise is truthy: the value would pass
    for (const keep of [async () => false, () => Promise.resolve(false), () => "yes", () => null, () => 1, () => undefined]) {
      refused(() => protect(text, { keep }), "invalid_request", "keep");
    }
    refused(() => protect(text, { replace: async () => "x" }), "invalid_request", "replace");
    refused(() => protect(text, { replace: () => null }), "invalid_request", "replace");
    assert.throws(() => protect(text, { keep: async () => false }), { message: "keep must return true or false, and not a promise; look up before the call what it needs" });
    refused(() => protect(text, { replace: () => "x", offsetUnit: "byte" }), "invalid_request", "offsetUnit");
  });
});

describe("protectStream", () => {
  const text = `${"🙂 PESEL 44051401359, mail jan.novak@example.cz;\n".repeat(40)}end 🙂`;
  const whole = text.replaceAll("44051401359", "*".repeat(11)).replaceAll("jan.novak@example.cz", "*".repeat(20));
  const pieces = (size) => Array.from({ length: Math.ceil(text.length / size) }, (_, at) => text.slice(at * size, (at + 1) * size));

  for (const size of [1, 2, 3, 7, 64, 100_000]) {
    test(`gives the same in pieces of ${size}`, async () => {
      const out = ReadableStream.from(pieces(size)).pipeThrough(protectStream({ mode: "mask" }));
      assert.equal(await join(out), whole);
    });
  }

  test("takes bytes, cut within a character too", async () => {
    const bytes = Buffer.from(text);
    for (const size of [1, 3, 1000]) {
      const parts = Array.from({ length: Math.ceil(bytes.length / size) }, (_, at) => bytes.subarray(at * size, (at + 1) * size));
      assert.equal(await join(ReadableStream.from(parts).pipeThrough(protectStream({ mode: "mask" }))), whole);
      const node = Readable.from(parts).pipe(Duplex.fromWeb(protectStream({ mode: "mask" }), { encoding: "utf8" }));
      assert.equal(await join(node), whole);
    }
  });

  test("checks its options at once", () => {
    refused(() => protectStream({ mode: "shred" }), "invalid_request", "mode");
  });
});

test("a line with identifiers of many kinds is found whole", () => {
  const text =
    "Jan Novák, RČ 800101/1238, tel. +420 601 123 456, jan.novak@example.cz, PESEL 44051401359, " +
    "SIREN 732 829 320, IdNr 86 095 742 719, IBAN DE89 3704 0044 0532 0130 00";
  const found = detect(text).entities.map(({ type, original, country }) => [type, original, country]);
  assert.deepEqual(found, [
    ["name", "Jan Novák", null],
    ["rodne_cislo", "800101/1238", "CZ"],
    ["phone_number", "+420 601 123 456", "CZ"],
    ["email", "jan.novak@example.cz", null],
    ["pesel", "44051401359", "PL"],
    ["siren", "732 829 320", "FR"],
    ["steuer_id", "86 095 742 719", "DE"],
    ["iban", "DE89 3704 0044 0532 0130 00", "DE"],
  ]);
});
