// The messages of a call to a language model, and its answer: typed placeholders on the way out, originals on the way back.

import { Answer, checkRestoring, type MayHave, type TextWork } from "./answer.js";
import { object } from "./call.js";
import { TextveilError, invalid } from "./error.js";
import { readWhole, type OpenDocument } from "./document.js";
import { documents } from "./documents-instance.js";
import { essenceOf, extensionWritten, formatOfType, isJson, isText, looksLikeJson, type Format } from "./format.js";
import { whenReady } from "./load.js";
import type { BinaryOptions, Replaceable, RestoreOptions } from "./options.js";
import type { PromptOptions } from "./prompt.js";
import { createProtector, partsOf, type Parts } from "./protector.js";

/** The origin of a text of the prompt: the caller, the model, or the tool of this name. */
export type Origin = { role: "caller" | "model" } | { role: "tool"; tool: string };

/** Gives the text that replaces one of the prompt; what is no JSON by its looks is plain text where no format is given. */
export type Visit = (text: string, origin: Origin, format?: Format) => string;

/**
 * One call to a language model. Its placeholders are numbered anew from its messages, so that nothing is remembered
 * between calls and the same beginning of a conversation has the same placeholders.
 */
export class Conversation {
  readonly #parts: Parts;
  readonly #restoring: RestoreOptions;
  readonly #replace: PromptOptions["replace"];
  readonly #anyTool: boolean;
  readonly #binary: BinaryOptions["binary"];
  /** The origins of each placeholder's value, by its number: a role, or a tool as `tool NAME`. */
  readonly #origins = new Map<string, Set<string>>();

  /** @throws {TextveilError} naming the option at fault */
  constructor(options: PromptOptions | undefined) {
    const { restoreHosts, onRestored, tools, binary, replace, ...rest } = object(options);
    if (tools !== undefined && tools !== "own" && tools !== "all") throw invalid("tools", "must be own or all");
    if ("mode" in rest && rest.mode !== undefined) throw invalid("mode", "must be absent; prompts have placeholders");
    if (replace !== undefined && typeof replace !== "function") throw invalid("replace", "must be a function");
    this.#parts = partsOf(createProtector({ ...rest, mode: "placeholder" })) as Parts;
    this.#restoring = checkRestoring({ restoreHosts, onRestored });
    this.#replace = replace;
    this.#anyTool = tools === "all";
    this.#binary = binary;
  }

  /**
   * Protects a prompt. Its texts are walked twice: no placeholder may get a number that a later text has already, and
   * the readers of documents are loaded where one of them is a document.
   *
   * @param walk visits every text of the prompt, in order, and gives the prompt with what each visit gave
   */
  async protect<T>(walk: (visit: Visit) => T): Promise<T> {
    await whenReady(() => {});
    let hasDocuments = false;
    walk((text, origin, format) => {
      hasDocuments ||= formatOfText(text, format) !== "text";
      // one in a text of the model was withheld: it has the same number again
      if (origin.role !== "model") this.#parts.memory.reserve(text);
      return text;
    });
    if (hasDocuments) await documents();
    return walk((text, origin, format) => this.#protected(text, origin, format));
  }

  /** Gives no number that a placeholder of this text has, such as one of an earlier process. */
  reserve(text: string): void {
    this.#parts.memory.reserve(text);
  }

  /** Protects the values of data that JSON can write. */
  data(value: unknown, visit: Visit, origin: Origin): unknown {
    if (value === undefined || value === null) return value;
    if (typeof value === "string") return visit(value, origin);
    // a number may become a string, so it is read as a part of JSON too
    return (JSON.parse(visit(JSON.stringify([value]), origin)) as unknown[])[0];
  }

  /**
   * Protects a file of a prompt: text in base64 or bytes. Any other file passes or is rejected.
   *
   * @param field names the file in an error
   */
  file<T extends string | Uint8Array | undefined>(content: T, mediaType: string, visit: Visit, origin: Origin, field: string): T {
    const essence = essenceOf(mediaType);
    const isOffice = extensionWritten(formatOfType(essence)) !== undefined;
    const mayBeText = !isOffice && (essence === "text" || (essence !== "" && essence !== "application/octet-stream" && essence !== "*/*" && isText(mediaType)));
    if (!mayBeText || content === undefined) {
      if (this.#binary === "pass") return content;
      throw invalid(field, "is a file that cannot be inspected; remove it, or let files pass by `binary: \"pass\"`");
    }
    const bytes: Uint8Array = typeof content === "string" ? ofBase64(content, field) : (content as Uint8Array);
    let text: string;
    try {
      text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
    } catch {
      throw invalid(field, "is a file of text that is not UTF-8; convert it");
    }
    const safe = new TextEncoder().encode(visit(text, origin, formatOfType(mediaType)));
    return (typeof content === "string" ? toBase64(safe) : safe) as T;
  }

  /** Begins the answer of the model. */
  answer(): Restoring {
    const { memory } = this.#parts;
    return new Restoring(new Answer((text) => memory.known(text), this.#restoring, false), (tool) => (number) => this.#mayHave(number, tool));
  }

  #protected(text: string, origin: Origin, given?: Format): string {
    if (text.trim() === "") return text;
    const replace = (finding: Replaceable) => {
      const own = this.#replace?.(finding);
      if (own !== undefined) return own;
      const placeholder = this.#parts.memory.placeholder(finding);
      const number = /_(\d+)\]\]$/.exec(placeholder)?.[1] ?? "";
      const origins = this.#origins.get(number) ?? new Set();
      this.#origins.set(number, origins.add(origin.role === "tool" ? toolKey(origin.tool) : origin.role));
      return placeholder;
    };
    const format = formatOfText(text, given);
    if (format === "text") return this.#parts.engine.protect(text, { replace }).protectedText;
    // without a promise, since the readers are loaded
    return readWhole(this.#parts.engine.document(format, { replace }, { field: "prompt" }) as OpenDocument, text);
  }

  /**
   * Whether a tool may receive a value: one that the caller said, or the tool itself.
   *
   * A value that only the model said may come from another tool.
   */
  #mayHave(number: string | undefined, tool: string): boolean {
    if (this.#anyTool) return true;
    const origins = this.#origins.get(number ?? "") ?? new Set();
    return origins.size === 0 || origins.has("caller") || origins.has(toolKey(tool));
  }
}

/** Returns the format of a text of a prompt. JSON is often sent without saying so. */
function formatOfText(text: string, given: Format | undefined): Format {
  return given ?? (looksLikeJson(text) ? "json" : "text");
}

/** Returns how a tool is remembered as an origin. */
function toolKey(name: string): string {
  return `tool ${name}`;
}

/** The answer to a prompt: its texts, and the arguments of its calls. */
export class Restoring {
  readonly #answer: Answer;
  readonly #mayHave: (tool: string) => MayHave;

  constructor(answer: Answer, mayHave: (tool: string) => MayHave) {
    this.#answer = answer;
    this.#mayHave = mayHave;
  }

  /** The number of values that stay replaced, since their destination may not have them. */
  get withheld(): number {
    return this.#answer.counts.withheld;
  }

  /** Restores a text that is joined with those of the same lane. */
  text(text: string, lane: string): string {
    return this.#answer.text(text, lane);
  }

  /** Restores JSON in a text: the strings in it. Text that is not JSON is restored as text. */
  json(text: string, lane: string): string {
    return isJson(text) ? this.#answer.json(text, lane) : this.#answer.text(text, lane);
  }

  /** Restores the strings of data. */
  values<T>(value: T): T {
    return this.#answer.values(value);
  }

  /** Restores the arguments of a call: data, or JSON in a string. */
  arguments<T>(value: T, tool: string): T {
    return this.#answer.arguments(value, tool, this.#mayHave(tool));
  }

  /** Opens a text that arrives in pieces, cut anywhere. */
  open(lane: string): TextWork {
    return this.#answer.open(lane);
  }

  /** Opens JSON that arrives in pieces. */
  openJson(lane: string): TextWork {
    return this.#answer.openJson(lane);
  }

  /** Opens arguments that arrive in pieces. */
  openArguments(tool: string): TextWork {
    return this.#answer.openArguments(tool, this.#mayHave(tool));
  }

  /** Ends the answer, and tells the application what was restored. */
  end(): void {
    this.#answer.end();
  }

  /** Frees the restoring of what repeats an answer. */
  free(): void {
    this.#answer.free();
  }
}

function ofBase64(text: string, field: string): Uint8Array {
  try {
    return Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), (letter) => letter.charCodeAt(0));
  } catch {
    throw invalid(field, "must have its text in base64");
  }
}

function toBase64(bytes: Uint8Array): string {
  let letters = "";
  for (const byte of bytes) letters += String.fromCharCode(byte);
  return btoa(letters);
}

/** Makes the error of a call that `transformParams` did not prepare. */
export function noConversation(): TextveilError {
  return new TextveilError("internal_error", "the call was not prepared by `transformParams`; use the middleware as it is");
}
