// LangChain: a wrapper of chat models, and a middleware of agents.

import type { BaseChatModel } from "@langchain/core/language_models/chat_models";
import type { AgentMiddleware } from "langchain";
import type { TextWork } from "./answer.js";
import { object } from "./call.js";
import { Conversation, type Origin, type Restoring, type Visit } from "./conversation.js";
import { invalid } from "./error.js";
import type { PromptOptions } from "./prompt.js";

export type { PromptOptions } from "./prompt.js";

type Fields = Record<string, unknown>;
type Block = Fields & { type?: string };

/** The fields of a message, and of a piece of one, that are used. */
interface Message extends Fields {
  content: string | (string | Block)[];
  additional_kwargs?: Fields;
  response_metadata?: Fields;
  lc_kwargs?: Fields;
  name?: string;
  getType(): string;
}

interface Generation {
  text: string;
  message: Message;
  generationInfo?: Fields;
}

interface RunManager {
  handleLLMNewToken(token: string, ...rest: unknown[]): Promise<void>;
}

/** The methods of a chat model that are used. */
interface Model {
  _generate(messages: Message[], options: Fields, runManager?: RunManager): Promise<{ generations: Generation[] }>;
  _streamResponseChunks(messages: Message[], options: Fields, runManager?: RunManager): AsyncGenerator<Generation>;
  _streamChatModelEvents?: unknown;
  bindTools?(...words: unknown[]): unknown;
  /** The model that `initChatModel` chose, which answers in its place. */
  _getModelInstance?(...words: unknown[]): Promise<unknown>;
  withConfig(...words: unknown[]): unknown;
}

/** Marks a model that is protected already. */
const PROTECTED = Symbol.for("textveil.protected");

/**
 * Protects the messages of a chat model and restores its answers.
 *
 * Gives a model of the same class. Messages leave with typed placeholders, and the model never reads the values. All
 * messages are protected: texts, reasoning, arguments and results of tools. Restored are texts, reasoning and
 * arguments of tools, whole or streamed, also after `bindTools`, `withConfig` and `withStructuredOutput`. A
 * placeholder inside a URL is restored only where `restoreHosts` has its host. Callbacks and
 * traces see the originals.
 *
 * Each call numbers its placeholders anew: nothing is remembered, so that one model serves all users.
 *
 * @throws {TextveilError} `invalid_request` naming an option or `model`; a call, naming the part that cannot be inspected
 * @example
 * const { FakeListChatModel } = await import("@langchain/core/utils/testing");
 * const model = protectModel(new FakeListChatModel({ responses: ["Dear [[NAME_1]]"] }));
 * (await model.invoke("I am Emily Carter.")).content; // "Dear Emily Carter"
 */
export function protectModel<M extends BaseChatModel>(model: M, options?: PromptOptions): M {
  // says at once what is wrong with the options
  new Conversation(object(options));
  return wrapped(model as unknown as Model, options) as unknown as M;
}

/**
 * Makes a middleware that protects the model of an agent.
 *
 * It is for `createAgent`, and does what `protectModel` does. Tools get the originals, and what they return is
 * protected before the model reads it.
 *
 * @throws {TextveilError} as `protectModel`
 * @example
 * protectMiddleware().name; // "textveil"
 */
export function protectMiddleware(options?: PromptOptions): AgentMiddleware {
  new Conversation(object(options));
  const middleware = {
    [Symbol.for("AgentMiddleware")]: true,
    name: "textveil",
    wrapModelCall: (request: { model: unknown }, handler: (request: { model: unknown }) => unknown) =>
      handler({ ...request, model: protectedResult(request.model, options) }),
  };
  return middleware as unknown as AgentMiddleware;
}

function wrapped(model: Model, options: PromptOptions | undefined): Model {
  if (!isModel(model)) throw invalid("model", "must be a chat model of LangChain");
  if (PROTECTED in model) return model;
  const { _streamResponseChunks: noStream, _streamChatModelEvents: noEvents } = baseOf(model);
  const copy = Object.create(model) as Model;
  const own: Partial<Model> & Record<symbol, true> = {
    [PROTECTED]: true,
    async _generate(messages, call) {
      const conversation = new Conversation(options);
      const result = await model._generate(await protectMessages(conversation, messages), call);
      const answer = conversation.answer();
      try {
        const generations = result.generations.map((generation) => {
          const message = restoreMessage(answer, generation.message);
          return Object.assign(copied(generation), { message, text: textOf(message.content) });
        });
        return { ...result, generations };
      } finally {
        answer.end();
      }
    },
    // those of the base stream what `_streamResponseChunks` gives; those of a provider would give what the model wrote
    _streamChatModelEvents: noEvents,
    withConfig: (...words) => protectedResult(model.withConfig.apply(copy, words), options),
  };
  const { bindTools, _getModelInstance: chosen } = model;
  if (typeof bindTools === "function") own.bindTools = (...words) => protectedResult(bindTools.apply(copy, words), options);
  if (typeof chosen === "function") own._getModelInstance = async (...words) => protectedResult(await chosen.apply(model, words), options);
  if (model._streamResponseChunks !== noStream) {
    own._streamResponseChunks = (messages, call, runManager) => streamed(model, new Conversation(options), messages, call, runManager);
  }
  return Object.defineProperties(copy, Object.getOwnPropertyDescriptors(own));
}

async function* streamed(
  model: Model,
  conversation: Conversation,
  messages: Message[],
  call: Fields,
  runManager: RunManager | undefined,
): AsyncGenerator<Generation> {
  const answer = conversation.answer();
  try {
    const restoring = new RestoreChunks(answer);
    let last: Generation | undefined;
    // the model's own run manager would be told what the model wrote
    for await (const chunk of model._streamResponseChunks(await protectMessages(conversation, messages), call)) {
      last = chunk;
      const restored = restoring.push(chunk);
      yield restored;
      await runManager?.handleLLMNewToken(restored.text, undefined, undefined, undefined, undefined, { chunk: restored });
    }
    if (last === undefined) return;
    for (const rest of restoring.finish(last)) {
      yield rest;
      await runManager?.handleLLMNewToken(rest.text, undefined, undefined, undefined, undefined, { chunk: rest });
    }
  } finally {
    answer.end();
  }
}

function isModel(model: unknown): model is Model {
  return typeof model === "object" && model !== null && "_generate" in model && "_streamResponseChunks" in model;
}

/**
 * Returns the prototype of all chat models: the last one that has a method of streams.
 *
 * It has no `_generate`, which each model has of its own.
 */
function baseOf(model: Model): Model {
  let base = model;
  for (let next = model; next !== null; next = Object.getPrototypeOf(next) as Model) {
    if (Object.hasOwn(next, "_streamResponseChunks")) base = next;
  }
  return base;
}

/** Protects the model, or the binding of one, that a method of a model gives. Anything else is rejected. */
function protectedResult(result: unknown, options: PromptOptions | undefined): unknown {
  if (isModel(result)) return wrapped(result, options);
  const bound = (result as { bound?: unknown } | null)?.bound;
  if (bound === undefined) throw invalid("model", "must give a chat model or a binding of one; wrap the chat model itself");
  const safe = protectedResult(bound, options);
  return safe === bound ? result : Object.assign(copied(result as object), { bound: safe });
}

/** Copies an object with its class. */
function copied<T extends object>(value: T): T {
  return Object.assign(Object.create(Object.getPrototypeOf(value) as object) as T, value);
}

/** Copies a message with other fields, also in what `toJSON` writes. */
function withFields(message: Message, fields: Fields): Message {
  return Object.assign(copied(message), fields, message.lc_kwargs === undefined ? {} : { lc_kwargs: { ...message.lc_kwargs, ...fields } });
}

function textOf(content: Message["content"]): string {
  if (typeof content === "string") return content;
  return content.map((block) => (typeof block === "string" ? block : block.type === "text" ? String(block["text"] ?? "") : "")).join("");
}

/* Prompts. */

/** Fields that name something and hold no text. */
const NAMING = /^(?:type|id|\w+_id|index|name|role|signature|encrypted_content|cache_control|mime_?type|media_type|source_type|status|model|detail)$/i;
/** Blocks of files. */
const FILES = /^(?:image|image_url|input_image|audio|input_audio|video|file|input_file|media|document|text-plain)$/;

function protectMessages(conversation: Conversation, messages: Message[]): Promise<Message[]> {
  return conversation.protect((visit) => {
    const tools = new Map<unknown, string>();
    return messages.map((message, at) => {
      for (const { id, name } of calls(message)) tools.set(id, name);
      return protectMessage(conversation, message, visit, originOf(message, tools), `messages[${at}].content`);
    });
  });
}

function calls({ tool_calls: made }: Fields): { id?: string; name: string; args: unknown }[] {
  return Array.isArray(made) ? made : [];
}

function originOf(message: Message, tools: Map<unknown, string>): Origin {
  const type = message.getType();
  if (type === "tool" || type === "function") return { role: "tool", tool: tools.get(message["tool_call_id"]) ?? message.name ?? "" };
  const isCaller = /^(?:human|system|developer)$/.test(type) || /^(?:user|system|developer)$/.test(String(message["role"] ?? ""));
  return { role: isCaller ? "caller" : "model" };
}

function protectMessage(conversation: Conversation, message: Message, visit: Visit, origin: Origin, field: string): Message {
  const strings = (value: unknown) => protectStrings(conversation, value, visit, origin);
  const { content } = message;
  const fields: Fields = {
    content:
      typeof content === "string"
        ? visit(content, origin)
        : content.map((block, at) => {
            if (typeof block === "string") return visit(block, origin);
            return protectBlock(conversation, block, visit, origin, `${field}[${at}]`);
          }),
  };
  // that of a person; that of a tool is no text
  if (origin.role === "caller" && message.name !== undefined) fields["name"] = visit(message.name, origin);
  if (Array.isArray(message["tool_calls"])) {
    fields["tool_calls"] = calls(message).map((call) => ({ ...call, args: conversation.data(call.args, visit, origin) }));
  }
  for (const name of ["invalid_tool_calls", "tool_call_chunks", "additional_kwargs"]) {
    if (message[name] !== undefined) fields[name] = strings(message[name]);
  }
  // some models send what they had answered, and not the message
  const { output } = message.response_metadata ?? {};
  if (output !== undefined) fields["response_metadata"] = { ...message.response_metadata, output: strings(output) };
  return withFields(message, fields);
}

function protectBlock(conversation: Conversation, block: Block, visit: Visit, origin: Origin, field: string): Block {
  if (!FILES.test(block.type ?? "") || typeof block["text"] === "string") return protectStrings(conversation, block, visit, origin) as Block;
  const source = (typeof block["source"] === "object" ? block["source"] : block) as Fields;
  const type = ["mimeType", "mime_type", "media_type"].map((name) => source[name]).find((value) => typeof value === "string") ?? "";
  const content = typeof source["data"] === "string" || source["data"] instanceof Uint8Array ? source["data"] : undefined;
  const isText = source["type"] === "text" || source["source_type"] === "text";
  if (isText && typeof content === "string") return replaced(block, source, visit(content, origin));
  const safe = conversation.file(content, String(type), visit, origin, field);
  return safe === undefined ? block : replaced(block, source, safe);
}

function replaced(block: Block, source: Fields, data: unknown): Block {
  return source === block ? { ...block, data } : { ...block, source: { ...source, data } };
}

/** Protects every string that is not a name. Objects that are arguments are read as a whole. */
function protectStrings(conversation: Conversation, value: unknown, visit: Visit, origin: Origin): unknown {
  if (typeof value === "string") return visit(value, origin);
  if (Array.isArray(value)) return value.map((item) => protectStrings(conversation, item, visit, origin));
  if (typeof value !== "object" || value === null) return value;
  const fields = Object.entries(value).map(([name, item]) => {
    if (NAMING.test(name)) return [name, item];
    const isData = /^(?:input|args|arguments|output)$/.test(name) && typeof item === "object";
    return [name, isData ? conversation.data(item, visit, origin) : protectStrings(conversation, item, visit, origin)];
  });
  return Object.fromEntries(fields);
}

/* Answers. */

/** The lane of what people read. */
const TEXT = "text";

function restoreMessage(answer: Restoring, message: Message): Message {
  const { content } = message;
  const restored = (block: string | Block) => (typeof block === "string" ? answer.text(block, TEXT) : restoreBlock(answer, block));
  const fields: Fields = { content: typeof content === "string" ? answer.text(content, TEXT) : content.map(restored) };
  if (Array.isArray(message["tool_calls"])) {
    fields["tool_calls"] = calls(message).map((call) => ({ ...call, args: answer.arguments(call.args, call.name) }));
  }
  for (const name of ["invalid_tool_calls", "tool_call_chunks"]) {
    if (Array.isArray(message[name])) fields[name] = (message[name] as Fields[]).map((call) => restoreCall(answer, call, "args", call["name"]));
  }
  if (message.additional_kwargs !== undefined) fields["additional_kwargs"] = restoreKwargs(answer, message.additional_kwargs);
  return withFields(message, fields);
}

function restoreBlock(answer: Restoring, block: Block): Block {
  const tool = typeof block["name"] === "string" ? block["name"] : undefined;
  const fields = Object.entries(block).map(([name, value]) => {
    if (NAMING.test(name)) return [name, value];
    const isData = /^(?:input|args|arguments|partial_json)$/.test(name);
    if (isData) return [name, answer.arguments(value, tool ?? "")];
    const isText = /^(?:text|reasoning|thinking)$/.test(name) && typeof value === "string";
    return [name, isText ? answer.text(value, name) : answer.values(value)];
  });
  return Object.fromEntries(fields) as Block;
}

function restoreCall(answer: Restoring, call: Fields, field: string, tool: unknown): Fields {
  const text = call[field];
  return typeof text === "string" ? { ...call, [field]: answer.arguments(text, String(tool ?? "")) } : call;
}

/** Restores what a provider adds to a message: the calls of tools once more, and reasoning. */
function restoreKwargs(answer: Restoring, kwargs: Fields): Fields {
  const { tool_calls: made, function_call: one, ...rest } = kwargs;
  const restored = answer.values(rest);
  const call = (fields: Fields) => restoreCall(answer, fields, "arguments", fields["name"]);
  if (one !== undefined) restored["function_call"] = call(one as Fields);
  if (Array.isArray(made)) {
    restored["tool_calls"] = (made as Fields[]).map((item) => ({ ...item, function: call((item["function"] ?? {}) as Fields) }));
  }
  return restored;
}

/** Restores the pieces of an answer: each text and each argument has its own state. */
class RestoreChunks {
  readonly #answer: Restoring;
  readonly #open = new Map<string, { restoring: TextWork; rest: (text: string) => Fields }>();
  /** The tools of the calls, by their number. */
  readonly #tools = new Map<string, string>();

  constructor(answer: Restoring) {
    this.#answer = answer;
  }

  push(chunk: Generation): Generation {
    const { message } = chunk;
    const { content } = message;
    const fields: Fields = {
      content:
        typeof content === "string"
          ? this.#text("content", content, (text) => ({ content: text }))
          : content.map((block, at) => {
              if (typeof block !== "string") return this.#block(block, at);
              return this.#text("content", block, (text) => ({ content: text }));
            }),
    };
    if (Array.isArray(message["tool_call_chunks"])) {
      fields["tool_call_chunks"] = (message["tool_call_chunks"] as Fields[]).map((call, at) => {
        const { index = at, name } = call;
        const rest = (args: string) => ({ content: "", tool_call_chunks: [{ type: "tool_call_chunk", index, args }] });
        return { ...call, args: this.#json(`call ${index}`, call["args"], `${index}`, name, rest) };
      });
    }
    if (message.additional_kwargs !== undefined) fields["additional_kwargs"] = this.#kwargs(message.additional_kwargs);
    return made(chunk, fields, message);
  }

  /** Gives what is held of texts that did not end. */
  finish(like: Generation): Generation[] {
    const out: Generation[] = [];
    for (const { restoring, rest } of this.#open.values()) {
      const text = restoring.finish();
      if (text !== "") out.push(made(like, { content: "", ...rest(text) }, { id: like.message["id"] }));
    }
    this.#open.clear();
    return out;
  }

  #block(block: Block, at: number): Block {
    const { type = "", index = at, name } = block;
    const out: Block = { ...block };
    for (const field of ["text", "reasoning", "thinking"]) {
      const value = block[field];
      if (typeof value === "string") out[field] = this.#text(`${field} ${index}`, value, (text) => ({ content: [{ type, index, [field]: text }] }));
    }
    for (const field of ["input", "args", "partial_json"]) {
      if (typeof block[field] === "string") {
        const rest = (text: string) => ({ content: [{ type, index, [field]: text }] });
        out[field] = this.#json(`${field} ${index}`, block[field], `${index}`, name, rest);
      } else if (typeof name === "string") {
        this.#tools.set(`${index}`, name);
        if (block[field] !== undefined) out[field] = this.#answer.arguments(block[field], name);
      }
    }
    return out;
  }

  #kwargs(kwargs: Fields): Fields {
    const out: Fields = { ...kwargs };
    for (const [name, value] of Object.entries(kwargs)) {
      if (typeof value === "string") out[name] = this.#text(`kwargs ${name}`, value, (text) => ({ additional_kwargs: { [name]: text } }));
    }
    if (Array.isArray(kwargs["tool_calls"])) {
      out["tool_calls"] = (kwargs["tool_calls"] as Fields[]).map((call, at) => {
        const { index = at } = call;
        const given = (call["function"] ?? {}) as Fields;
        const rest = (text: string) => ({ additional_kwargs: { tool_calls: [{ index, function: { arguments: text } }] } });
        return { ...call, function: { ...given, arguments: this.#json(`kwargs ${index}`, given["arguments"], `${index}`, given["name"], rest) } };
      });
    }
    return out;
  }

  #text(key: string, text: string, rest: (text: string) => Fields): string {
    return this.#opened(key, () => this.#answer.open(/^(?:content|text) ?/.test(key) ? TEXT : key), rest).push(text);
  }

  #json(key: string, text: unknown, index: string, name: unknown, rest: (text: string) => Fields): unknown {
    if (typeof name === "string" && name !== "") this.#tools.set(index, name);
    if (typeof text !== "string") return text;
    return this.#opened(key, () => this.#answer.openArguments(this.#tools.get(index) ?? ""), rest).push(text);
  }

  #opened(key: string, open: () => TextWork, rest: (text: string) => Fields): TextWork {
    const known = this.#open.get(key) ?? { restoring: open(), rest };
    this.#open.set(key, known);
    return known.restoring;
  }
}

/** Makes a piece like another one: its class derives the calls of tools from these fields. */
function made(like: Generation, fields: Fields, message: Fields): Generation {
  const names = ["id", "name", "response_metadata", "usage_metadata", "additional_kwargs", "tool_call_chunks"];
  const kept = Object.fromEntries(names.filter((name) => message[name] !== undefined).map((name) => [name, message[name]]));
  const chunk = new (like.message.constructor as new (fields: Fields) => Message)({ ...kept, ...fields });
  const info = message === like.message && like.generationInfo !== undefined ? { generationInfo: like.generationInfo } : {};
  return new (like.constructor as new (fields: Fields) => Generation)({ ...info, text: textOf(chunk.content), message: chunk });
}
