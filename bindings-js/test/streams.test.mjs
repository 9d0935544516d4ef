// Streams: their bytes, their ends, and what they free.

import assert from "node:assert/strict";
import { Readable } from "node:stream";
import { text as join } from "node:stream/consumers";
import { pipeline } from "node:stream/promises";
import { describe, test } from "node:test";
import { alive } from "./counting.mjs";
import { project } from "./project.mjs";
import { contract, EXPECTED } from "./protector-body.mjs";

const installed = project();
const { createProtector, openProtector, protectFetch, protectFile, protectFormData, protectStream, TextveilError } = await installed.import();
const { protectTransform } = await installed.import("textveil/node");
const R = "[REDACTED]";

const refusal = (field) => (error) => {
  assert.ok(error instanceof TextveilError, String(error));
  assert.deepEqual([error.code, error.field], ["invalid_request", field]);
  return true;
};
const streamed = (pieces, options) => join(ReadableStream.from(pieces).pipeThrough(protectStream(options)));

// "Zażółć, jan.novak@example.cz" with letters that are not UTF-8
const POLISH = "Zażółć, jan.novak@example.cz\n";
const BYTES = Uint8Array.from([0x5a, 0x61, 0xbf, 0xf3, 0xb3, 0xe6, ...Buffer.from(POLISH.slice(6))]);
const utf16 = (text, isBig) => {
  const bytes = Buffer.from(`\ufeff${text}`, "utf16le");
  return isBig ? bytes.swap16() : bytes;
};

for (const [name, open] of Object.entries({ createProtector: async (options) => createProtector(options), openProtector })) {
  test(`a protector of ${name} has the verbs of every protector`, async () => {
    const done = await contract(open, async () => alive.size);
    assert.deepEqual(done, EXPECTED);
  });
}

describe("bytes", () => {
  test("that are not of the encoding are rejected, not corrupted", async () => {
    for (const size of [1, 4, 100]) {
      const pieces = Array.from({ length: Math.ceil(BYTES.length / size) }, (_, at) => BYTES.subarray(at * size, (at + 1) * size));
      await assert.rejects(streamed(pieces), refusal("stream"));
      assert.equal(await streamed(pieces, { encoding: "windows-1250" }), POLISH.replace("jan.novak@example.cz", R));
    }
    // a character that is cut off at the end
    await assert.rejects(streamed([Buffer.from("é").subarray(0, 1)]), refusal("stream"));
    await assert.rejects(streamed([Uint8Array.of(65, 0, 66)]), refusal("stream"));
    await assert.rejects(pipeline(Readable.from([BYTES]), protectTransform(), (parts) => join(parts)), refusal("stream"));
    assert.throws(() => protectStream({ encoding: "utf-9" }), refusal("encoding"));
  });

  test("are read by their byte order mark", async () => {
    for (const isBig of [false, true]) {
      const bytes = utf16(POLISH, isBig);
      const pieces = [bytes.subarray(0, 7), bytes.subarray(7)];
      assert.equal(await streamed(pieces), `\ufeff${POLISH.replace("jan.novak@example.cz", R)}`);
    }
  });

  test("are read by the charset of their type, and leave in UTF-8", async () => {
    const wanted = POLISH.replace("jan.novak@example.cz", R);
    const type = "text/plain; charset=windows-1250";
    const { file } = await protectFile(new File([BYTES], "a.txt", { type }));
    assert.deepEqual([await file.text(), file.type], [wanted, "text/plain; charset=utf-8"]);
    for (const body of [BYTES, new Blob([BYTES]), ReadableStream.from([BYTES])]) {
      const sent = [];
      const send = protectFetch({ fetch: async (url, init) => sent.push(new Request(url, init)) });
      await send("https://example.com/", { method: "POST", body, headers: { "content-type": type }, duplex: "half" });
      assert.deepEqual([await sent[0].text(), sent[0].headers.get("content-type")], [wanted, "text/plain; charset=utf-8"]);
    }
    await assert.rejects(protectFetch({ fetch: async () => {} })("https://example.com/", { method: "POST", body: BYTES }), refusal("file"));
    const answer = new Response(BYTES, { headers: { "content-type": type } });
    const protector = createProtector({ mode: "placeholder" });
    assert.equal(await protector.restoreResponse(answer).text(), POLISH);
  });
});

/** Returns the number of WebAssembly objects that some work leaves behind. */
async function left(work) {
  const before = new Set(alive);
  await work();
  return [...alive].filter((token) => !before.has(token)).length;
}

describe("what a stream holds is freed", () => {
  const options = { key: "00".repeat(16) };
  // the keys are the protector's
  const protector = createProtector(options);
  const text = "PESEL 44051401359\n".repeat(1_000);

  for (const [name, work] of [
    ["when it ends", async (stream) => void (await join(ReadableStream.from([text]).pipeThrough(stream)))],
    ["when its reader cancels", async ({ readable, writable }) => {
      const writer = writable.getWriter();
      void writer.write(text).catch(() => {});
      const reader = readable.getReader();
      await reader.read();
      await reader.cancel("enough");
      await assert.rejects(writer.write("x"));
    }],
    ["when its writer aborts", async ({ readable, writable }) => {
      const reading = join(readable);
      const writer = writable.getWriter();
      await writer.write(text);
      await writer.abort(new Error("gone"));
      await assert.rejects(reading, /gone/);
    }],
    ["when its source fails", async (stream) => {
      const failing = new ReadableStream({ pull: (controller) => controller.error(new Error("broken")) });
      await assert.rejects(join(failing.pipeThrough(stream)), /broken/);
    }],
    ["when a piece is rejected", async (stream) => void (await assert.rejects(join(ReadableStream.from([Uint8Array.of(255)]).pipeThrough(stream))))],
  ]) {
    test(name, async () => assert.equal(await left(() => work(protector.stream())), 0));
  }

  test("when its signal says so, before and while it runs", async () => {
    const early = await left(async () => {
      const stream = protector.stream({ signal: AbortSignal.abort(new Error("early")) });
      await assert.rejects(join(ReadableStream.from([text]).pipeThrough(stream)), /early/);
    });
    const late = await left(async () => {
      const controller = new AbortController();
      const { readable, writable } = protector.stream({ signal: controller.signal });
      const reading = join(readable);
      const writer = writable.getWriter();
      await writer.write(text);
      controller.abort(new Error("late"));
      await assert.rejects(reading, /late/);
      await assert.rejects(writer.write("x"), /late/);
    });
    assert.deepEqual([early, late], [0, 0]);
  });

  test("when a Transform of Node is destroyed or aborted", async () => {
    // its keys are registered, and stay
    const closed = (transform) => new Promise((done) => transform.once("close", done));
    const keys = await left(() => closed(Object.assign(protectTransform(options)).end(text).resume()));
    const destroyed = await left(() => {
      const transform = protectTransform(options);
      transform.write(text);
      transform.destroy();
      return closed(transform);
    });
    const controller = new AbortController();
    const aborted = await left(async () => {
      const transform = protectTransform({ ...options, signal: controller.signal });
      transform.write(text);
      const failed = new Promise((done) => transform.once("error", done));
      controller.abort();
      assert.equal((await failed).name, "AbortError");
    });
    assert.deepEqual([destroyed, aborted], [keys, keys]);
  });

  test("when options are refused", async () => {
    const refused = await left(() => {
      assert.throws(() => protector.stream({ encoding: "utf-9" }));
      assert.throws(() => protector.stream({ format: "csv", encoding: "utf-9" }));
      assert.throws(() => protector.stream({ mode: "shred" }));
    });
    assert.equal(refused, 0);
  });
});

describe("a signal ends", () => {
  const signal = AbortSignal.abort(new Error("stop"));
  test("a form", async () => {
    const form = new FormData();
    form.append("a", "b");
    await assert.rejects(protectFormData(form, { signal }), /stop/);
  });
  test("a request, before anything is sent", async () => {
    let sent = 0;
    const send = protectFetch({ fetch: async () => void (sent += 1) });
    await assert.rejects(send("https://example.com/", { method: "POST", body: "x", signal }), /stop/);
    await assert.rejects(send(new Request("https://example.com/", { method: "POST", body: "x", signal })), /stop/);
    assert.equal(sent, 0);
  });
  test("a restoring stream", async () => {
    const stream = createProtector().restoreStream({ signal });
    await assert.rejects(join(ReadableStream.from(["x"]).pipeThrough(stream)), /stop/);
  });
});

test("a stream takes no more than is read", async () => {
  const { readable, writable } = protectStream();
  const writer = writable.getWriter();
  let written = 0;
  const writing = (async () => {
    for (let at = 0; at < 10; at += 1) {
      await writer.write("a line\n");
      written += 1;
    }
    await writer.close();
  })();
  await new Promise((done) => setImmediate(done));
  assert.ok(written <= 1, `${written} pieces`);
  assert.equal(await join(readable), "a line\n".repeat(10));
  await writing;
});
