// The AI SDK of Vercel: a middleware for its language models.

import type { LanguageModelMiddleware } from "ai" with { "resolution-mode": "import" };
import type { TextWork } from "./answer.js";
import { object } from "./call.js";
import { Conversation, noConversation, type Origin, type Restoring, type Visit } from "./conversation.js";
import type { PromptOptions } from "./prompt.js";

export type { PromptOptions } from "./prompt.js";

/** A part of a message, of an answer or of a stream: versions 3 and 4 of the specification differ in a few fields only. */
type Part = Record<string, unknown> & { type: string };

interface Message {
  role: string;
  content: string | Part[];
}

interface Params {
  prompt: Message[];
  responseFormat?: { type: string };
}

/**
 * Makes a middleware that protects prompts and restores answers.
 *
 * It is for `wrapLanguageModel`. Prompts leave with typed placeholders, and the model never reads the values. All
 * messages are protected: text, reasoning, arguments and results of tools, files of text. Restored are text,
 * reasoning, arguments of tools, sources and results of the provider's tools, whole or streamed. A placeholder inside
 * a URL is restored only where `restoreHosts` has its host. Definitions of tools are sent as
 * they are.
 *
 * Each call numbers its placeholders anew: nothing is remembered, so that one middleware serves all users.
 *
 * @throws {TextveilError} `invalid_request` naming an option, or a part of the prompt that cannot be inspected
 * @example
 * const middleware = protectMiddleware({ tools: "own" }); // wrapLanguageModel({ model, middleware })
 * middleware.specificationVersion; // "v4"
 */
export function protectMiddleware(options?: PromptOptions): LanguageModelMiddleware {
  // says at once what is wrong with the options
  new Conversation(object(options));
  const conversations = new WeakMap<object, { conversation: Conversation; isJson: boolean }>();
  const of = (params: object) => {
    const known = conversations.get(params);
    if (known === undefined) throw noConversation();
    return known;
  };
  return {
    specificationVersion: "v4",
    async transformParams({ params }) {
      const { prompt, responseFormat } = params as unknown as Params;
      (params as { abortSignal?: AbortSignal }).abortSignal?.throwIfAborted();
      const conversation = new Conversation(options);
      const safe = await conversation.protect((visit) =>
        prompt.map((message, at) => protectMessage(conversation, message, visit, `prompt[${at}]`)),
      );
      const out = { ...params, prompt: safe as unknown as typeof params.prompt };
      conversations.set(out, { conversation, isJson: responseFormat?.type === "json" });
      return out;
    },
    async wrapGenerate({ doGenerate, params }) {
      const { conversation, isJson } = of(params);
      const result = await doGenerate();
      const answer = conversation.answer();
      // it repeats the text
      const repeated = conversation.answer();
      try {
        const content = (result.content as unknown as Part[]).map((part) => restorePart(answer, part, isJson));
        const whole = (result as { structuredOutputText?: string }).structuredOutputText;
        const structured = whole === undefined ? {} : { structuredOutputText: repeated.json(whole, TEXT) };
        return { ...result, ...structured, content: content as unknown as typeof result.content };
      } finally {
        repeated.free();
        answer.end();
      }
    },
    async wrapStream({ doStream, params }) {
      const { conversation, isJson } = of(params);
      const result = await doStream();
      const answer = conversation.answer();
      const stream = restoredParts(result.stream as unknown as ReadableStream<Part>, new RestoreParts(answer, isJson), () => answer.end());
      return { ...result, stream: stream as unknown as typeof result.stream };
    },
  };
}

/** The parts of a stream with their values; `end` is called however the stream ends. */
function restoredParts(parts: ReadableStream<Part>, restoring: RestoreParts, end: () => void): ReadableStream<Part> {
  const reader = parts.getReader();
  return new ReadableStream<Part>({
    async pull(controller) {
      try {
        // the stream asks again only after it was given a part
        for (let isGiven = false; !isGiven; ) {
          const { done, value } = await reader.read();
          for (const part of done ? restoring.finish() : restoring.push(value)) {
            controller.enqueue(part);
            isGiven = true;
          }
          if (!done) continue;
          end();
          return controller.close();
        }
      } catch (error) {
        end();
        throw error;
      }
    },
    async cancel(reason) {
      await reader.cancel(reason);
      end();
    },
  });
}

const CALLER: Origin = { role: "caller" };
const MODEL: Origin = { role: "model" };

function protectMessage(conversation: Conversation, message: Message, visit: Visit, field: string): Message {
  const origin = message.role === "assistant" || message.role === "tool" ? MODEL : CALLER;
  if (typeof message.content === "string") return { ...message, content: visit(message.content, origin) };
  const content = message.content.map((part, at) => protectPart(conversation, part, visit, origin, `${field}.content[${at}]`));
  return { ...message, content };
}

function protectPart(conversation: Conversation, part: Part, visit: Visit, origin: Origin, field: string): Part {
  switch (part.type) {
    case "text":
    case "reasoning":
      return { ...part, text: visit(String(part["text"]), origin) };
    case "file":
    case "reasoning-file":
      return protectFile(conversation, part, visit, origin, field);
    case "tool-call":
      return { ...part, input: conversation.data(part["input"], visit, origin) };
    case "tool-result": {
      const from: Origin = { role: "tool", tool: String(part["toolName"]) };
      return { ...part, output: protectOutput(conversation, part["output"] as Part, visit, from, `${field}.output`) };
    }
    case "tool-approval-response":
      return typeof part["reason"] === "string" ? { ...part, reason: visit(part["reason"], CALLER) } : part;
    default:
      // parts of one provider, which have no text of their own
      return part;
  }
}

function protectOutput(conversation: Conversation, output: Part, visit: Visit, origin: Origin, field: string): Part {
  if (output.type === "execution-denied") {
    return typeof output["reason"] === "string" ? { ...output, reason: visit(output["reason"], CALLER) } : output;
  }
  if (output.type !== "content") return { ...output, value: conversation.data(output["value"], visit, origin) };
  const value = (output["value"] as Part[]).map((part, at) => {
    if (part.type === "text") return { ...part, text: visit(String(part["text"]), origin) };
    return part.type === "custom" ? part : protectFile(conversation, part, visit, origin, `${field}.value[${at}]`);
  });
  return { ...output, value };
}

/** Protects a file with its name. Version 4 tags what it holds, which may be text there. */
function protectFile(conversation: Conversation, part: Part, visit: Visit, origin: Origin, field: string): Part {
  const name = typeof part["filename"] === "string" ? { filename: visit(part["filename"], origin) } : {};
  const type = typeof part["mediaType"] === "string" ? part["mediaType"] : "";
  const given = part["data"] as unknown;
  const isTagged = typeof given === "object" && given !== null && "type" in given;
  const data = (isTagged ? given : { type: "data", data: given }) as Part;
  if (data.type === "text") return { ...part, ...name, data: { ...data, text: visit(String(data["text"]), origin) } };
  const isHere = data.type === "data" && (typeof data["data"] === "string" || data["data"] instanceof Uint8Array);
  const content = isHere ? (data["data"] as string | Uint8Array) : undefined;
  const safe = conversation.file(content, type, visit, origin, field);
  if (safe === undefined) return { ...part, ...name };
  return { ...part, ...name, data: isTagged ? { ...data, data: safe } : safe };
}

/** The lanes of an answer: what people read, and what the model thought. */
const TEXT = "text";
const REASONING = "reasoning";

function restorePart(answer: Restoring, part: Part, isJson: boolean): Part {
  switch (part.type) {
    case "text": {
      const text = String(part["text"]);
      const citations = part["citations"] === undefined ? {} : { citations: answer.values(part["citations"]) };
      return { ...part, ...citations, text: isJson ? answer.json(text, TEXT) : answer.text(text, TEXT) };
    }
    case "reasoning":
      return { ...part, text: answer.text(String(part["text"]), REASONING) };
    case "tool-call":
      return { ...part, input: answer.arguments(String(part["input"]), toolOf(part)) };
    case "tool-result":
      return { ...part, result: answer.values(part["result"]) };
    case "source": {
      const restored = { ...part };
      for (const field of ["url", "title", "filename"]) {
        if (typeof part[field] === "string") restored[field] = answer.values(part[field]);
      }
      return restored;
    }
    default:
      return part;
  }
}

/** Returns the name of the tool that gets the arguments of a call. */
function toolOf(part: Part): string {
  return String(part["toolName"]);
}

/** Restores the parts of a stream: each text, reasoning and argument has its own state. */
class RestoreParts {
  readonly #answer: Restoring;
  readonly #isJson: boolean;
  readonly #open = new Map<string, { restoring: TextWork; delta: Part }>();

  constructor(answer: Restoring, isJson: boolean) {
    this.#answer = answer;
    this.#isJson = isJson;
  }

  push(part: Part): Part[] {
    const [, kind, step] = /^(text|reasoning|tool-input)-(start|delta|end)$/.exec(part.type) ?? [];
    if (kind === undefined) {
      if (part.type === "finish") return [...this.finish(), part];
      return [restorePart(this.#answer, part, this.#isJson)];
    }
    const key = `${kind} ${String(part["id"])}`;
    if (step === "start") {
      this.#open.set(key, { restoring: this.#restoring(kind, part), delta: { type: `${kind}-delta`, id: part["id"] } });
      return [part];
    }
    const known = this.#open.get(key);
    if (step === "end") {
      this.#open.delete(key);
      const rest = known?.restoring.finish() ?? "";
      const citations = part["citations"] === undefined ? {} : { citations: this.#answer.values(part["citations"]) };
      const end = { ...part, ...citations };
      return rest === "" ? [end] : [{ ...known?.delta, delta: rest } as Part, end];
    }
    if (known === undefined) return [{ ...part, delta: this.#answer.text(String(part["delta"]), TEXT) }];
    const delta = known.restoring.push(String(part["delta"]));
    // its metadata must arrive, and an empty delta of none need not
    return delta === "" && part["providerMetadata"] === undefined ? [] : [{ ...part, delta }];
  }

  /** Gives what is held of texts that did not end. */
  finish(): Part[] {
    const rest = [...this.#open.values()].map(({ restoring, delta }) => ({ ...delta, delta: restoring.finish() }) as Part);
    this.#open.clear();
    return rest.filter(({ delta }) => delta !== "");
  }

  #restoring(kind: string, part: Part): TextWork {
    if (kind === "tool-input") return this.#answer.openArguments(toolOf(part));
    if (kind === "reasoning") return this.#answer.open(REASONING);
    return this.#isJson ? this.#answer.openJson(TEXT) : this.#answer.open(TEXT);
  }
}
