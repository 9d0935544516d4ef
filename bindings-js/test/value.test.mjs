// Values of any shape: what is walked, what is replaced, and what comes out.

import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import { project, ROOT } from "./project.mjs";

const { createProtector, protectStream, protectValue, TextveilError } = await project().import();

const R = "[REDACTED]";
const refusal = (field) => (error) => {
  assert.ok(error instanceof TextveilError, String(error));
  assert.deepEqual([error.code, error.field], ["invalid_request", field]);
  return true;
};

/** A list inside lists. */
function nested(levels) {
  let value = "Emily Carter";
  for (let level = 0; level < levels; level += 1) value = [value];
  return value;
}

class User {
  #mail = "emily@example.com";
  constructor() {
    this.name = "Emily Carter";
  }
  get mail() {
    return this.#mail;
  }
}

class Sealed {
  toJSON() {
    return { mail: "emily@example.com", n: 7 };
  }
}

/** Values, and what becomes of them. */
const CASES = {
  "strings, and nothing else": [{ text: "Dear Emily Carter", n: 7, yes: true, none: null, absent: undefined }, { text: `Dear ${R}`, n: 7, yes: true, none: null, absent: undefined }],
  "numbers and big numbers, by their keys": [{ pesel: 44051401359, card: 4111111111111111n, n: 12n }, { pesel: R, card: R, n: 12n }],
  "a value that only its key tells": [{ passport: "AB1234567", sku: "AB1234567" }, { passport: R, sku: "AB1234567" }],
  "a key of a list, for each item": [{ passports: ["AB1234567", { no: 1 }] }, { passports: [R, { no: 1 }] }],
  "a text alone": ["emily@example.com", R],
  "keys that are data": [{ "emily@example.com": 1, "Emily Carter": { ok: "yes" } }, { [R]: 1, [`${R} 2`]: { ok: "yes" } }],
  "maps": [new Map([["pesel", 44051401359], [7, "Emily Carter"]]), new Map([["pesel", R], [7, R]])],
  "maps with objects as keys": [new Map([[{ name: "Emily Carter" }, 1]]), new Map([[{ name: R }, 1]])],
  "sets": [new Set(["emily@example.com", 7]), new Set([R, 7])],
  "objects inside objects": [{ a: [{ b: { c: "emily@example.com" } }] }, { a: [{ b: { c: R } }] }],
  "what a class has, without its methods": [new User(), { name: R }],
  "what toJSON gives": [{ sealed: new Sealed() }, { sealed: { mail: R, n: 7 } }],
  "addresses and patterns": [{ url: new URL("https://example.com/?q=emily@example.com"), pattern: /Emily Carter/, rest: /x+/ }, { url: R, pattern: `/${R}/`, rest: /x+/ }],
  "boxed values": [{ text: new String("emily@example.com"), n: new Number(7) }, { text: R, n: 7 }],
  "symbols": [{ one: Symbol("emily@example.com") }, { one: `Symbol(${R})` }],
  "bytes": [{ bytes: new TextEncoder().encode("Emily Carter"), buffer: new ArrayBuffer(2), view: new Float64Array(2), blob: new Blob(["Emily Carter"]) }, { bytes: "[binary]", buffer: "[binary]", view: "[binary]", blob: "[binary]" }],
  "functions": [{ run() {}, list: [() => {}] }, { run: undefined, list: [undefined] }],
  "holes": [[, "Emily Carter"], [undefined, R]], // eslint-disable-line no-sparse-arrays
  "halves of characters": [{ a: "\ud83d", b: "\ud83d Emily Carter" }, { a: "\ud83d", b: `\ufffd ${R}` }],
  "nothing": [undefined, undefined],
};

describe("a value is protected:", () => {
  for (const [name, [value, wanted]] of Object.entries(CASES)) {
    test(name, async () => assert.deepEqual(await protectValue(value), wanted));
  }

  test("the value itself is not changed", async () => {
    const value = { text: "Dear Emily Carter", list: [new Map([["mail", "emily@example.com"]])], date: new Date(0) };
    const before = structuredClone(value);
    const out = await protectValue(value);
    assert.deepEqual(value, before);
    assert.equal(out.date, value.date);
  });

  test("a date that is one of birth", async () => {
    const date = new Date("1980-01-01T00:00:00Z");
    assert.deepEqual(await protectValue({ date_of_birth: date, created: date }), { date_of_birth: `${R}T00:00:00.000Z`, created: date });
  });

  test("an invalid date, a null prototype, a key of every object", async () => {
    const odd = Object.assign(Object.create(null), { when: new Date(NaN) });
    Object.defineProperty(odd, "__proto__", { value: { mail: "emily@example.com" }, enumerable: true });
    const out = await protectValue(odd);
    assert.deepEqual(Object.keys(out), ["when", "__proto__"]);
    assert.deepEqual(Object.getOwnPropertyDescriptor(out, "__proto__").value, { mail: R });
    assert.equal(out.when, odd.when);
    assert.equal({}.mail, undefined);
  });

  test("errors, with what they have", async () => {
    class Failure extends TypeError {
      constructor() {
        super("no mail to emily@example.com", { cause: new Error("user Emily Carter", { cause: "emily@example.com" }) });
        this.config = { url: "https://example.com/?mail=emily@example.com" };
        this.code = "E_MAIL";
      }
      toJSON() {
        return { message: "no mail to emily@example.com" };
      }
    }
    const error = await protectValue(new Failure());
    assert.ok(error instanceof Error && !(error instanceof TypeError));
    assert.deepEqual([error.message, error.code, error.name], [`no mail to ${R}`, "E_MAIL", "TypeError"]);
    assert.match(error.stack, /^TypeError: no mail to \[REDACTED\]\n {4}at .*value\.test\.mjs/);
    assert.deepEqual([error.cause.message, error.cause.cause], [`user ${R}`, R]);
    assert.deepEqual(error.config, { url: R });
    assert.deepEqual(Object.keys(error), ["config", "code"]);
    assert.ok(!JSON.stringify([error, error.stack, error.cause.stack]).includes("emily"));
    const all = await protectValue(new AggregateError([new Error("Emily Carter")], "two"));
    assert.deepEqual(all.errors.map(({ message }) => message), [R]);
  });

  test("a circle ends, and what is there twice is there twice", async () => {
    const user = { mail: "emily@example.com" };
    const value = { first: user, second: user };
    value.self = value;
    assert.deepEqual(await protectValue(value), { first: { mail: R }, second: { mail: R }, self: "[circular]" });
  });

  test("an unreadable property is replaced alone", async () => {
    const value = {
      get broken() {
        throw new Error("emily@example.com");
      },
      json: { toJSON: () => { throw new Error("emily@example.com"); } },
      proxy: new Proxy({}, { ownKeys: () => { throw new Error("emily@example.com"); } }),
      rest: "ok",
    };
    assert.deepEqual(await protectValue(value), { broken: "[unreadable]", json: "[unreadable]", proxy: "[unreadable]", rest: "ok" });
  });

  test("five hundred levels and no more", async () => {
    assert.equal(JSON.stringify(await protectValue(nested(500))), JSON.stringify(nested(500)).replace("Emily Carter", R));
    await assert.rejects(protectValue(nested(501)), refusal("value"));
    let fresh = { toJSON: () => [{ ...fresh }] };
    await assert.rejects(protectValue(fresh), refusal("value"));
  });

  test("by the options of protection", async () => {
    const value = { mail: "emily@example.com" };
    assert.deepEqual(await protectValue(value, { mode: "mask" }), { mail: "*".repeat(17) });
    assert.deepEqual(await protectValue(value, { excludeEntities: ["email"] }), value);
    await assert.rejects(protectValue(value, { entites: [] }), refusal("entites"));
    await assert.rejects(protectValue(value, { mode: "placeholder" }), refusal("mode"));
    await assert.rejects(protectValue(value, { replace: () => { throw new RangeError("mine"); } }), new RangeError("mine"));
  });

  test("with the memory of a protector", async () => {
    const protector = createProtector({ mode: "placeholder" });
    const { to } = await protector.value({ to: ["Emily Carter", "emily@example.com"] });
    assert.deepEqual(to, ["[[NAME_1]]", "[[EMAIL_2]]"]);
    assert.equal(protector.restore(to.join(", ")).text, "Emily Carter, emily@example.com");
  });
});

test("an object is protected as its JSON is", async () => {
  const vectors = join(ROOT, "tests/conformance/vectors");
  const texts = readdirSync(vectors).flatMap((file) => JSON.parse(readFileSync(join(vectors, file), "utf8")).map(({ request }) => request.text ?? "")).filter((text) => !/\p{Surrogate}/u.test(text));
  const labels = ["pesel", "iban", "name", "Emily Carter", "jméno", "user2", "note"];
  for (let at = 0; at + 5 < texts.length; at += 50) {
    const [a, b, c, d, e] = texts.slice(at);
    const label = (shift) => labels[(at + shift) % labels.length];
    const value = { [label(0)]: a, n: at, list: [b, [c], { [label(1)]: [d, at + 0.5] }], [label(2)]: { [label(3)]: e } };
    let json = "";
    for await (const piece of new Blob([JSON.stringify(value)]).stream().pipeThrough(protectStream({ format: "json" }))) json += piece;
    // JSON has one of two keys that became the same
    const all = JSON.stringify(await protectValue(value)).replaceAll(/"\[REDACTED\] \d+":/g, `"${R}":`);
    assert.equal(all, json);
  }
});
