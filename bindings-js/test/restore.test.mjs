// Placeholders, and restoring texts, streams, responses and requests.

import assert from "node:assert/strict";
import { createServer } from "node:http";
import { text as join } from "node:stream/consumers";
import { after, before, describe, test } from "node:test";
import { project } from "./project.mjs";

const { createProtector, openProtector, protectFetch, TextveilError } = await project().import();

const KEY = "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f";
const TEXT = "Dear Emily Carter, your mail jan.novak@example.cz and PESEL 44051401359. Regards, Emily Carter";
const HELD = "Dear [[NAME_1]], your mail [[EMAIL_2]] and PESEL [[PESEL_3]]. Regards, [[NAME_1]]";

const cut = (text, size) => Array.from({ length: Math.ceil(text.length / size) }, (_, at) => text.slice(at * size, (at + 1) * size));
const refusal = (field) => (error) => {
  assert.ok(error instanceof TextveilError, String(error));
  assert.deepEqual([error.code, error.field], ["invalid_request", field]);
  return true;
};

describe("the mode placeholder", () => {
  test("numbers values, each once, and restores them", () => {
    const protector = createProtector({ mode: "placeholder" });
    const { protectedText, entities } = protector.protect(TEXT);
    assert.equal(protectedText, HELD);
    assert.deepEqual(entities.map(({ protected: placeholder }) => placeholder), ["[[NAME_1]]", "[[EMAIL_2]]", "[[PESEL_3]]", "[[NAME_1]]"]);
    assert.deepEqual(protector.restore(HELD), { text: TEXT, restored: 4, unknown: 0, withheld: 0, apiVersion: "v1" });
    assert.equal(protector.protect("to anna@example.com and jan.novak@example.cz").protectedText, "to [[EMAIL_4]] and [[EMAIL_2]]");
    assert.equal(protector.session.original("[[EMAIL_4]]"), "anna@example.com");
    assert.equal(protector.session.size, 4);
  });

  test("is the protector's own: another one restores nothing", () => {
    const [one, other] = [createProtector({ mode: "placeholder" }), createProtector({ mode: "placeholder" })];
    one.protect(TEXT);
    assert.equal(other.restore(HELD).text, HELD);
    assert.equal(createProtector().restore(HELD).text, HELD);
    one.session.clear();
    assert.equal(one.restore(HELD).restored, 0);
  });

  for (const written of [
    "[[name_1]]",
    "[[Name_1]]",
    "[[ NAME_1 ]]",
    "[[NAME 1]]",
    "[[NAME-1]]",
    "\\[\\[NAME\\_1\\]\\]",
    "\\[[NAME_1]\\]",
    "[[NOM_1]]",
    "[[ИМЯ_1]]",
    "[[姓名_1]]",
    "**[[NAME_1]]**",
    "([[NAME_1]])",
  ]) {
    test(`is restored as models write it: ${written}`, async () => {
      const protector = createProtector({ mode: "placeholder" });
      protector.protect("Dear Emily Carter");
      const wanted = written.replace(/\\?\[.*\]/, "Emily Carter");
      assert.equal(protector.restore(`a ${written} b`).text, `a ${wanted} b`);
      for (const size of [1, 2, 3, 5]) {
        assert.equal(await join(ReadableStream.from(cut(`a ${written} b`, size)).pipeThrough(protector.restoreStream())), `a ${wanted} b`);
      }
    });
  }

  for (const written of ["[[NAME_2]]", "[NAME_1]", "[[1]]", "[[NAME]]", "[[_1]]", "[[NAME_1", "NAME_1]]", "a[0][1]"]) {
    test(`is not ${written}`, () => {
      const protector = createProtector({ mode: "placeholder" });
      protector.protect("Dear Emily Carter");
      assert.equal(protector.restore(written).text, written);
    });
  }

  test("keeps a backslash that is no escape", () => {
    const protector = createProtector({ mode: "placeholder" });
    protector.protect("Dear Emily Carter");
    assert.equal(protector.restore("C:\\[[NAME_1]]\\x").text, "C:\\Emily Carter\\x");
  });

  test("takes no number that a text has already", async () => {
    const text = "see [[EMAIL_1]] and [[ name 2 ]]: jan.novak@example.cz";
    const protector = createProtector({ mode: "placeholder" });
    const { protectedText } = protector.protect(text);
    assert.equal(protectedText, text.replace("jan.novak@example.cz", "[[EMAIL_3]]"));
    assert.equal(protector.restore(protectedText).text, text);
    const other = createProtector({ mode: "placeholder" });
    const held = await join(ReadableStream.from([`${text}\n`]).pipeThrough(other.stream()));
    assert.equal(other.restore(held).text, `${text}\n`);
    const store = new Map();
    const kept = await openProtector({ session: "a", store, mode: "placeholder" });
    kept.protect(text);
    await kept.session.keep();
    const next = await openProtector({ session: "a", store, mode: "placeholder" });
    assert.equal(next.protect("anna@example.com").protectedText, "[[EMAIL_4]]");
  });

  test("goes with callbacks and findings, and not with operators", () => {
    const protector = createProtector({ mode: "placeholder", keep: ({ type }) => type === "pesel", replace: ({ type }) => (type === "email" ? "<mail>" : undefined) });
    assert.equal(protector.protect(TEXT).protectedText, "Dear [[NAME_1]], your mail <mail> and PESEL 44051401359. Regards, [[NAME_1]]");
    assert.equal(protector.apply(TEXT, protector.find(TEXT).slice(0, 1)).protectedText, TEXT.replace("Emily Carter", "[[NAME_1]]"));
    assert.throws(() => protector.protect("x", { operators: { email: { mode: "mask" } } }), refusal("operators"));
  });

  test("goes through streams, files, forms and tables", async () => {
    for (const size of [1, 7, 1_000]) {
      const protector = createProtector({ mode: "placeholder" });
      const held = await join(ReadableStream.from(cut(`${TEXT}\n`, size)).pipeThrough(protector.stream()));
      assert.equal(held, `${HELD}\n`);
      assert.equal(await join(ReadableStream.from(cut(held, size)).pipeThrough(protector.restoreStream())), `${TEXT}\n`);
    }
    const protector = createProtector({ mode: "placeholder" });
    const { file, found } = await protector.file(new File(["mail,n\njan.novak@example.cz,1\n"], "a.csv"));
    assert.deepEqual([await file.text(), found], ["mail,n\n[[EMAIL_1]],1\n", { email: 1 }]);
    const form = new FormData();
    form.append("name", "Emily Carter");
    assert.equal((await protector.formData(form)).get("name"), "[[NAME_2]]");
  });
});

describe("restoreStream", () => {
  for (const mode of ["tokenize", "hash", "placeholder"]) {
    test(`restores what ${mode} wrote, cut anywhere, as strings and as bytes`, async () => {
      const protector = createProtector({ mode, session: true, key: KEY });
      const { protectedText } = protector.protect(TEXT);
      assert.ok(!/Emily|jan\.novak|44051401359/.test(protectedText));
      for (const size of [1, 2, 3, 7, 50, 1_000]) {
        assert.equal(await join(ReadableStream.from(cut(protectedText, size)).pipeThrough(protector.restoreStream())), TEXT, `${size}`);
        const bytes = cut(protectedText, size).map((part) => Buffer.from(part));
        assert.equal(await join(ReadableStream.from(bytes).pipeThrough(protector.restoreStream())), TEXT, `${size} bytes`);
      }
    });
  }

  test("holds back only what may go on", async () => {
    const protector = createProtector({ mode: "placeholder" });
    protector.protect(TEXT);
    const stream = protector.restoreStream();
    const [writer, reader] = [stream.writable.getWriter(), stream.readable.getReader()];
    for (const [piece, out] of [["Dear [", "Dear "], ["[NAME_1", undefined], ["]]. a[0", "Emily Carter. a["], ["] = 1; ", "0] = 1; "]]) {
      void writer.write(piece);
      if (out !== undefined) assert.equal((await reader.read()).value, out);
    }
  });

  test("a stream of plain text adds to the session", async () => {
    const protector = createProtector({ session: true, mode: "hash" });
    const held = await join(ReadableStream.from([`${TEXT}\n`]).pipeThrough(protector.stream()));
    assert.equal(protector.restore(held).text, `${TEXT}\n`);
  });
});

describe("sessions in a store", () => {
  test("go on with placeholders, hashes and tokens", async () => {
    const store = new Map();
    const first = await openProtector({ session: "case 7", store, mode: "placeholder" });
    assert.equal(first.protect(TEXT).protectedText, HELD);
    const others = ["hash", "tokenize"].map((mode) => first.protect(TEXT, { mode }).protectedText);
    await first.session.keep();
    assert.deepEqual([...store.keys()], ["case 7"]);

    const next = await openProtector({ session: "case 7", store, mode: "placeholder" });
    for (const held of [HELD, ...others]) assert.equal(next.restore(held).text, TEXT);
    assert.equal(next.protect("anna@example.com, Emily Carter").protectedText, "[[EMAIL_4]], [[NAME_1]]");
    const other = await openProtector({ session: "case 8", store, mode: "placeholder" });
    for (const held of [HELD, ...others]) assert.equal(other.restore(held).text, held);
    await next.session.forget();
    assert.equal(store.size, 0);
  });

  test("take a store that answers later", async () => {
    const kept = {};
    const store = {
      get: async (name) => kept[name] ?? null,
      set: async (name, text) => void (kept[name] = text),
      delete: async (name) => void delete kept[name],
    };
    const first = await openProtector({ session: "a", store, mode: "placeholder" });
    first.protect(TEXT);
    await first.session.keep();
    assert.equal((await openProtector({ session: "a", store })).restore(HELD).text, TEXT);
  });

  test("say what is wrong with a store", async () => {
    await assert.rejects(openProtector({ session: "a", store: {} }), refusal("store"));
    for (const text of ["x", "{}", '{"originals":[1]}', "null"]) {
      await assert.rejects(openProtector({ session: "a", store: new Map([["a", text]]) }), refusal("store"));
    }
  });
});

/** A response in pieces. */
const response = (type, body, size = 5) => new Response(ReadableStream.from(cut(body, size).map((part) => Buffer.from(part))), { headers: { "content-type": type, "content-length": "1" }, status: 201 });

describe("restoreResponse", () => {
  const protector = createProtector({ mode: "placeholder" });
  const ODD = 'Zoë "Z" O\\\'Neil\nx';
  protector.protect(TEXT);
  protector.apply(ODD, [{ type: "codename", start: 0, end: ODD.length }]);

  for (const [type, body, wanted] of [
    ["text/plain", HELD, TEXT],
    ["text/plain; charset=utf-8", "é [[NAME_1]] é", "é Emily Carter é"],
    ["text/html", "<p>[[NAME_1]]", "<p>Emily Carter"],
    ["application/json", '{"a": "[[CODENAME_4]]", "n": 1.50, "[[EMAIL_2]]": []}', `{"a": ${JSON.stringify(ODD)}, "n": 1.50, "jan.novak@example.cz": []}`],
    ["application/problem+json", '["[[NAME_1]]"]', '["Emily Carter"]'],
    ["application/json", JSON.stringify({ arguments: JSON.stringify({ who: "[[CODENAME_4]]" }) }), JSON.stringify({ arguments: JSON.stringify({ who: ODD }) })],
    ["application/json", "[[NAME_1]] is no JSON", "Emily Carter is no JSON"],
    ["application/x-ndjson", '{"a":"[[NAME_1]]"}\n{"b":"[[CODENAME_4]]"}', `{"a":"Emily Carter"}\n{"b":${JSON.stringify(ODD)}}`],
    ["application/octet-stream", HELD, HELD],
  ]) {
    test(`${type}: ${body.slice(0, 20)}`, async () => {
      for (const size of [1, 5, 10_000]) {
        const restored = protector.restoreResponse(response(type, body, size));
        assert.equal(await restored.text(), wanted, `in pieces of ${size}`);
        assert.equal(restored.status, 201);
        assert.equal(restored.headers.get("content-type"), type);
      }
    });
  }

  test("leaves an answer without a body", () => {
    assert.equal(protector.restoreResponse(new Response(null, { status: 204 })).status, 204);
    assert.throws(() => protector.restoreResponse("x"), refusal("response"));
  });

  const chat = (delta, finish_reason = null, index = 0) => ({ object: "chat.completion.chunk", choices: [{ index, delta, finish_reason }] });
  const anthropic = (text) => ({ type: "content_block_delta", index: 0, delta: { type: "text_delta", text } });
  for (const [name, events, textOf] of [
    ["chat completions", (parts) => [...parts.map((content) => chat({ content })), chat({}, "stop"), "[DONE]"], (event) => event.choices[0].delta.content],
    ["Responses", (parts) => [...parts.map((delta) => ({ type: "response.output_text.delta", item_id: "m", output_index: 0, delta })), { type: "response.completed" }], (event) => (event.type.endsWith(".delta") ? event.delta : undefined)],
    ["Anthropic's messages", (parts) => [...parts.map(anthropic), { type: "content_block_stop", index: 0 }], (event) => event.delta?.text],
    ["tool arguments", (parts) => [...parts.map((args) => chat({ tool_calls: [{ index: 0, function: { arguments: args } }] })), chat({}, "tool_calls"), "[DONE]"], (event) => event.choices[0].delta.tool_calls?.[0].function.arguments],
  ]) {
    test(`events of ${name}, with placeholders cut between them`, async () => {
      const isJson = name === "tool arguments";
      const [text, wanted] = isJson ? ['{"who":"[[CODENAME_4]]","to":"[[EMAIL_2]]"}', JSON.stringify({ who: ODD, to: "jan.novak@example.cz" })] : [`${HELD} [[NAME_1]]`, `${TEXT} Emily Carter`];
      for (const size of [1, 2, 3, 9, 1_000]) {
        for (const bytes of [1, 64]) {
          const sent = events(cut(text, size)).map((event) => `data: ${typeof event === "string" ? event : JSON.stringify(event)}\n\n`).join("");
          const got = await protector.restoreResponse(response("text/event-stream", sent, bytes * 7)).text();
          const data = got.trim().split("\n\n").map((event) => event.split("\n").find((line) => line.startsWith("data: ")).slice(6));
          const parsed = data.filter((one) => one !== "[DONE]").map((one) => JSON.parse(one));
          assert.equal(parsed.map((event) => textOf(event) ?? "").join(""), wanted, `${size}`);
          if (sent.includes("[DONE]")) assert.equal(data.at(-1), "[DONE]");
        }
      }
    });
  }

  test("events of two answers at once, comments and other events", async () => {
    const parts = cut("[[NAME_1]]", 3);
    const other = cut("[[EMAIL_2]]", 3);
    const sent = parts.flatMap((content, at) => [chat({ content }), chat({ content: other[at] ?? "" }, null, 1)]).map((event) => `data: ${JSON.stringify(event)}\n\n`).join("");
    const got = await protector.restoreResponse(response("text/event-stream", `: hello\n\nevent: ping\ndata: [[NAME_1]]\n\n${sent}data: [DONE]\n\n`)).text();
    assert.ok(got.startsWith(": hello\n\nevent: ping\ndata: Emily Carter\n\n"), got);
    const texts = ["", ""];
    for (const [, json] of got.matchAll(/^data: (\{.*)$/gm)) for (const { index, delta } of JSON.parse(json).choices) texts[index] += delta.content ?? "";
    assert.deepEqual(texts, ["Emily Carter", "jan.novak@example.cz"]);
  });
});

describe("protectFetch restores", () => {
  let server, address, received;
  before(async () => {
    server = createServer(async (request, answer) => {
      received = await join(request);
      answer.writeHead(200, { "content-type": "application/json" });
      answer.end(JSON.stringify({ reply: `You wrote: ${JSON.parse(received).content}` }));
    });
    await new Promise((done) => server.listen(0, "127.0.0.1", done));
    address = `http://127.0.0.1:${server.address().port}/`;
  });
  after(() => server.close());

  const ask = { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify({ content: TEXT }) };
  for (const [name, send, restores] of [
    ["in the mode placeholder", () => protectFetch({ mode: "placeholder" }), true],
    ["with restore", () => protectFetch({ mode: "tokenize", restore: true }), true],
    ["as a protector's", () => createProtector({ mode: "placeholder" }).fetch(), true],
    ["not by default", () => protectFetch({ mode: "tokenize" }), false],
    ["not where it is switched off", () => protectFetch({ mode: "placeholder", restore: false }), false],
  ]) {
    test(name, async () => {
      const { reply } = await (await send()(address, ask)).json();
      assert.ok(!/Emily|jan\.novak|44051401359/.test(received), received);
      assert.equal(reply === `You wrote: ${TEXT}`, restores, reply);
    });
  }
});
