// The wrapper and the middleware for LangChain, with the real LangChain and models of this file.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync, readdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import { BaseChatModel } from "@langchain/core/language_models/chat_models";
import { AIMessage, AIMessageChunk, HumanMessage, SystemMessage, ToolMessage } from "@langchain/core/messages";
import { ChatGenerationChunk } from "@langchain/core/outputs";
import { createAgent, tool } from "langchain";
import { z } from "zod";
import { guideExamples } from "./guides.mjs";
import { NODE_MODULES, project } from "./project.mjs";

const installed = project();
const { protectMiddleware, protectModel } = await installed.import("textveil/langchain");
const { TextveilError } = await installed.import();

const TEXT = "I am Emily Carter, jan.novak@example.cz, PESEL 44051401359.";
const HELD = "I am [[NAME_1]], [[EMAIL_2]], PESEL [[PESEL_3]].";
const PERSONAL = /Emily|Carter|jan\.novak|44051401359/;
const cut = (text, size) => text.match(new RegExp(`[^]{1,${size}}`, "g")) ?? [];

/** A model that answers as it is told, whole, and remembers what it was asked. */
class Whole extends BaseChatModel {
  constructor(answers, asked = []) {
    super({});
    this.answers = answers;
    this.asked = asked;
  }
  _llmType() {
    return "test";
  }
  bindTools(tools) {
    return this.withConfig({ tools });
  }
  next(messages) {
    this.asked.push(messages);
    return this.answers[Math.min(this.asked.length, this.answers.length) - 1];
  }
  async _generate(messages) {
    const message = new AIMessageChunk(this.next(messages));
    return { generations: [{ text: message.text, message }] };
  }
}

/**
 * The same in pieces: each answer is a list of the fields of its chunks. As in models of providers, one class has all
 * methods, also that of events.
 */
class Streamed extends BaseChatModel {
  constructor(answers, asked = []) {
    super({});
    this.answers = answers;
    this.asked = asked;
  }
  _llmType() {
    return "test";
  }
  bindTools(tools) {
    return this.withConfig({ tools });
  }
  async _generate(messages) {
    throw new Error(`streams only, also ${messages.length} messages`);
  }
  async *_streamChatModelEvents(messages) {
    this.asked.push(messages);
    yield* [];
  }
  next(messages) {
    this.asked.push(messages);
    return this.answers[Math.min(this.asked.length, this.answers.length) - 1];
  }
  async *_streamResponseChunks(messages) {
    for (const fields of this.next(messages)) {
      const message = new AIMessageChunk(fields);
      yield new ChatGenerationChunk({ text: message.text, message });
    }
  }
}

/** As models of some providers, which make another model where they are given options. */
class Remade extends Whole {
  withConfig() {
    return new Remade(this.answers, this.asked);
  }
}

/** As the model of `initChatModel`, which hands each call to the model that it chose. */
class Configurable extends Whole {
  async _getModelInstance() {
    return new Whole(this.answers, this.asked);
  }
  async invoke(input, options) {
    return (await this._getModelInstance()).invoke(input, options);
  }
  async stream(input, options) {
    return (await this._getModelInstance()).stream(input, options);
  }
}

const answered = (answer, options) => {
  const model = new Whole([answer]);
  return { asked: model.asked, model: protectModel(model, options) };
};
const refusal = (field) => (error) => {
  assert.ok(error instanceof TextveilError, String(error));
  assert.deepEqual([error.code, error.field], ["invalid_request", field]);
  assert.ok(!PERSONAL.test(error.message));
  return true;
};
const sent = (asked) => JSON.stringify(asked.map((messages) => messages.map((message) => [message.content, message.tool_calls, message.additional_kwargs, message.toDict()])));

describe("a model is protected", () => {
  test("messages leave with placeholders, and the answer is restored", async () => {
    const { asked, model } = answered({ content: "Dear [[Name 1]], see https://evil.example/?q=[[EMAIL_2]], **[[EMAIL_2]]**", additional_kwargs: { reasoning_content: "it is [[NAME_1]]" } });
    const message = await model.invoke([["system", "Help Emily Carter."], ["human", TEXT]]);
    assert.deepEqual(asked[0].map(({ content }) => content), ["Help [[NAME_1]].", HELD]);
    assert.equal(message.content, "Dear Emily Carter, see https://evil.example/?q=[[EMAIL_2]], **jan.novak@example.cz**");
    assert.equal(message.additional_kwargs.reasoning_content, "it is Emily Carter");
    assert.ok(message instanceof AIMessageChunk && model instanceof Whole);
    assert.ok(!PERSONAL.test(sent(asked)));
  });

  test("messages of all kinds, with every part", async () => {
    const { asked, model } = answered({ content: "ok" }, { binary: "pass" });
    const made = [{ id: "1", name: "find", args: { name: "Emily Carter", n: 44051401359 }, type: "tool_call" }];
    const raw = [{ id: "1", type: "function", function: { name: "find", arguments: '{"name":"Emily Carter"}' } }];
    const messages = [
      new SystemMessage(TEXT),
      new HumanMessage({
        name: "Emily Carter",
        content: [
          { type: "text", text: TEXT },
          { type: "image_url", image_url: { url: "https://example.com/a.png" } },
          { type: "file", mimeType: "text/plain", data: Buffer.from(TEXT).toString("base64") },
        ],
      }),
      new AIMessage({ content: [{ type: "thinking", thinking: TEXT, signature: "s" }, { type: "text", text: TEXT }, { type: "tool_use", id: "1", name: "find", input: { name: "Emily Carter" } }], tool_calls: made, additional_kwargs: { tool_calls: raw }, response_metadata: { output: [{ type: "message", content: [{ text: TEXT }] }] } }),
      new ToolMessage({ content: JSON.stringify({ pesel: 44051401359 }), tool_call_id: "1" }),
      new ToolMessage({ content: [{ type: "text", text: TEXT }], tool_call_id: "1" }),
    ];
    const before = JSON.stringify(messages);
    await model.invoke(messages);
    assert.ok(!PERSONAL.test(sent(asked)), sent(asked));
    const [system, human, ai, json, blocks] = asked[0];
    assert.equal(human.name, "[[NAME_1]]");
    assert.deepEqual([system.content, human.content[0].text, blocks.content[0].text], [HELD, HELD, HELD]);
    assert.equal(Buffer.from(human.content[2].data, "base64").toString(), HELD);
    assert.deepEqual(ai.tool_calls[0].args, { name: "[[NAME_1]]", n: "[[PESEL_3]]" });
    assert.deepEqual([ai.content[0].signature, ai.content[2].input], ["s", { name: "[[NAME_1]]" }]);
    assert.equal(json.content, '{"pesel":"[[PESEL_3]]"}');
    assert.equal(JSON.stringify(messages), before, "the caller's messages are not changed");
  });

  test("also what its methods give", async () => {
    const schema = z.object({ name: z.string() });
    for (const Model of [Whole, Remade]) {
      const model = new Model([{ content: "", tool_calls: [{ id: "1", name: "extract", args: { name: "[[NAME_1]]" }, type: "tool_call" }] }]);
      const safe = protectModel(model);
      const find = tool(() => "", { name: "extract", schema });
      const runnables = [safe.bindTools([find]), safe.withConfig({ tags: ["a"] }), safe.withRetry(), protectModel(safe)];
      for (const runnable of runnables) assert.deepEqual((await runnable.invoke(TEXT)).tool_calls[0].args, { name: "Emily Carter" });
      assert.deepEqual(await safe.withStructuredOutput(schema, { name: "extract" }).invoke(TEXT), { name: "Emily Carter" });
      assert.equal(model.asked.length, 5);
      assert.ok(!PERSONAL.test(sent(model.asked)), Model.name);
    }
  });

  test("also where it hands its calls to another one", async () => {
    const model = new Configurable([{ content: "Dear [[NAME_1]]" }]);
    const safe = protectModel(model);
    assert.equal((await safe.invoke(TEXT)).content, "Dear Emily Carter");
    for await (const chunk of await safe.stream(TEXT)) assert.equal(chunk.content, "Dear Emily Carter");
    assert.equal(model.asked.length, 2);
    assert.ok(!PERSONAL.test(sent(model.asked)));
  });

  test("nothing is remembered between calls", async () => {
    const { model } = answered({ content: "[[NAME_1]]" });
    assert.deepEqual((await model.batch(["I am Emily Carter", "hello", "what is [[NAME_1]]?"])).map(({ content }) => content), ["Emily Carter", "[[NAME_1]]", "[[NAME_1]]"]);
  });

  test("a message that cannot be inspected is rejected", async () => {
    const { asked, model } = answered({ content: "ok" });
    const image = new HumanMessage({ content: [{ type: "text", text: "see" }, { type: "image_url", image_url: { url: "https://example.com/a.png" } }] });
    await assert.rejects(model.invoke([image]), refusal("messages[0].content[1]"));
    assert.equal(asked.length, 0);
    assert.throws(() => protectModel({}), refusal("model"));
    assert.throws(() => protectModel(new Whole([]), { tools: "some" }), refusal("tools"));
    assert.throws(() => protectMiddleware({ restoreHosts: 1 }), refusal("restoreHosts"));
  });
});

describe("a stream is restored, cut anywhere", () => {
  const args = JSON.stringify({ to: "[[EMAIL_2]]", note: 'say "hi" to [[NAME_1]]', link: "/people/[[NAME_1]]" });
  const wanted = { to: "jan.novak@example.cz", note: 'say "hi" to Emily Carter', link: "/people/Emily Carter" };
  const text = "Dear [[NAME_1]], a[0] ![x](https://evil.example/?q=[[EMAIL_2]]) [[EMAIL_2]] [[NA";
  const restored = "Dear Emily Carter, a[0] ![x](https://evil.example/?q=[[EMAIL_2]]) jan.novak@example.cz [[NA";
  for (const size of [1, 3, 7, 1_000]) {
    test(`in pieces of ${size}`, async () => {
      const chunks = [
        ...cut(text, size).map((content) => ({ content })),
        ...cut("by [[NAME_1]]", size).map((reasoning_content) => ({ content: "", additional_kwargs: { reasoning_content } })),
        ...cut(args, size).map((part, at) => ({ content: "", tool_call_chunks: [{ type: "tool_call_chunk", index: 0, args: part, ...(at === 0 ? { id: "1", name: "send" } : {}) }] })),
      ];
      const tokens = [];
      const callbacks = [{ handleLLMNewToken: (token) => void tokens.push(token) }];
      const model = new Streamed([chunks]);
      let whole;
      for await (const chunk of await protectModel(model).stream(TEXT, { callbacks })) whole = whole === undefined ? chunk : whole.concat(chunk);
      assert.equal(whole.content, restored);
      assert.equal(whole.additional_kwargs.reasoning_content, "by Emily Carter");
      assert.deepEqual(whole.tool_calls.map(({ name, args: given }) => [name, given]), [["send", wanted]]);
      assert.equal(tokens.join(""), restored);
      assert.ok(!PERSONAL.test(sent(model.asked)));
    });

    test(`blocks in pieces of ${size}`, async () => {
      const chunks = [
        ...cut("on [[NAME_1]]", size).map((thinking) => ({ content: [{ type: "thinking", index: 0, thinking }] })),
        ...cut(text, size).map((part) => ({ content: [{ type: "text", index: 1, text: part }] })),
        { content: [{ type: "tool_use", index: 2, id: "1", name: "send", input: "" }] },
        ...cut(args, size).map((input) => ({ content: [{ type: "input_json_delta", index: 2, input }] })),
      ];
      const joined = { thinking: "", text: "", input: "" };
      for await (const { content } of await protectModel(new Streamed([chunks])).stream(TEXT)) {
        for (const block of content) for (const field of Object.keys(joined)) joined[field] += block[field] ?? "";
      }
      assert.deepEqual({ ...joined, input: JSON.parse(joined.input) }, { thinking: "on Emily Carter", text: restored, input: wanted });
    });
  }
});

test("the application is told what was withheld", async () => {
  const told = [];
  const options = { onRestored: (counts) => told.push(counts) };
  const content = "Dear [[NAME_1]], https://example.org/?q=[[NAME_1]]";
  await protectModel(new Whole([{ content }]), options).invoke(TEXT);
  for await (const _ of await protectModel(new Streamed([[{ content }]]), options).stream(TEXT));
  assert.deepEqual(told, Array(2).fill({ restored: 1, unknown: 0, withheld: 1 }));
});

describe("an agent", () => {
  const agentOf = (model, got, options) => {
    const schema = z.object({ to: z.string() });
    const send = tool(({ to }) => (got.push(to), `sent to ${to} by PESEL 44051401359`), { name: "send", schema });
    return createAgent({ model, tools: [send], systemPrompt: "Help Emily Carter.", middleware: [protectMiddleware(options)] });
  };

  test("has tools that get originals, and a model that gets placeholders", async () => {
    const got = [];
    const call = { content: "", tool_calls: [{ id: "1", name: "send", args: { to: "[[EMAIL_2]]" }, type: "tool_call" }] };
    const model = new Whole([call, { content: "Sent to [[EMAIL_2]], [[NAME_1]], [[PESEL_3]]." }]);
    const { messages } = await agentOf(model, got).invoke({ messages: [["human", "to jan.novak@example.cz"]] });
    assert.deepEqual(got, ["jan.novak@example.cz"]);
    assert.equal(messages.at(-1).content, "Sent to jan.novak@example.cz, Emily Carter, 44051401359.");
    assert.equal(model.asked.length, 2);
    assert.ok(!PERSONAL.test(sent(model.asked)), sent(model.asked));
    assert.equal(model.asked[1].at(-1).content, "sent to [[EMAIL_2]] by PESEL [[PESEL_3]]");
  });

  test("streams what is restored", async () => {
    const chunks = cut("Dear [[NAME_1]], **[[EMAIL_2]]**", 3).map((content) => ({ content }));
    let text = "";
    for await (const [chunk] of await agentOf(new Streamed([chunks]), []).stream({ messages: [["human", "to jan.novak@example.cz"]] }, { streamMode: "messages" })) text += chunk.text;
    assert.equal(text, "Dear Emily Carter, **jan.novak@example.cz**");
  });
});

/** Known faults of `piiMiddleware`, which is LangChain's own. */
describe("an agent lacks the faults of LangChain's middleware:", () => {
  const got = [];
  const schema = z.object({ to: z.string(), lines: z.array(z.object({ text: z.string(), count: z.number() })), urgent: z.boolean() });
  const send = tool((args) => (got.push(structuredClone(args)), `sent by Emily Carter, PESEL 44051401359`), { name: "send", schema });
  const agentOf = (model) => createAgent({ model, tools: [send], middleware: [protectMiddleware()] });
  const lines = (name) => [{ text: `Dear ${name}`, count: 2 }, { text: "plain", count: 0 }];
  const args = { to: "[[EMAIL_2]]", lines: lines("[[NAME_1]]"), urgent: false };
  const wanted = { to: "jan.novak@example.cz", lines: lines("Emily Carter"), urgent: false };
  const call = { id: "1", name: "send", args, type: "tool_call" };
  const ask = ["human", "I am Emily Carter, write to jan.novak@example.cz"];

  test("the model reads no value of any message, and not of the newest only", async () => {
    const model = new Whole([{ content: "ok" }]);
    const history = [
      new HumanMessage(TEXT),
      new AIMessage(`Hello Emily Carter, you are ${TEXT}`),
      new HumanMessage("and my card is 4111 1111 1111 1111"),
      new AIMessage({ content: "", tool_calls: [{ ...call, args: wanted }] }),
      new ToolMessage({ content: "sent to jan.novak@example.cz", tool_call_id: "1" }),
      new SystemMessage("The user is Emily Carter."),
      new HumanMessage("What is new?"),
    ];
    await agentOf(model).invoke({ messages: history });
    assert.equal(model.asked[0].length, history.length);
    assert.ok(!PERSONAL.test(sent(model.asked)) && !/4111/.test(sent(model.asked)), sent(model.asked));
    assert.equal(model.asked[0][0].content, HELD);
  });

  test("arguments of tools are protected on their way to the model", async () => {
    const model = new Whole([{ content: "", tool_calls: [call] }, { content: "done" }]);
    await agentOf(model).invoke({ messages: [ask] });
    const [, asked] = model.asked;
    const [made] = asked.find(({ tool_calls: calls = [] }) => calls.length > 0).tool_calls;
    assert.deepEqual(made.args, args);
    assert.ok(!PERSONAL.test(sent(model.asked)), sent(model.asked));
  });

  test("arguments are neither blanked nor changed elsewhere", async () => {
    const model = new Whole([{ content: "", tool_calls: [call] }, { content: "done" }]);
    const { messages } = await agentOf(model).invoke({ messages: [ask] });
    assert.deepEqual(got.at(-1), wanted);
    assert.deepEqual(messages.find(({ tool_calls: calls = [] }) => calls.length > 0).tool_calls.map((one) => one.args), [wanted]);
  });

  for (const size of [1, 5, 1_000]) {
    test(`streams are protected and restored, in pieces of ${size}`, async () => {
      const first = cut(JSON.stringify(args), size).map((part, at) => ({ content: "", tool_call_chunks: [{ type: "tool_call_chunk", index: 0, args: part, ...(at === 0 ? { id: "1", name: "send" } : {}) }] }));
      const second = cut("Sent to [[EMAIL_2]], [[NAME_1]].", size).map((content) => ({ content }));
      const model = new Streamed([first, second]);
      let text = "";
      for await (const [chunk, { langgraph_node: node }] of await agentOf(model).stream({ messages: [ask] }, { streamMode: "messages" })) {
        if (node.startsWith("model")) text += chunk.text;
      }
      assert.equal(text, "Sent to jan.novak@example.cz, Emily Carter.");
      assert.deepEqual(got.at(-1), wanted);
      assert.equal(model.asked.length, 2);
      assert.ok(!PERSONAL.test(sent(model.asked)), sent(model.asked));
    });
  }
});

for (const name of readdirSync(NODE_MODULES).filter((name) => !name.startsWith(".") && name !== "textveil")) symlinkSync(join(NODE_MODULES, name), join(installed.folder, "node_modules", name));

test("the guide's example prints what it says", () => {
  const [source] = guideExamples(installed.folder, "js langchain");
  const printed = installed.run("readme.mjs", source).split("\n");
  assert.deepEqual(printed, [...source.matchAll(/console\.log\(.*\); \/\/ (.+)$/gm)].map(([, wanted]) => wanted));
});

test("the types are those of LangChain", () => {
  const source = `
    import { createAgent, type AgentMiddleware } from "langchain";
    import { FakeListChatModel } from "@langchain/core/utils/testing";
    import { protectMiddleware, protectModel, type PromptOptions } from "textveil/langchain";
    const options: PromptOptions = { restoreHosts: ["example.com"], tools: "all" };
    const model: FakeListChatModel = protectModel(new FakeListChatModel({ responses: ["x"] }), options);
    const middleware: AgentMiddleware = protectMiddleware(options);
    createAgent({ model, tools: [], middleware: [middleware, protectMiddleware()] });
    // @ts-expect-error it is no chat model
    protectModel({});
  `;
  mkdirSync(join(installed.folder, "types"), { recursive: true });
  writeFileSync(join(installed.folder, "types/langchain.mts"), source);
  const compilerOptions = { strict: true, noEmit: true, skipLibCheck: true, target: "es2022", module: "nodenext", lib: ["es2022", "dom", "dom.iterable"], types: [] };
  writeFileSync(join(installed.folder, "types/tsconfig.json"), JSON.stringify({ compilerOptions, files: ["langchain.mts"] }));
  try {
    execFileSync(process.execPath, [join(NODE_MODULES, "typescript/bin/tsc"), "-p", join(installed.folder, "types")], { encoding: "utf8" });
  } catch (error) {
    assert.fail(error.stdout);
  }
});
