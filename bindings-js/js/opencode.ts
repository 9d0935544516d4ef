// OpenCode: a plugin that protects the requests of its sessions, and restores answers and the arguments of tools.

import { object } from "./call.js";
import { Conversation, type Origin, type Visit } from "./conversation.js";
import { TextveilError, invalid } from "./error.js";
import { loadFromPackage } from "./package-wasm.js";
import type { PromptOptions } from "./prompt.js";

export type { PromptOptions } from "./prompt.js";

loadFromPackage();

/**
 * Options of the plugin for OpenCode.
 *
 * @example
 * const plugin = protectSessions({ tools: "own", restoreHosts: ["*.example.com"], localTools: ["read", "edit"], binary: "note" });
 * plugin.id; // "textveil"
 */
export interface OpenCodeOptions extends Omit<PromptOptions, "binary"> {
  /**
   * The tools that work on this machine and send nothing away. Their arguments get every value, also those that another
   * tool read. When absent: OpenCode's tools for files, lists, questions and subagents, but not `bash`.
   */
  localTools?: readonly string[] | undefined;
  /** Files that cannot be inspected, such as images. `note`, also when absent: a note replaces them. `pass`: they are sent. */
  binary?: "note" | "pass" | undefined;
}

type Fields = Record<string, unknown>;

/** A part of a message of OpenCode: each type has fields of its own. */
type Part = Fields & { type: string };

/** A message with its parts. */
interface Message {
  info: { role: string; sessionID: string };
  parts: { type: string }[];
}

/** The hooks of OpenCode that the plugin has. */
interface Hooks {
  config(config: object): Promise<void>;
  event(input: { event: { type: string; properties: object } }): Promise<void>;
  dispose(): Promise<void>;
  "experimental.chat.messages.transform"(input: object, output: { messages: Message[] }): Promise<void>;
  "experimental.chat.system.transform"(input: { sessionID?: string }, output: { system: string[] }): Promise<void>;
  "experimental.session.compacting"(input: { sessionID: string }, output: object): Promise<void>;
  "experimental.text.complete"(input: { sessionID: string }, output: { text: string }): Promise<void>;
  "chat.params"(input: { sessionID: string; agent: string }, output: object): Promise<void>;
  "tool.execute.before"(input: { sessionID: string; tool: string }, output: { args: unknown }): Promise<void>;
}

/**
 * A module of OpenCode.
 *
 * @example
 * const plugin = protectSessions();
 * typeof plugin.server; // "function"
 */
export interface OpenCodePlugin {
  /** The name of the plugin. */
  id: string;
  /** Makes the hooks, with the options of `opencode.json`. */
  server(input: unknown, options?: Record<string, unknown>): Promise<Partial<Hooks>>;
}

/** OpenCode's tools that send nothing away: what a subagent gets is protected again. */
const LOCAL = ["apply_patch", "edit", "glob", "grep", "list", "lsp", "multiedit", "patch", "question", "read", "task", "todoread", "todowrite", "write"];
const CALLER: Origin = { role: "caller" };
const MODEL: Origin = { role: "model" };

/**
 * Makes a plugin for OpenCode.
 *
 * Requests to models leave with typed placeholders: messages, results of tools, files of text, the system prompt. Texts of
 * the model are restored when they are complete, and the arguments of tools before a tool runs. OpenCode stores and shows the
 * values. A session keeps one numbering until OpenCode ends.
 *
 * A request that the plugin has not protected is rejected. Titles are such requests, so they are turned off.
 *
 * @throws {TextveilError} `invalid_request` naming an option
 * @example
 * const { id } = protectSessions({ excludeEntities: ["city"] }); // export default protectSessions(…)
 * id; // "textveil"
 */
export function protectSessions(options?: OpenCodeOptions): OpenCodePlugin {
  checked(options);
  return {
    id: "textveil",
    server: async (_, given) => {
      try {
        return new Sessions({ ...options, ...given }).hooks();
      } catch (error) {
        // OpenCode would go on without a plugin that failed
        return rejecting(error);
      }
    },
  };
}

/** Rejects every request: each asks for the system prompt. */
function rejecting(error: unknown): Partial<Hooks> {
  return {
    "experimental.chat.system.transform": async () => {
      throw error;
    },
  };
}

/** Checks the options, and separates those of a conversation. */
function checked(options: OpenCodeOptions | undefined): { localTools: readonly string[]; passes: boolean; prompt: PromptOptions } {
  const { localTools = LOCAL, binary = "note", ...prompt } = object(options);
  if (!Array.isArray(localTools) || !localTools.every((name) => typeof name === "string")) throw invalid("localTools", "must be a list of names of tools");
  if (binary !== "note" && binary !== "pass") throw invalid("binary", "must be note or pass");
  const all: PromptOptions = binary === "pass" ? { ...prompt, binary } : prompt;
  new Conversation(all);
  return { localTools, passes: binary === "pass", prompt: all };
}

/** A session: its placeholders, and whether the model writes a summary of it. */
interface Session {
  conversation: Conversation;
  summary: "no" | "next" | "now";
}

/** The sessions of a process. */
class Sessions {
  readonly #sessions = new Map<string, Session>();
  readonly #local: ReadonlySet<string>;
  readonly #passes: boolean;
  readonly #prompt: PromptOptions;

  constructor(options: OpenCodeOptions) {
    const { localTools, passes, prompt } = checked(options);
    this.#local = new Set(localTools);
    this.#passes = passes;
    this.#prompt = prompt;
  }

  hooks(): Hooks {
    return {
      config: async (config) => withoutTitles(config as { agent?: Record<string, object> }),
      event: async ({ event: { type, properties } }) => {
        const { info, sessionID } = properties as { info?: { id?: string }; sessionID?: string };
        if (type === "session.deleted") this.#sessions.delete(info?.id ?? sessionID ?? "");
      },
      dispose: async () => this.#sessions.clear(),
      "experimental.chat.messages.transform": async (_, { messages }) => this.#messages(messages),
      "experimental.chat.system.transform": async ({ sessionID }, { system }) => {
        const { conversation } = this.#known(sessionID);
        const safe = await conversation.protect((visit) => system.map((text) => visit(text, CALLER)));
        system.splice(0, system.length, ...safe);
      },
      "experimental.session.compacting": async ({ sessionID }) => {
        const session = this.#sessions.get(sessionID);
        if (session !== undefined) session.summary = "next";
      },
      "experimental.text.complete": async ({ sessionID }, output) => {
        const session = this.#sessions.get(sessionID);
        // OpenCode sends a summary to the model again, past the hook of messages
        if (session?.summary === "no") output.text = restoredText(session.conversation, output.text);
      },
      "chat.params": async ({ sessionID, agent }) => {
        this.#known(sessionID);
        if (agent === "title") throw unprotected();
      },
      "tool.execute.before": async ({ sessionID, tool }, { args }) => {
        const session = this.#sessions.get(sessionID);
        if (session !== undefined) restoreArguments(session.conversation, args, tool, this.#local.has(tool));
      },
    };
  }

  /** Returns the session of a request. */
  #known(id: string | undefined): Session {
    const session = this.#sessions.get(id ?? "");
    if (session === undefined) throw unprotected();
    return session;
  }

  async #messages(messages: Message[]): Promise<void> {
    const id = messages[0]?.info.sessionID;
    if (id === undefined) return;
    let session = this.#sessions.get(id);
    if (session === undefined) {
      session = { conversation: new Conversation(this.#prompt), summary: "no" };
      this.#sessions.set(id, session);
      // placeholders of an earlier process have numbers that this one must not give again
      session.conversation.reserve(JSON.stringify(messages));
    } else if (session.summary !== "no") {
      session.summary = session.summary === "next" ? "now" : "no";
    }
    const { conversation } = session;
    const safe = await conversation.protect((visit) => messages.map((message) => this.#message(conversation, message, visit)));
    // the list is what OpenCode sends; its messages may be in use elsewhere
    messages.splice(0, messages.length, ...safe);
  }

  #message(conversation: Conversation, { info, parts }: Message, visit: Visit): Message {
    const origin = info.role === "user" ? CALLER : MODEL;
    return { info, parts: parts.map((part) => this.#part(conversation, part as Part, visit, origin)) };
  }

  #part(conversation: Conversation, part: Part, visit: Visit, origin: Origin): Part {
    switch (part.type) {
      case "file":
        return this.#file(conversation, part, visit, origin);
      case "reasoning": {
        const text = visit(String(part["text"]), origin);
        if (text === part["text"]) return part;
        // its signature is of the text that was changed
        const { metadata: _, ...rest } = part;
        return { ...rest, text };
      }
      case "tool":
        return { ...part, ...this.#tool(conversation, part, visit) };
      default:
        return withTexts(part, ["text", "prompt", "description", "command"], (text) => visit(text, origin));
    }
  }

  /** Protects a call of a tool: its arguments, its result and the files in that. */
  #tool(conversation: Conversation, part: Part, visit: Visit): { state: Fields } {
    const state = part["state"] as Fields;
    const origin: Origin = { role: "tool", tool: String(part["tool"]) };
    const safe = withTexts(state, ["output", "error"], (text) => visit(text, origin));
    if (safe["input"] !== undefined) safe["input"] = conversation.data(safe["input"], visit, MODEL);
    const { metadata, attachments, status } = state;
    // the output of a tool that was interrupted
    if (status === "error" && typeof metadata === "object" && metadata !== null) safe["metadata"] = withTexts(metadata as Fields, ["output"], (text) => visit(text, origin));
    if (Array.isArray(attachments)) {
      const files = attachments.map((part: Part) => this.#file(conversation, part, visit, origin));
      safe["attachments"] = files.filter(({ type }) => type === "file");
      const notes = files.filter(({ type }) => type === "text").map((part) => String(part["text"]));
      if (notes.length > 0) safe["output"] = [safe["output"], ...notes].join("\n");
    }
    return { state: safe };
  }

  /** Protects a file of text. Any other becomes a note, unless it may pass. */
  #file(conversation: Conversation, part: Part, visit: Visit, origin: Origin): Part {
    const { mime, url, id, sessionID, messageID } = part;
    const [, head, content] = /^(data:[^,]*;base64,)(.*)$/is.exec(String(url)) ?? [];
    const safe = withTexts(part, ["filename"], (text) => visit(text, origin));
    // OpenCode sends the text of a file in parts of its own
    if (content === undefined && /^(?:text\/plain|application\/x-directory)$/.test(String(mime))) return safe;
    try {
      const file = conversation.file(content, String(mime), visit, origin, "file");
      return content === undefined ? safe : { ...safe, url: `${head}${file}` };
    } catch (error) {
      if (this.#passes || !(error instanceof TextveilError) || error.field !== "file") throw error;
      return { id, sessionID, messageID, type: "text", synthetic: true, text: `[Textveil withheld a file that it cannot inspect: ${visit(String(mime), origin)}]` };
    }
  }
}

/** Turns OpenCode's titles off: they are made of messages that no hook sees. */
function withoutTitles(config: { agent?: Record<string, object> }): void {
  config.agent = { ...config.agent, title: { ...config.agent?.["title"], disable: true } };
}

function unprotected(): TextveilError {
  return new TextveilError("policy_violation", "Textveil rejected a request whose messages it could not protect");
}

/** Copies an object with these of its texts changed. */
function withTexts<T extends Fields>(value: T, names: string[], changed: (text: string) => string): T {
  const copy: Fields = { ...value };
  for (const name of names) if (typeof copy[name] === "string") copy[name] = changed(copy[name]);
  return copy as T;
}

function restoredText(conversation: Conversation, text: string): string {
  const answer = conversation.answer();
  try {
    return answer.text(text, "text");
  } finally {
    answer.end();
  }
}

/** Restores arguments where they are. A tool that would get a placeholder instead of a value does not run. */
function restoreArguments(conversation: Conversation, args: unknown, tool: string, isLocal: boolean): void {
  if (typeof args !== "object" || args === null) return;
  const answer = conversation.answer();
  try {
    const restored = isLocal ? answer.values(args) : answer.arguments(args, tool);
    if (answer.withheld > 0) {
      const ways = isLocal ? "Leave URLs out of the arguments" : "Use a tool for files, and leave URLs and mail addresses out";
      throw new TextveilError("policy_violation", `Textveil withholds values from this call of ${tool}: its arguments would send them away. ${ways}, or ask the user to allow the host.`);
    }
    Object.assign(args, restored);
  } finally {
    answer.end();
  }
}
