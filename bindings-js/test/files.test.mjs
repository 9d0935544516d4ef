// Files, forms, requests, keys and sessions, in Node.

import assert from "node:assert/strict";
import { createServer } from "node:http";
import { after, before, describe, test } from "node:test";
import { project } from "./project.mjs";

const { createProtector, openProtector, protectFetch, protectFile, protectFormData, restore } = await project().import();

const KEY = "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f";
const R = "[REDACTED]";
const DUMP = "-- people\nINSERT INTO t (id, pesel) VALUES (1, 44051401359);\n";
const SAFE_DUMP = `-- people\nINSERT INTO t (id, pesel) VALUES (1, '${R}');\n`;
const TEXT = "PESEL 44051401359, mail jan.novak@example.cz";
const SAFE = `PESEL ${R}, mail ${R}`;

const refusal = (field, message = /./) => (error) => {
  assert.equal(error.name, "TextveilError", String(error));
  assert.deepEqual([error.code, error.field], ["invalid_request", field]);
  assert.match(error.message, message);
  return true;
};

describe("protectFile", () => {
  for (const [name, type, content, wanted] of [
    ["a.txt", "text/plain", TEXT, SAFE],
    ["a.md", "", `# ${TEXT}`, `# ${SAFE}`],
    ["a.log", "", `${TEXT}\n`, `${SAFE}\n`],
    ["a.csv", "", "pesel\n44051401359\n", `pesel\n${R}\n`],
    ["a.tsv", "text/tab-separated-values", "pesel\tn\n44051401359\t1\n", `pesel\tn\n${R}\t1\n`],
    ["a.json", "application/json", '{"pesel":44051401359}', `{"pesel":"${R}"}`],
    ["a.jsonl", "", '{"pesel":44051401359}\n', `{"pesel":"${R}"}\n`],
    ["a.html", "text/html; charset=utf-8", `<p>${TEXT}`, `<p>${SAFE}`],
    ["a.constructor", "", TEXT, SAFE],
    ["a.vcf", "text/vcard", `NOTE:${TEXT}`, `NOTE:${SAFE}`],
  ]) {
    test(`${name} keeps its format, its name and its type`, async () => {
      const { file, found } = await protectFile(new File([content], name, { type }));
      assert.deepEqual([file.name, file.type, await file.text()], [name, type, wanted]);
      assert.equal(found.pesel, 1);
      assert.equal(found.email ?? 0, content.includes("@") ? 1 : 0);
    });
  }

  test("a blob has no name", async () => {
    const { file, found } = await protectFile(new Blob([`tel. +420 601 123 456`]), { mode: "mask" });
    assert.deepEqual([file.name, await file.text(), found], ["protected.txt", `tel. ${"*".repeat(16)}`, { phone: 1 }]);
  });

  test("content tells SQL where neither the name nor the type tells a format", async () => {
    for (const file of [new Blob([DUMP]), new File([DUMP], "dump"), new File([DUMP], "dump", { type: "application/octet-stream" })]) {
      assert.equal(await (await protectFile(file)).file.text(), SAFE_DUMP);
    }
    const asText = SAFE_DUMP.replaceAll("'", "");
    for (const file of [new File([DUMP], "dump.txt"), new File([DUMP], "dump", { type: "text/plain" })]) {
      assert.equal(await (await protectFile(file)).file.text(), asText);
    }
    assert.equal(await (await protectFile(new Blob([DUMP]), { format: "text" })).file.text(), asText);
  });

  test("says how far it is", async () => {
    const content = `${TEXT}\n`.repeat(15_000);
    const seen = [];
    const { file, found } = await protectFile(new Blob([content]), {}, (progress) => seen.push(progress));
    assert.ok(seen.length > 2);
    assert.deepEqual(seen.at(-1), { read: content.length, total: content.length, found: 30_000 });
    assert.ok(seen.every(({ read }, index) => index === 0 || read >= seen[index - 1].read));
    assert.deepEqual(found, { pesel: 15_000, email: 15_000 });
    assert.equal(await file.text(), `${SAFE}\n`.repeat(15_000));
  });

  test("ends early", async () => {
    const controller = new AbortController();
    const file = new Blob([`${TEXT}\n`.repeat(50_000)]);
    const work = protectFile(file, { signal: controller.signal }, () => controller.abort());
    await assert.rejects(work, { name: "AbortError" });
    await assert.rejects(protectFile(file, { signal: AbortSignal.abort() }), { name: "AbortError" });
  });

  test("reads what a byte order mark or the caller says", async () => {
    const utf16 = Buffer.from(`\ufeff${TEXT}`, "utf16le");
    assert.equal(await (await protectFile(new Blob([utf16]))).file.text(), SAFE);
    const windows = new Blob([new Uint8Array([0xe8, 0x20]), TEXT]);
    assert.equal(await (await protectFile(windows, { encoding: "windows-1250" })).file.text(), `č ${SAFE}`);
    await assert.rejects(protectFile(windows), refusal("file", /not utf-8.*encoding/));
  });

  test("refuses what is no text", async () => {
    await assert.rejects(protectFile(new File(["%PDF"], "a.pdf", { type: "application/pdf" })), refusal("file", /type/));
    await assert.rejects(protectFile(new Blob(["a\0b"])), refusal("file", /bytes/));
    await assert.rejects(protectFile("text"), refusal("file"));
    await assert.rejects(protectFile(new Blob(["x"]), { format: "pdf" }), refusal("format"));
    await assert.rejects(protectFile(new File(["{"], "a.json")), refusal("format", /line 1/));
    const forced = new File([TEXT], "a.bin", { type: "application/x-own" });
    assert.equal(await (await protectFile(forced, { format: "text" })).file.text(), SAFE);
  });
});

describe("protectFormData", () => {
  const form = (...entries) => {
    const made = new FormData();
    for (const [name, value] of entries) made.append(name, value);
    return made;
  };

  test("reads a field behind its name, and files as files", async () => {
    const out = await protectFormData(
      form(["pesel", "44051401359"], ["topic", "invoice 7"], ["file", new File(["pesel\n44051401359\n"], "a.csv")], ["topic", TEXT], ["empty", ""]),
    );
    assert.deepEqual([...out.keys()], ["pesel", "topic", "file", "topic", "empty"]);
    assert.deepEqual([out.get("pesel"), ...out.getAll("topic"), out.get("empty")], [R, "invoice 7", SAFE, ""]);
    assert.deepEqual([out.get("file").name, await out.get("file").text()], ["a.csv", `pesel\n${R}\n`]);
  });

  test("refuses what it cannot look at, unless it may pass", async () => {
    const image = form(["scan", new File([new Uint8Array([1, 2, 3])], "a.png", { type: "image/png" })]);
    await assert.rejects(protectFormData(image), refusal("file"));
    assert.equal((await protectFormData(image, { binary: "pass" })).get("scan").size, 3);
    await assert.rejects(protectFormData({}), refusal("form"));
  });
});

describe("protectFetch", () => {
  let address, server, received;
  before(async () => {
    server = createServer(async (request, response) => {
      const parts = [];
      for await (const part of request) parts.push(part);
      received = { type: request.headers["content-type"] ?? "", method: request.method, body: Buffer.concat(parts).toString(), headers: request.headers };
      response.end("jan.novak@example.cz");
    });
    await new Promise((done) => server.listen(0, "127.0.0.1", done));
    address = `http://127.0.0.1:${server.address().port}/`;
  });
  after(() => server.close());

  const json = JSON.stringify({ pesel: 44051401359, note: TEXT });
  const safeJson = JSON.stringify({ pesel: R, note: SAFE });
  const headers = (type) => ({ "content-type": type });
  const stream = (text) => ReadableStream.from([Buffer.from(text)]);
  for (const [name, init, wanted] of [
    ["text", { body: TEXT }, SAFE],
    ["JSON", { body: json, headers: headers("application/json") }, safeJson],
    ["JSON without saying so", { body: json }, safeJson],
    ["SQL without saying so", { body: DUMP }, SAFE_DUMP],
    ["SQL as bytes without saying so", { body: Buffer.from(DUMP) }, SAFE_DUMP],
    ["JSON as bytes", { body: Buffer.from(json), headers: headers("application/json") }, safeJson],
    ["a blob", { body: new Blob([json], { type: "application/json" }) }, safeJson],
    ["a stream", { body: stream(json), duplex: "half", headers: headers("application/json") }, safeJson],
    ["form fields", { body: new URLSearchParams({ pesel: "44051401359", n: "1" }) }, new URLSearchParams({ pesel: R, n: "1" }).toString()],
    ["form fields as text", { body: "pesel=44051401359&n=1", headers: headers("application/x-www-form-urlencoded") }, new URLSearchParams({ pesel: R, n: "1" }).toString()],
    ["a page", { body: `<p>${TEXT}`, headers: headers("text/html") }, `<p>${SAFE}`],
  ]) {
    test(`protects ${name}`, async () => {
      await protectFetch()(address, { method: "POST", ...init });
      assert.equal(received.body, wanted);
      if (init.headers) assert.equal(received.type, init.headers["content-type"]);
      const { body, ...rest } = { method: "POST", ...init };
      if (body instanceof ReadableStream) return;
      await protectFetch()(new Request(address, { body, ...rest }));
      assert.equal(received.body, wanted, "as a Request");
    });
  }

  test("protects a form with a file", async () => {
    const body = new FormData();
    body.append("pesel", "44051401359");
    body.append("file", new File([TEXT], "a.txt", { type: "text/plain" }));
    for (const ask of [[address, { method: "POST", body }], [new Request(address, { method: "POST", body })]]) {
      await protectFetch()(...ask);
      assert.match(received.type, /^multipart\/form-data; boundary=/);
      assert.ok(received.body.includes(SAFE) && received.body.includes(`\r\n\r\n${R}\r\n`), received.body);
      assert.ok(!/44051401359|jan\.novak/.test(received.body));
    }
  });

  test("keeps the rest of a request, and its answer", async () => {
    const response = await protectFetch()(address, { method: "PUT", body: TEXT, headers: { "x-own": "1", "content-length": "44" } });
    assert.deepEqual([received.method, received.headers["x-own"]], ["PUT", "1"]);
    assert.equal(await response.text(), "jan.novak@example.cz");
    await protectFetch()(address);
    assert.deepEqual([received.method, received.body], ["GET", ""]);
  });

  test("leaves a Request as it was", async () => {
    const request = new Request(address, { method: "POST", body: TEXT });
    await protectFetch()(request);
    assert.equal(received.body, SAFE);
    assert.equal(await request.text(), TEXT);
    await protectFetch()(new Request(address, { method: "POST", body: "" }));
    assert.deepEqual([received.method, received.body], ["POST", ""]);
    await protectFetch()(new Request(address, { method: "POST", body: new Blob([]) }), { headers: { "x-own": "1" } });
    assert.deepEqual([received.body, received.headers["x-own"]], ["", "1"]);
  });

  test("sends nothing where a body cannot be inspected", async () => {
    received = undefined;
    const image = { method: "POST", body: new Blob([new Uint8Array([255, 1])], { type: "image/png" }) };
    await assert.rejects(protectFetch()(address, image), refusal("body", /binary/));
    await assert.rejects(protectFetch()(address, { method: "POST", body: "{", headers: headers("application/json") }), refusal("format"));
    assert.equal(received, undefined);
    await protectFetch({ binary: "pass" })(address, image);
    assert.equal(received.type, "image/png");
  });

  test("goes through the caller's own fetch", async () => {
    const sent = [];
    const own = async (...call) => sent.push(call);
    await protectFetch({ fetch: own, mode: "mask" })("https://example.com/", { method: "POST", body: "jan.novak@example.cz" });
    assert.equal(sent[0][1].body, "*".repeat(20));
  });
});

describe("keys of the Web Cryptography API", () => {
  const bytes = Buffer.from(KEY, "hex");
  const token = async (key) => (await openProtector({ key, mode: "tokenize" })).protect(TEXT).protectedText;

  for (const [name, make, extractable] of [
    ["HKDF", () => crypto.subtle.importKey("raw", bytes, "HKDF", false, ["deriveBits"]), false],
    ["HMAC", () => crypto.subtle.importKey("raw", bytes, { name: "HMAC", hash: "SHA-256" }, false, ["sign"]), false],
    ["AES, extractable", () => crypto.subtle.importKey("raw", bytes, "AES-GCM", true, ["encrypt"]), true],
  ]) {
    test(name, async () => {
      const key = await make();
      const first = await token(key);
      assert.equal(await token(await make()), first, "the same key, the same tokens");
      assert.equal((await openProtector({ key })).restore(first).text, TEXT);
      assert.equal(first === (await token(KEY)), extractable);
    });
  }

  test("one that cannot be used", async () => {
    const key = await crypto.subtle.importKey("raw", bytes, "AES-GCM", false, ["encrypt"]);
    await assert.rejects(openProtector({ key }), refusal("key"));
    await assert.rejects(protectFile(new Blob(["x"]), { key }), refusal("key"));
  });

  test("older keys", async () => {
    const old = await crypto.subtle.importKey("raw", bytes, "HKDF", false, ["deriveBits"]);
    const sealed = (await openProtector({ key: old, keyVersion: 1, mode: "tokenize" })).protect(TEXT).protectedText;
    const rotated = await openProtector({ key: `ff${KEY}`, keyVersion: 2, previousKeys: [{ key: old, keyVersion: 1 }] });
    assert.equal(rotated.restore(sealed).text, TEXT);
  });
});

describe("a session", () => {
  test("turns hashes and tokens back that it made", async () => {
    const protector = createProtector({ session: true, key: KEY });
    const hashed = protector.protect(TEXT, { mode: "hash" });
    const sealed = protector.protect(TEXT, { mode: "tokenize" });
    assert.equal(protector.session.size, 4);
    assert.equal(protector.session.original(hashed.entities[0].protected), "44051401359");
    assert.deepEqual(protector.restore(`${hashed.protectedText} / ${sealed.protectedText}`), { text: `${TEXT} / ${TEXT}`, restored: 4, unknown: 0, withheld: 0, apiVersion: "v1" });
    const other = createProtector({ key: KEY });
    assert.equal(other.session, undefined);
    assert.equal(other.restore(hashed.protectedText).text, hashed.protectedText);
    protector.session.clear();
    assert.equal(protector.restore(hashed.protectedText).restored, 0);
    assert.equal(protector.restore(sealed.protectedText).restored, 2, "the key turns tokens back by itself");
  });

  test("remembers no replacement that may stand for several", () => {
    const protector = createProtector({ session: true, operators: { email: { mode: "replace", newValue: "mail" } } });
    for (const mode of ["replace", "mask"]) protector.protect(TEXT, { mode });
    assert.equal(protector.session.size, 0);
  });

  test("remembers the values of files and forms", async () => {
    const protector = createProtector({ session: true, mode: "hash" });
    const { file } = await protector.file(new File(['{"mail":"jan.novak@example.cz"}'], "a.json"));
    assert.equal(protector.restore(await file.text()).text, '{"mail":"jan.novak@example.cz"}');
  });

  test("is kept where there is IndexedDB only", async () => {
    await assert.rejects(openProtector({ session: "case 7" }), refusal("session", /IndexedDB/));
    await assert.rejects(openProtector({ session: "" }), refusal("session"));
    assert.throws(() => createProtector({ session: "case 7" }), refusal("session", /openProtector/));
    await assert.rejects(createProtector({ session: true }).session.keep(), refusal("session", /name/));
  });
});

test("a protector keeps its options for everything", async () => {
  const protector = createProtector({ mode: "mask", excludeEntities: ["pesel"], customDetectors: [{ name: "ticket", pattern: "T-[0-9]{4}" }] });
  const text = `T-1234 ${TEXT}`;
  const wanted = text.replace("T-1234", "*".repeat(6)).replace("jan.novak@example.cz", "*".repeat(20));
  assert.deepEqual(protector.detect(text).entities.map(({ type }) => type), ["ticket", "email"]);
  assert.equal(protector.protect(text).protectedText, wanted);
  assert.equal(await (await protector.file(new Blob([text]))).file.text(), wanted);
  const form = new FormData();
  form.append("note", text);
  assert.equal((await protector.formData(form)).get("note"), wanted);
  let sent;
  await protector.fetch({ fetch: async (_, { body }) => (sent = body) })("https://example.com/", { method: "POST", body: text });
  assert.equal(sent, wanted);
  const sealed = protector.protect(text, { mode: "tokenize" }).protectedText;
  assert.equal(restore(sealed).text, text, "without a key of its own, the one of this instance");
});
