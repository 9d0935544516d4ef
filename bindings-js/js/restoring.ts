// Restoring texts, streams and responses: hashes, tokens and placeholders become the originals again.

import { type Answer, type Find, type Found, type TextWork } from "./answer.js";
import { parse } from "./call.js";
import { charsetOf, Decoder } from "./decode.js";
import { essenceOf, isJson, looksLikeJson } from "./format.js";
import { call } from "./instance.js";
import type { KeySource } from "./keys.js";
import type { RestoreResult } from "./options.js";
import type { TokenMap } from "./session.js";
import { streamOf, type Work } from "./stream.js";

/** Finds what is remembered, and the tokens of these keys. */
export function findWith(keys: KeySource, memory: TokenMap): Find {
  function* tokens(text: string, at: number): Generator<Found> {
    if (!text.includes("tok_")) return;
    for (const [start, end, original] of parse<[number, number, string | null][]>(call(() => keys().tokens(text)))) {
      yield { start: at + start, end: at + end, original: original ?? undefined };
    }
  }
  return function* (text) {
    let at = 0;
    for (const known of memory.known(text)) {
      yield* tokens(text.slice(at, known.start), at);
      yield known;
      at = known.end;
    }
    yield* tokens(text.slice(at), at);
  };
}

/** Restores a text. */
export function restoredText(answer: Answer, text: string): RestoreResult {
  try {
    const restored = answer.text(text, TEXT_LANE);
    return { text: restored, ...answer.counts, apiVersion: "v1" };
  } finally {
    answer.end();
  }
}

/** The lane of what people read. */
const TEXT_LANE = "text";

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
export function restoringOf(kind: RestoreKind, answer: Answer, encoding: string | undefined): Work {
  return decoding(textWork(kind, answer), encoding, () => answer.end());
}

function textWork(kind: RestoreKind, answer: Answer): TextWork {
  switch (kind) {
    case "text":
      return answer.open(TEXT_LANE);
    case "json":
      return new RestoreWhole((text) => restoreJson(text, answer));
    case "lines":
      return new RestoreLines((line) => restoreJson(line, answer));
    case "events":
      return new RestoreEvents(answer);
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

function decoding(work: TextWork, encoding: string | undefined, free: () => void): Work {
  const decoder = new Decoder(encoding, "stream");
  return {
    push: (piece) => work.push(decoder.push(piece)),
    finish: () => work.push(decoder.finish()) + work.finish(),
    free,
  };
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

/** A string of JSON, or a sign of its structure. */
const TOKEN = /"[^"\\]*(?:\\[^][^"\\]*)*"|[[\]{},:]/g;
/** Fields with what people read, whose texts applications join. */
const SAID = /^(?:content|text|output_text|delta|refusal)$/;
/** Fields with the arguments of a call. */
const ARGUMENTS = /^(?:arguments|args|input)$/;

/** An open object or list of JSON. */
interface Level {
  /** The name of the current member; in a list, that of the list. */
  name: string | undefined;
  /** The name of the tool that the object calls. */
  tool: string;
  isObject: boolean;
  /** Whether a name comes next. */
  isName: boolean;
  /** It is in arguments, which get no values if they name a foreign host. */
  isArguments: boolean;
  isForeign: boolean;
}

/**
 * JSON with its strings restored, also those that are JSON themselves, and all else as it was; text that is not JSON is
 * restored as text.
 */
function restoreJson(text: string, answer: Answer, isForeign = false): string {
  if (!isJson(text)) return answer.text(text, TEXT_LANE);
  const levels: Level[] = [];
  const ends = endsOf(text);
  return text.replaceAll(TOKEN, (token: string, at: number) => {
    const level = levels.at(-1);
    const name = level?.name;
    switch (token) {
      case "{":
      case "[": {
        const begins = level !== undefined && !level.isArguments && ARGUMENTS.test(name ?? "") && token === "{";
        const own = begins && answer.namesForeign(JSON.parse(text.slice(at, ends.get(at))), level.tool);
        const isArguments = begins || level?.isArguments === true;
        levels.push({ name: token === "[" ? name : undefined, tool: "", isObject: token === "{", isName: token === "{", isArguments, isForeign: own || (level?.isForeign ?? isForeign) });
        return token;
      }
      case "}":
      case "]":
        levels.pop();
        return token;
      case ",":
        if (level?.isObject === true) level.isName = true;
        return token;
      case ":":
        if (level !== undefined) level.isName = false;
        return token;
    }
    const before = JSON.parse(token) as string;
    const may = () => !(level?.isForeign ?? isForeign);
    let after: string;
    if (level?.isName === true) {
      level.name = before;
      after = answer.string(before, may);
    } else {
      if (level?.isObject === true && (name === "name" || name === "toolName")) level.tool = before;
      const isCall = level !== undefined && !level.isArguments && ARGUMENTS.test(name ?? "") && level.isObject;
      if (isCall) after = answer.arguments(before, level.tool);
      else if (looksLikeJson(before) && isJson(before)) after = restoreJson(before, answer, !may());
      else after = SAID.test(name ?? "") && level?.isArguments !== true ? answer.text(before, TEXT_LANE) : answer.string(before, may);
    }
    return before === after ? token : JSON.stringify(after);
  });
}

/** The ends of the objects and lists of a JSON text, by their starts. */
function endsOf(text: string): Map<number, number> {
  const ends = new Map<number, number>();
  const open: number[] = [];
  for (const { 0: token, index } of text.matchAll(TOKEN)) {
    if (token === "{" || token === "[") open.push(index);
    else if (token === "}" || token === "]") ends.set(open.pop() ?? 0, index + 1);
  }
  return ends;
}

function restoreString(text: string, answer: Answer): string {
  if (text === "") return text;
  return looksLikeJson(text) ? restoreJson(text, answer) : answer.string(text);
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
  readonly #answer: Answer;
  readonly #texts = new Map<string, { text: TextWork; event: Record<string, unknown>; path: readonly string[] }>();
  #held = "";
  /** No empty line begins before this. */
  #searched = 0;

  constructor(answer: Answer) {
    this.#answer = answer;
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
      const written = isEnd ? text : this.#answer.text(text, TEXT_LANE);
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
      if (!isPiece) return this.#whole(value, last);
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
    const text = known?.text ?? (isJson ? this.#answer.openArguments(toolOf(event, path)) : this.#answer.open(lane(path, event)));
    this.#texts.set(key, { text, event, path });
    return text.push(value);
  }

  /** A string that is no piece: of a whole message, or data. */
  #whole(value: string, name: string): string {
    return ARGUMENTS.test(name) && isJson(value) ? this.#answer.arguments(value, "") : restoreString(value, this.#answer);
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

/** The texts that an application joins: those of one field and one choice. */
function lane(path: readonly string[], event: Record<string, unknown>): string {
  const field = path.at(-1) ?? "";
  return JSON.stringify([SAID.test(field) ? TEXT_LANE : field, numbersOf(event, path).at(-1)]);
}

/** The name of the tool beside the arguments, if the event has it. */
function toolOf(event: Record<string, unknown>, path: readonly string[]): string {
  let value: unknown = event;
  for (const step of path.slice(0, -1)) value = (value as Record<string, unknown> | undefined)?.[step];
  const name = (value as Record<string, unknown> | undefined)?.["name"];
  return typeof name === "string" ? name : "";
}
