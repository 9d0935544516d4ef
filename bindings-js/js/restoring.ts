// Restoring texts, streams and responses: hashes, tokens and placeholders become the originals again.

import { parse } from "./call.js";
import { charsetOf, Decoder } from "./decode.js";
import { essenceOf, isJson, looksLikeJson } from "./format.js";
import { call } from "./instance.js";
import type { KeySource } from "./keys.js";
import type { TokenMap } from "./session.js";
import { streamOf, type Work } from "./stream.js";
import type { RestoreResponse } from "./types.js";

/** Restores a text. */
export type Restore = (text: string) => RestoreResponse;

/** Restores with these keys, and with what is remembered. */
export function restoreWith(keys: KeySource, memory: TokenMap): Restore {
  return (text) => {
    const known = memory.restore(text);
    // if the text was only a placeholder, the rest is empty
    const rest = parse<RestoreResponse>(call(() => keys().restore(known.text === "" ? " " : known.text)));
    return { ...rest, text: known.text === "" ? "" : rest.text, restored: rest.restored + known.restored };
  };
}

/** The syntax by which the body of a response is restored. */
export type RestoreKind = "text" | "json" | "lines" | "events";

/** Returns the syntax by which a media type is restored; undefined if it is not text. */
function kindOf(essence: string): RestoreKind | undefined {
  if (essence === "text/event-stream") return "events";
  if (/[/+]json$/.test(essence)) return "json";
  if (/ndjson|jsonl|json-seq/.test(essence)) return "lines";
  return essence === "" || essence.startsWith("text/") || /[/+]xml$/.test(essence) ? "text" : undefined;
}

/** Restores what arrives in pieces, cut anywhere. JSON and events are parsed, so that a value cannot break them. */
export function restoringOf(kind: RestoreKind, restore: Restore, encoding: string | undefined): Work {
  return decoding(textWork(kind, restore), encoding);
}

function textWork(kind: RestoreKind, restore: Restore): TextWork {
  switch (kind) {
    case "text":
      return new RestoreText(restore);
    case "json":
      return new RestoreWhole((text) => restoreJson(text, restore));
    case "lines":
      return new RestoreLines((line) => restoreJson(line, restore));
    case "events":
      return new RestoreEvents(restore);
  }
}

/** A response with its body restored by the work that is opened for it. */
export function restoredResponse(
  response: Response,
  open: (kind: RestoreKind, encoding: string | undefined) => Work,
  signal?: AbortSignal,
): Response {
  if (response.body === null) return response;
  const type = response.headers.get("content-type") ?? "";
  const kind = kindOf(essenceOf(type));
  if (kind === undefined) return response;
  const encode = new TextEncoderStream() as unknown as ReadableWritablePair<Uint8Array, string>;
  const body = response.body.pipeThrough(streamOf(open(kind, charsetOf(type)), signal)).pipeThrough(encode);
  const headers = new Headers(response.headers);
  // of the body as it was sent
  for (const name of ["content-length", "content-encoding", "etag", "content-md5", "digest"]) headers.delete(name);
  const restored = new Response(body, { status: response.status, statusText: response.statusText, headers });
  Object.defineProperty(restored, "url", { value: response.url });
  return restored;
}

interface TextWork {
  push(text: string): string;
  finish(): string;
}

function decoding(work: TextWork, encoding: string | undefined): Work {
  const decoder = new Decoder(encoding, "stream");
  return {
    push: (piece) => work.push(decoder.push(piece)),
    finish: () => work.push(decoder.finish()) + work.finish(),
    free: () => {},
  };
}

/** Longest word or placeholder that is held back until its end comes, in UTF-16 units. */
const LONGEST = 65_536;
/** A placeholder that has not ended. */
const PARTIAL = /\\?\[(?:\\?\[?|\\?\[[\s\p{L}\p{M}\d_\\-]{1,96}(?:\\?\]\\?)?)$/u;

/** Restores a text that arrives in pieces. A word or a placeholder at the end waits for what follows. */
class RestoreText implements TextWork {
  readonly #restore: Restore;
  #held = "";
  /** Length of the word at the end of what is held, so that a long word is not read again with each piece. */
  #word = 0;

  constructor(restore: Restore) {
    this.#restore = restore;
  }

  push(text: string): string {
    const all = this.#held + text;
    const own = wordAtEnd(text);
    this.#word = Math.min(own === text.length ? this.#word + own : own, LONGEST);
    const final = Math.min(all.length - this.#word, placeholderAtEnd(all));
    this.#held = all.slice(final);
    return this.#restored(all.slice(0, final));
  }

  finish(): string {
    const rest = this.#held;
    this.#held = "";
    this.#word = 0;
    return this.#restored(rest);
  }

  #restored(text: string): string {
    return text === "" ? "" : this.#restore(text).text;
  }
}

/** The length of the word at the end of a text. */
function wordAtEnd(text: string): number {
  let start = text.length;
  while (start > 0 && /[A-Za-z0-9_\\]/.test(text[start - 1] ?? "")) start -= 1;
  return text.length - start;
}

/** Returns the start of an unfinished placeholder at the end of a text; the text's length without one. */
export function placeholderAtEnd(text: string): number {
  const near = Math.max(0, text.length - 128);
  const start = PARTIAL.exec(text.slice(near))?.index;
  return start === undefined ? text.length : near + start;
}

/** Restores a body that is needed whole. */
class RestoreWhole implements TextWork {
  readonly #restored: (text: string) => string;
  #text = "";

  constructor(restored: (text: string) => string) {
    this.#restored = restored;
  }

  push(text: string): string {
    this.#text += text;
    return "";
  }

  finish(): string {
    return this.#text === "" ? "" : this.#restored(this.#text);
  }
}

/** Restores line by line. */
class RestoreLines implements TextWork {
  readonly #restored: (line: string) => string;
  #held = "";

  constructor(restored: (line: string) => string) {
    this.#restored = restored;
  }

  push(text: string): string {
    this.#held += text;
    const end = this.#held.lastIndexOf("\n") + 1;
    const lines = this.#held.slice(0, end);
    this.#held = this.#held.slice(end);
    return lines.replaceAll(/[^\r\n]+/g, (line) => this.#restored(line));
  }

  finish(): string {
    return this.#held === "" ? "" : this.#restored(this.#held);
  }
}

/** A string as JSON writes it, in a text that is JSON. */
const STRING = /"[^"\\]*(?:\\[^][^"\\]*)*"/g;

/** JSON with its strings restored, also those that are JSON themselves; text that is not JSON is restored as text. */
function restoreJson(text: string, restore: Restore): string {
  if (!isJson(text)) return restore(text).text;
  return text.replaceAll(STRING, (written) => {
    const before = JSON.parse(written) as string;
    const after = restoreString(before, restore);
    return before === after ? written : JSON.stringify(after);
  });
}

function restoreString(text: string, restore: Restore): string {
  if (text === "") return text;
  return looksLikeJson(text) ? restoreJson(text, restore) : restore(text).text;
}

/** Fields whose text is a piece of a longer one, in the events of language models. */
const PIECES = /^(?:arguments|content|delta|partial_json|reasoning|reasoning_content|refusal|text|thinking)$/;
/** Fields that hold JSON in pieces. */
const JSON_PIECES = /^(?:arguments|partial_json)$/;

/**
 * Restores server-sent events. Language models send a text in pieces, one an event, so each text has its own state: a
 * placeholder that is cut between two events is restored in the second.
 */
class RestoreEvents implements TextWork {
  readonly #restore: Restore;
  readonly #texts = new Map<string, { text: RestoreText; event: Record<string, unknown>; path: readonly string[] }>();
  #held = "";
  /** No empty line begins before this. */
  #searched = 0;

  constructor(restore: Restore) {
    this.#restore = restore;
  }

  push(text: string): string {
    this.#held += text;
    let out = "";
    for (let end = this.#end(); end > 0; end = this.#end()) {
      out += this.#event(this.#held.slice(0, end));
      this.#held = this.#held.slice(end);
      this.#searched = 0;
    }
    // its first line end may be there without the second
    this.#searched = Math.max(0, this.#held.length - 3);
    return out;
  }

  finish(): string {
    return (this.#held === "" ? "" : this.#event(this.#held)) + this.#flushed("");
  }

  /** The end of the first event with its empty line; 0 where it has not come. */
  #end(): number {
    const line = /\r\n\r\n|\n\n|\r\r/g;
    line.lastIndex = this.#searched;
    return line.test(this.#held) ? line.lastIndex : 0;
  }

  #event(event: string): string {
    const lines = event.split(/\r\n|\r|\n/);
    const data = lines.filter((line) => line.startsWith("data:")).map((line) => line.slice(5).replace(/^ /, ""));
    const payload = objectOf(data.join("\n"));
    const rest = lines.filter((line) => line !== "" && !line.startsWith("data:")).map((line) => `${line}\n`).join("");
    if (payload === undefined) {
      const text = data.join("\n");
      const isEnd = text === "[DONE]";
      if (data.length === 0) return event;
      const written = isEnd ? text : this.#restore(text === "" ? " " : text).text;
      return this.#flushed("") + rest + written.split("\n").map((line) => `data: ${line}\n`).join("") + "\n";
    }
    const pieces: string[][] = [];
    const changed = this.#walk(payload, [], pieces, payload) as Record<string, unknown>;
    const before = pieces.length === 0 ? this.#flushed(rest) : "";
    return `${before}${rest}data: ${JSON.stringify(changed)}\n\n`;
  }

  #walk(value: unknown, path: readonly string[], pieces: string[][], event: Record<string, unknown>): unknown {
    if (typeof value === "string") {
      if (value === "") return value;
      const last = path.at(-1) ?? "";
      const isPiece = PIECES.test(last) && (path.includes("delta") || (path[0] === "choices" && last === "text"));
      if (!isPiece) return restoreString(value, this.#restore);
      pieces.push([...path]);
      return this.#piece(value, path, event);
    }
    if (Array.isArray(value)) return value.map((item, index) => this.#walk(item, [...path, String(index)], pieces, event));
    if (typeof value !== "object" || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, this.#walk(item, [...path, name], pieces, event)]));
  }

  #piece(value: string, path: readonly string[], event: Record<string, unknown>): string {
    const key = JSON.stringify([path, numbersOf(event, path)]);
    const isJson = JSON_PIECES.test(path.at(-1) ?? "") || /arguments|input_json/.test(String(event["type"] ?? ""));
    const known = this.#texts.get(key);
    const text = known?.text ?? new RestoreText(isJson ? escaped(this.#restore) : this.#restore);
    this.#texts.set(key, { text, event, path });
    return text.push(value);
  }

  /** Returns the held rest of each text, in an event like its last one. */
  #flushed(fields: string): string {
    let out = "";
    for (const { text, event, path } of this.#texts.values()) {
      const rest = text.finish();
      if (rest === "") continue;
      const kind = fields === "" ? "" : typeof event["type"] === "string" ? `event: ${event["type"]}\n` : "";
      out += `${kind}data: ${JSON.stringify(withText(event, path, rest))}\n\n`;
    }
    this.#texts.clear();
    return out;
  }
}

function objectOf(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}

/** The numbers that tell the texts of one answer apart. */
function numbersOf(event: Record<string, unknown>, path: readonly string[]): unknown[] {
  const own = ["index", "output_index", "content_index", "item_id"].map((name) => event[name]);
  const within: unknown[] = [];
  let value: unknown = event;
  for (const step of path) {
    value = (value as Record<string, unknown> | undefined)?.[step];
    if (typeof value === "object" && value !== null && "index" in value) within.push(value.index);
  }
  return [...own, ...within];
}

/** The event with another text at the path, and no other pieces. */
function withText(event: Record<string, unknown>, path: readonly string[], text: string): unknown {
  const copied = (value: unknown, at: readonly string[]): unknown => {
    if (typeof value === "string") {
      if (at.join("\0") === path.join("\0")) return text;
      return PIECES.test(at.at(-1) ?? "") ? "" : value;
    }
    if (Array.isArray(value)) return value.map((item, index) => copied(item, [...at, String(index)]));
    if (typeof value !== "object" || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, copied(item, [...at, name])]));
  };
  return copied(event, []);
}

/** Restores within pieces of JSON: each original is written as a string of JSON has it. */
function escaped(restore: Restore): Restore {
  return (text) => {
    let whole: RestoreResponse | undefined;
    const written = text.replaceAll(/tok_[a-z0-9_]+|\b[0-9a-f]{16}\b|\\?\[\\?\[[^[\]]*\\?\]\\?\]/g, (replacement) => {
      whole = restore(replacement);
      return whole.restored === 0 ? replacement : JSON.stringify(whole.text).slice(1, -1);
    });
    return { restored: 0, unknown: 0, apiVersion: "v1", ...whole, text: written };
  };
}
