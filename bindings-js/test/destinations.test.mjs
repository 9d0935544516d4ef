// Restored and withheld values: the corpus of the gateway, through every way in which a protector restores.

import assert from "node:assert/strict";
import { text as join } from "node:stream/consumers";
import { describe, test } from "node:test";
import { CALLS, HOSTS, PARTS, TEXTS, TYPES, VALUES } from "./corpus.mjs";
import { project } from "./project.mjs";

const { createProtector, protect, protectFetch, restore, TextveilError } = await project().import();

const KEY = "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f";
const signs = Object.keys(VALUES);
const letters = (text) => Array.from(text);

/** A protector that knows the values, and the placeholders of the signs. */
function opened(options = {}) {
  const protector = createProtector({ mode: "placeholder", restoreHosts: HOSTS, ...options });
  const made = signs.map((sign) => {
    const value = VALUES[sign];
    return [sign, protector.apply(value, [{ type: TYPES[sign], start: 0, end: value.length }]).protectedText];
  });
  const written = (text) => made.reduce((all, [sign, placeholder]) => all.replaceAll(sign, placeholder), text);
  const signed = (text) => made.reduce((all, [sign, placeholder]) => all.replaceAll(placeholder, sign), text);
  return { protector, written, signed };
}

const events = (pieces) => new Response(pieces.map((data) => `data: ${typeof data === "string" ? data : JSON.stringify(data)}\n\n`).join(""), { headers: { "content-type": "text/event-stream" } });
const payloads = (text) => text.split("\n\n").filter((event) => event.startsWith("data: {")).map((event) => JSON.parse(event.slice(6)));
const delta = (content, index = 0) => ({ choices: [{ index, delta: { content } }] });

const WAYS = {
  restore: ({ protector }, text) => protector.restore(text).text,
  "restoreStream, cut": async ({ protector }, text) => join(ReadableStream.from(letters(text)).pipeThrough(protector.restoreStream())),
  "restoreStream, whole": async ({ protector }, text) => join(ReadableStream.from([text]).pipeThrough(protector.restoreStream())),
  "restoreResponse, text": async ({ protector }, text) => protector.restoreResponse(new Response(text)).text(),
  "restoreResponse, JSON": async ({ protector }, text) =>
    (await protector.restoreResponse(Response.json({ choices: [{ message: { content: text } }] })).json()).choices[0].message.content,
  "restoreResponse, events": async ({ protector }, text) => {
    const response = protector.restoreResponse(events([...letters(text).map((letter) => delta(letter)), { choices: [{ index: 0, delta: {}, finish_reason: "stop" }] }, "[DONE]"]));
    return payloads(await response.text()).map(({ choices }) => choices[0].delta.content ?? "").join("");
  },
  "fetch, events": async ({ protector }, text) => {
    const send = protector.fetch({ fetch: async () => events([...letters(text).map((letter) => ({ type: "content_block_delta", index: 0, delta: { type: "text_delta", text: letter } })), { type: "message_stop" }]) });
    return payloads(await (await send("https://api.example/")).text()).map((event) => event.delta?.text ?? "").join("");
  },
};

describe("a value is restored by its destination", () => {
  for (const [way, restored] of Object.entries(WAYS)) {
    test(way, async () => {
      const own = opened();
      for (const [name, text, wanted] of TEXTS) {
        assert.equal(own.signed(await restored(own, own.written(text))), wanted, name);
      }
    });
  }

  test("tokens and hashes too", () => {
    for (const mode of ["tokenize", "hash"]) {
      const protector = createProtector({ mode, key: KEY, session: true, restoreHosts: ["crm.example.com"] });
      const { protectedText: token } = protector.protect("jan.novak@example.cz");
      const { text, restored, withheld } = protector.restore(`${token} https://crm.example.com/${token} https://example.org/${token}`);
      assert.deepEqual([text, restored, withheld], [`jan.novak@example.cz https://crm.example.com/jan.novak@example.cz https://example.org/${token}`, 2, 1]);
    }
    const { protectedText } = protect("jan.novak@example.cz", { mode: "tokenize", key: KEY });
    assert.equal(restore(`https://example.org/${protectedText}`, { key: KEY }).withheld, 1);
    assert.equal(restore(`https://example.org/${protectedText}`, { key: KEY, restoreHosts: ["example.org"] }).withheld, 0);
  });

  test("protectFetch takes the hosts", async () => {
    const echo = async (_, { body }) => new Response(`https://crm.example.com/${body}`);
    for (const [restoreHosts, wanted] of [[undefined, "[[EMAIL_1]]"], [["crm.example.com"], "jan.novak@example.cz"]]) {
      const send = protectFetch({ mode: "placeholder", fetch: echo, restoreHosts });
      const answer = await send("https://api.example/", { method: "POST", body: "jan.novak@example.cz" });
      assert.equal(await answer.text(), `https://crm.example.com/${wanted}`);
    }
  });
});

describe("the application is told what was restored", () => {
  for (const [way, restored] of Object.entries(WAYS)) {
    test(way, async () => {
      const told = [];
      const own = opened({ onRestored: (counts) => told.push(counts) });
      const [first] = signs;
      await restored(own, own.written(`${first} https://example.org/?q=${first}`));
      assert.deepEqual(told, [{ restored: 1, unknown: 0, withheld: 1 }]);
    });
  }

  test("also where its stream is cancelled", async () => {
    const told = [];
    const { protector, written } = opened({ onRestored: (counts) => told.push(counts) });
    const reader = ReadableStream.from([written(`${signs[0]} and `), "more"]).pipeThrough(protector.restoreStream()).getReader();
    await reader.read();
    await reader.cancel();
    assert.deepEqual(told, [{ restored: 1, unknown: 0, withheld: 0 }]);
  });

  test("and where it throws, no stream waits for ever", async () => {
    const own = opened({ onRestored: () => assert.fail("of the application") });
    const { readable, writable } = own.protector.restoreStream();
    const [writer, whole] = [writable.getWriter(), join(readable)];
    await writer.write(own.written(signs[0]));
    await assert.rejects(writer.close(), /of the application/);
    assert.equal(await whole, VALUES[signs[0]]);
    const reader = ReadableStream.from([own.written(`${signs[0]} and `), "more"]).pipeThrough(own.protector.restoreStream()).getReader();
    await reader.read();
    await assert.rejects(reader.cancel(), /of the application/);
    assert.equal((await reader.read()).done, true);
  });

  test("by a function", () => {
    assert.throws(() => createProtector({ onRestored: true }), { code: "invalid_request", field: "onRestored" });
  });
});

describe("the parts of an answer are one text", () => {
  for (const [name, parts, wanted] of PARTS) {
    test(name, async () => {
      const own = opened();
      const content = parts.map((text) => ({ type: "text", text: own.written(text) }));
      const whole = await own.protector.restoreResponse(Response.json({ content })).json();
      assert.deepEqual(whole.content.map(({ text }) => own.signed(text)), wanted);
      const choices = parts.flatMap((text, index) => [delta(own.written(text), index), { choices: [{ index, delta: {}, finish_reason: "stop" }] }]);
      const got = parts.map(() => "");
      for (const { choices: [choice] } of payloads(await own.protector.restoreResponse(events([...choices, "[DONE]"])).text())) got[choice.index] += choice.delta.content ?? "";
      assert.deepEqual(got.map(own.signed), wanted);
    });
  }
});

describe("the arguments of a call", () => {
  for (const [name, tool, written, isRestored] of CALLS) {
    test(name, async () => {
      const own = opened();
      const call = { name: tool, arguments: own.written(written) };
      const whole = await own.protector.restoreResponse(Response.json({ choices: [{ message: { tool_calls: [{ function: call }] } }] })).json();
      const got = [whole.choices[0].message.tool_calls[0].function.arguments];
      if (written.startsWith("{")) {
        const input = JSON.parse(call.arguments);
        const message = await own.protector.restoreResponse(Response.json({ content: [{ type: "tool_use", name: tool, input }] })).json();
        got.push(JSON.stringify(message.content[0].input));
      }
      const chunk = (fields) => ({ choices: [{ index: 0, delta: { tool_calls: [{ index: 0, function: fields }] } }] });
      const pieces = [chunk({ name: tool, arguments: "" }), ...letters(call.arguments).map((letter) => chunk({ name: tool, arguments: letter })), "[DONE]"];
      const streamed = payloads(await own.protector.restoreResponse(events(pieces)).text());
      got.push(streamed.map(({ choices }) => choices[0].delta.tool_calls[0].function.arguments).join(""));
      for (const text of got) assert.equal(signs.every((sign) => !own.signed(text).includes(sign)), isRestored, text);
    });
  }
});

test("restoreHosts must be host names", () => {
  for (const restoreHosts of ["example.com", [1], ["https://example.com"], ["*.com"]]) {
    assert.throws(
      () => createProtector({ mode: "placeholder", restoreHosts }).restore("x"),
      (error) => error instanceof TextveilError && error.field === "restoreHosts",
    );
  }
});
