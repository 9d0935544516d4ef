// The messages of a call to a language model, and its answer: typed placeholders on the way out, originals on the way back.

import { object } from "./call.js";
import { TextveilError, invalid } from "./error.js";
import type { OpenDocument } from "./document.js";
import { documents } from "./documents-instance.js";
import { essenceOf, formatOfType, isJson, isText, looksLikeJson, type Format } from "./format.js";
import { Hosts } from "./hosts.js";
import { whenReady } from "./load.js";
import type { BinaryOptions, Replaceable } from "./options.js";
import { PlaceReader, type Verdict } from "./place.js";
import type { PromptOptions } from "./prompt.js";
import { createProtector, partsOf, type Parts } from "./protector.js";
import { placeholderAtEnd } from "./restoring.js";

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
  readonly #hosts: Hosts;
  readonly #replace: PromptOptions["replace"];
  readonly #anyTool: boolean;
  readonly #binary: BinaryOptions["binary"];
  /** The origins of each placeholder's value, by its number: a role, or a tool as `tool NAME`. */
  readonly #origins = new Map<string, Set<string>>();

  /** @throws {TextveilError} naming the option at fault */
  constructor(options: PromptOptions | undefined) {
    const { hosts, tools, binary, replace, ...rest } = object(options);
    if (hosts !== undefined && !(Array.isArray(hosts) && hosts.every((host) => typeof host === "string"))) {
      throw invalid("hosts", "must be a list of host names, such as [\"example.com\"]");
    }
    if (tools !== undefined && tools !== "own" && tools !== "all") throw invalid("tools", "must be own or all");
    if ("mode" in rest && rest.mode !== undefined) throw invalid("mode", "must be absent; prompts have placeholders");
    if (replace !== undefined && typeof replace !== "function") throw invalid("replace", "must be a function");
    this.#parts = partsOf(createProtector({ ...rest, mode: "placeholder" })) as Parts;
    this.#hosts = new Hosts(hosts);
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
      if (origin.role === "caller") this.#hosts.read(text);
      return text;
    });
    if (hasDocuments) await documents();
    return walk((text, origin, format) => this.#protected(text, origin, format));
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
    const isWord = formatOfType(essence) === "docx";
    const mayBeText = !isWord && (essence === "text" || (essence !== "" && essence !== "application/octet-stream" && essence !== "*/*" && isText(mediaType)));
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

  /** Restores a text of the answer. */
  text(text: string, tool?: string): string {
    return restored(this.open(tool), text);
  }

  /** Restores JSON in a text: the strings in it. Text that is not JSON is restored as text. */
  json(text: string, tool?: string): string {
    if (!isJson(text)) return this.text(text, tool);
    return restored(this.openJson(tool), text);
  }

  /** Restores the strings of data. */
  values<T>(value: T, tool?: string): T {
    if (typeof value === "string") return restored(this.#openString(tool), value) as T;
    if (Array.isArray(value)) return value.map((item: unknown) => this.values(item, tool)) as T;
    if (typeof value !== "object" || value === null || !isPlain(value)) return value;
    return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, this.values(item, tool)])) as T;
  }

  /** Opens a text of the answer that arrives in pieces, cut anywhere. */
  open(tool?: string): AnswerText {
    return this.#openText(new PlaceReader(this.#hosts), tool);
  }

  /** Opens JSON of the answer that arrives in pieces, such as the arguments of a tool. */
  openJson(tool?: string): AnswerJson {
    return new AnswerJson(() => this.#openString(tool));
  }

  /** Opens a string of data, which may be a URL as a whole. */
  #openString(tool: string | undefined): AnswerText {
    return this.#openText(new PlaceReader(this.#hosts, true), tool);
  }

  #openText(places: PlaceReader, tool: string | undefined): AnswerText {
    return new AnswerText(this.#parts.memory, places, (number) => this.#mayHave(number, tool));
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
    const document = this.#parts.engine.document(format, { replace }, { field: "prompt" }) as OpenDocument;
    try {
      return document.push(text) + document.finish();
    } finally {
      document.free();
    }
  }

  /** Whether a tool may receive a value: not one that only the results of other tools have. */
  #mayHave(number: string, tool: string | undefined): boolean {
    if (tool === undefined || this.#anyTool) return true;
    const origins = this.#origins.get(number) ?? new Set();
    const isOfTools = [...origins].some((origin) => origin.startsWith(toolKey("")));
    return origins.has("caller") || !isOfTools || origins.has(toolKey(tool));
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

/** A text of an answer that arrives in pieces. */
export interface Restoring {
  /** Takes the next piece and gives what is final by now. */
  push(piece: string): string;
  /** Gives the rest. */
  finish(): string;
}

/** Restores a text of an answer. A placeholder waits until its end and its place are known. */
class AnswerText implements Restoring {
  readonly #memory: Parts["memory"];
  readonly #places: PlaceReader;
  readonly #mayHave: (number: string) => boolean;
  /** A beginning of a placeholder. */
  #held = "";
  /** Text that was read and is not returned yet: it begins with a placeholder whose place is not known. */
  #waiting: (string | { written: string; original: string; number: string })[] = [];

  constructor(memory: Parts["memory"], places: PlaceReader, mayHave: (number: string) => boolean) {
    this.#memory = memory;
    this.#places = places;
    this.#mayHave = mayHave;
  }

  push(piece: string): string {
    const all = this.#held + piece;
    // an escape may go on with a bracket
    const end = Math.min(placeholderAtEnd(all), all.endsWith("\\") ? all.length - 1 : all.length);
    this.#held = all.slice(end);
    this.#read(all.slice(0, end));
    return this.#given();
  }

  finish(): string {
    this.#read(this.#held);
    this.#held = "";
    this.#places.finish();
    return this.#given();
  }

  #read(text: string): void {
    let at = 0;
    for (const { start, end, number, original } of this.#memory.known(text)) {
      this.#plain(text.slice(at, start));
      this.#places.placeholder(original);
      this.#waiting.push({ written: text.slice(start, end), original, number });
      at = end;
    }
    this.#plain(text.slice(at));
  }

  #plain(text: string): void {
    if (text === "") return;
    this.#places.text(text);
    this.#waiting.push(text);
  }

  #given(): string {
    let out = "";
    for (let next = this.#waiting[0]; next !== undefined; next = this.#waiting[0]) {
      if (typeof next === "string") out += next;
      else {
        const verdict = this.#places.next();
        if (verdict === undefined) return out;
        const isWithheld = verdict === "withhold" || !this.#mayHave(next.number);
        out += isWithheld ? next.written : encoded(next.original, verdict);
      }
      this.#waiting.shift();
    }
    return out;
  }
}

/** Restores a whole text. */
function restored(restoring: Restoring, text: string): string {
  return restoring.push(text) + restoring.finish();
}

/** Restores the strings of JSON that arrives in pieces: each is read without its escapes, and written with them. */
class AnswerJson implements Restoring {
  readonly #open: () => Restoring;
  /** The string that is being read. */
  #string: Restoring | undefined;
  /** An escape that is cut in two. */
  #escape = "";

  constructor(open: () => Restoring) {
    this.#open = open;
  }

  push(piece: string): string {
    let out = "";
    const text = this.#escape + piece;
    this.#escape = "";
    let at = 0;
    while (at < text.length) {
      if (this.#string === undefined) {
        const quote = text.indexOf('"', at);
        const end = quote < 0 ? text.length : quote + 1;
        out += text.slice(at, end);
        at = end;
        if (quote >= 0) this.#string = this.#open();
        continue;
      }
      const plain = /[^"\\]*/y;
      plain.lastIndex = at;
      const run = plain.exec(text)?.[0] ?? "";
      out += inString(this.#string.push(run));
      at += run.length;
      if (text[at] === '"') {
        out += `${inString(this.#string.finish())}"`;
        this.#string = undefined;
        at += 1;
      } else if (text[at] === "\\") {
        const length = text[at + 1] === "u" ? 6 : 2;
        if (at + length > text.length) {
          this.#escape = text.slice(at);
          return out;
        }
        out += inString(this.#string.push(unescaped(text.slice(at, at + length))));
        at += length;
      }
    }
    return out;
  }

  finish(): string {
    const rest = this.#string === undefined ? "" : inString(this.#string.finish());
    this.#string = undefined;
    return rest + this.#escape;
  }
}

function inString(text: string): string {
  return text === "" ? "" : JSON.stringify(text).slice(1, -1);
}

/** Decodes an escape of JSON; an invalid one is returned as it is. */
function unescaped(escape: string): string {
  try {
    return JSON.parse(`"${escape}"`) as string;
  } catch {
    return escape;
  }
}

/** Encodes a value as its place needs it. */
function encoded(value: string, verdict: Exclude<Verdict, "withhold">): string {
  if (verdict === "html") return value.replaceAll(/[&<>"']/g, (letter) => `&#${letter.charCodeAt(0)};`);
  if (verdict !== "url") return value;
  // a lone half of a character cannot be encoded
  const escaped = encodeURIComponent(value.replaceAll(/\p{Surrogate}/gu, "\ufffd"));
  const strict = escaped.replaceAll(/[!'()*]/g, (letter) => `%${letter.charCodeAt(0).toString(16).toUpperCase()}`);
  return strict.replaceAll(/%(?:40|3A|2C)/g, decodeURIComponent);
}

function isPlain(value: object): boolean {
  return [Object.prototype, null].includes(Object.getPrototypeOf(value));
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
