// The generated files are current, and what the engine answers has the names and facts of the types.

import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { test } from "node:test";
import { parse } from "smol-toml";
import { COMMON, facts, types } from "../generate/catalogue.mjs";
import { generated } from "../generate/index.mjs";
import { camel } from "../generate/package-types.mjs";
import { project, ROOT } from "./project.mjs";

const { createProtector, detect, detectors, find, protect, TextveilError, validate } = await project().import();
const known = types();

/** Returns the wrong facts of a finding: those that its type has not, and values that are not of their type. */
function wrong(type, metadata, others = []) {
  const allowed = [...COMMON, ...others, ...(known.get(type) ?? [])].map(camel);
  return Object.entries(metadata ?? {}).filter(([name, value]) => {
    const declared = facts().find((fact) => camel(fact.name) === name)?.type;
    const fits = declared === typeof value || declared?.split(" | ").includes(JSON.stringify(value));
    return !allowed.includes(name) || !fits;
  }).map(([name, value]) => `${type}.${name}${allowed.includes(name) ? ` = ${value}` : ""}`);
}

for (const [path, text] of Object.entries(await generated())) {
  test(`${path} is current`, () => {
    const found = readFileSync(join(import.meta.dirname, "..", path), "utf8");
    assert.ok(found === text, "run `npm run generate`");
  });
}

test("the types are those of the engine", () => {
  const reported = new Set(detectors().detectors.map(({ entityType }) => entityType));
  const missing = [...reported].filter((type) => !known.has(type));
  assert.deepEqual([missing, [...known.keys()].filter((type) => !reported.has(type))], [[], ["deny_list", "phone"]]);
});

/** The properties of an interface of the generated types, with those of what it extends. */
function properties(name) {
  const source = readFileSync(join(import.meta.dirname, "../js/types.ts"), "utf8");
  const [, extended, body] = new RegExp(`^export interface ${name}\\b[^{]*?(?: extends (\\w+)<[^{]*)? \\{\n(.*?)^\\}`, "ms").exec(source);
  const own = [...body.matchAll(/^ {2}(\w+)\??:/gm)].map(([, property]) => property);
  return [...own, ...(extended === undefined ? [] : properties(extended))].sort();
}

test("answers have the names of their types", () => {
  const text = "PESEL 44051401359, jan.novak@example.cz";
  const policies = [{ name: "all", action: "MASK" }];
  const [detected, protectedText] = [detect(text, { explain: true }), protect(text, { explain: true, mode: "policy", policies })];
  for (const [answer, type] of [
    [detected, "DetectResponse"],
    [detected.entities[0], "DetectedEntityOf"],
    [detected.countriesDetected[0], "CountryDetection"],
    [detected.entities[0].evidence.find(({ start }) => start !== undefined), "Evidence"],
    [protectedText, "ProtectResponse"],
    [protectedText.entities[0], "ProtectedEntityOf"],
    [validate("44051401359", "pesel"), "ValidateResponse"],
    [detectors("PL").detectors[0], "DetectorInfo"],
  ]) {
    assert.deepEqual(Object.keys(answer).sort(), properties(type), type);
  }
});

test("findings have the facts of their types and no others", () => {
  const texts = readdirSync(join(ROOT, "tests/conformance/vectors")).flatMap((file) => {
    const vectors = JSON.parse(readFileSync(join(ROOT, "tests/conformance/vectors", file), "utf8"));
    return vectors.flatMap(({ request: { text, texts = [] } }) => [text, ...texts]).filter((one) => typeof one === "string" && one !== "");
  });
  assert.ok(texts.length > 500, `${texts.length} texts`);
  const odd = new Set();
  const met = new Set();
  for (const text of texts) {
    for (const { type, metadata } of find(text, { privacyPreset: "aggressive" })) {
      met.add(type);
      if (!known.has(type)) odd.add(type);
      for (const fact of wrong(type, metadata)) odd.add(fact);
    }
  }
  assert.deepEqual([...odd], []);
  assert.ok(met.size > 300, `${met.size} types`);
});

test("the facts of validation are those of the type", () => {
  const catalogue = join(ROOT, "engine/catalogue");
  const files = new Map(readdirSync(catalogue, { recursive: true }).map((path) => [basename(path, ".toml"), join(catalogue, path)]));
  const [odd, met] = [new Set(), new Set()];
  for (const { entityType, name } of detectors().detectors) {
    const { case: cases = [] } = parse(readFileSync(files.get(name), "utf8"));
    for (const { value } of cases) {
      const { metadata } = validate(value, entityType);
      for (const fact of Object.keys(metadata ?? {})) met.add(`${entityType}.${fact}`);
      for (const fact of wrong(entityType, metadata, ["reason"])) odd.add(fact);
    }
  }
  assert.deepEqual([...odd], []);
  assert.ok(met.size > 800, `${met.size} facts`);
});

test("a name of the HTTP API is rejected with the name of the package", () => {
  const rejects = (call, field, name) =>
    assert.throws(call, (error) => error instanceof TextveilError && error.code === "invalid_request" && error.field === field && error.message.includes(`\`${name}\``));
  rejects(() => detect("x", { min_confidence: 1 }), "min_confidence", "minConfidence");
  rejects(() => protect("x", { operators: { email: { mode: "mask", keep_last: 4 } } }), "operators.email.keep_last", "keepLast");
  rejects(() => createProtector().protect("x", { policies: [{ name: "a", action: "MASK", conditions: [{ entity_types: [] }] }] }), "policies[0].conditions[0].entity_types", "entityTypes");
  rejects(() => validate({ value: "x", entity_type: "pesel" }), "entity_type", "entityType");
});

test("types keep their names where they name options", () => {
  const operators = { phone_number: { mode: "replace", newValue: "<phone>" }, min_confidence: { mode: "mask" } };
  const denyList = [{ value: "Nightfall", type: "min_confidence" }];
  assert.equal(protect("Nightfall: +420 601 123 456", { operators, denyList }).protectedText, "*********: <phone>");
  const check = { rule: "by_length", lengths: { 4: { rule: "luhn" }, 8: { rule: "integer", modulus: 97, checkLen: 2 } } };
  assert.equal(detect("member 1230", { customDetectors: [{ name: "member", shapes: ["d4"], check, context: ["member"] }] }).entities[0].type, "member");
});

test("a name that every object of JavaScript has is a name like any other", () => {
  const fault = (condition) => {
    try {
      protect("x", { mode: "policy", policies: [{ name: "a", action: "MASK", conditions: [condition] }] });
    } catch ({ field }) {
      return field;
    }
    return undefined;
  };
  for (const name of ["constructor", "__proto__", "toString"]) {
    assert.equal(fault(JSON.parse(`{ "${name}": { "minCount": 2 } }`)), `policies[0].conditions[0].${name}`, name);
  }
});

test("errors name fields as the package does", () => {
  const fault = (options) => {
    try {
      protect("x", options);
    } catch ({ field, message }) {
      return { field, message };
    }
    return undefined;
  };
  for (const [options, field] of [
    [{ operators: { phone_number: { mode: "mask", keepLast: -1 } } }, "operators"],
    [{ excludeEntities: 1 }, "excludeEntities"],
    [{ customDetectors: [{ name: "a", shapes: ["d8"], check: { rule: "integer", modulus: 97, checkLen: "x" } }] }, "customDetectors[0].check"],
    [{ policies: [{ name: "a", action: "MASK", conditions: [{ minCount: "x" }] }] }, "policies[0].conditions[0].minCount"],
  ]) {
    const { field: found, message } = fault(options) ?? {};
    assert.equal(found, field);
    assert.ok(message.startsWith(`${field} `), message);
    assert.doesNotMatch(message.slice(field.length), /[a-z]_[a-z]/);
  }
});
