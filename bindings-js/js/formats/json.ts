// JSON, kept as it is, except the keys, strings and numbers that change.

import { TextveilError } from "../error.js";
import { LONGEST_HELD, type Parts, type Reader } from "./document.js";
import { Value } from "./passage.js";

/** What stands between the strings, numbers and names; a byte order mark may stand first. */
const SPACE = /[ \t\r\n\uFEFF]+/y;
/** A number or a name, and what is neither but stands where they would. */
const WORD = /[^\s"{}[\]:,]+/y;
const NUMBER = /^-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

/**
 * One document. A key is read as the label of its value. Numbers and keys may be personal data too: a
 * number that is becomes a string.
 */
export class Json implements Reader {
  /** What has not ended yet, and how far its string was looked at. */
  #held = "";
  #seen = 0;
  #line = 1;
  /** The key that counts here, and those outside. */
  #key = "";
  #outer: { key: string; object: boolean }[] = [];
  /** Whether a string that comes now is a key. */
  #names = false;

  read(text: string, parts: Parts): void {
    this.#held += text;
    this.#scan(false, parts);
    if (this.#held.length > LONGEST_HELD) throw this.#invalid("a value is longer than 16 MiB");
  }

  end(parts: Parts): void {
    this.#scan(true, parts);
    if (this.#held !== "") throw this.#invalid("a string is not closed");
    if (this.#outer.length > 0) throw this.#invalid("an object or a list is not closed");
  }

  #scan(last: boolean, parts: Parts): void {
    const text = this.#held;
    let at = 0;
    while (at < text.length) {
      const end = this.#token(text, at);
      // what touches the end may go on behind it
      if (end === undefined || (end === text.length && !last && !/[{}[\]:,"]/.test(text[at] ?? ""))) break;
      this.#hand(text.slice(at, end), parts);
      at = end;
      this.#seen = 0;
    }
    this.#held = text.slice(at);
  }

  /** The end of the token at `at`; undefined where it has not come yet. */
  #token(text: string, at: number): number | undefined {
    const first = text[at] ?? "";
    if (first === '"') return this.#stringEnd(text, at);
    if ("{}[]:,".includes(first)) return at + 1;
    for (const kind of [SPACE, WORD]) {
      kind.lastIndex = at;
      if (kind.test(text)) return kind.lastIndex;
    }
    throw this.#invalid("a character stands where none may");
  }

  #stringEnd(text: string, at: number): number | undefined {
    let from = at + Math.max(this.#seen, 1);
    for (;;) {
      const quote = text.indexOf('"', from);
      if (quote < 0) {
        this.#seen = text.length - at;
        return undefined;
      }
      let escapes = 0;
      while (text[quote - 1 - escapes] === "\\" && quote - 1 - escapes > at) escapes += 1;
      if (escapes % 2 === 0) return quote + 1;
      from = quote + 1;
    }
  }

  #hand(token: string, parts: Parts): void {
    const first = token[0] ?? "";
    if (first === '"') return this.#string(token, parts);
    if ("{}[]:,".includes(first)) this.#punctuation(first);
    else if (/[\s\uFEFF]/.test(first)) this.#line += token.split("\n").length - 1;
    else if (NUMBER.test(token)) return parts.value(new Value(token, token, quoted, { label: this.#key }));
    else if (!["true", "false", "null"].includes(token)) throw this.#invalid("a value is not valid JSON");
    parts.keep(token);
  }

  #string(token: string, parts: Parts): void {
    const text = this.#decode(token);
    if (!this.#names) return parts.value(new Value(token, text, quoted, { label: this.#key }));
    this.#key = text;
    // a name without either is a label and no more
    if (/[\p{N}@]/u.test(text)) parts.value(new Value(token, text, quoted, { aside: true }));
    else parts.keep(token);
  }

  #punctuation(mark: string): void {
    if (mark === "{" || mark === "[") {
      this.#outer.push({ key: this.#key, object: mark === "{" });
    } else if (mark === "}" || mark === "]") {
      const closed = this.#outer.pop();
      if (closed?.object !== (mark === "}")) throw this.#invalid("a bracket closes what is not open");
      this.#key = closed.key;
    }
    if (mark !== "," && mark !== "{") this.#names = false;
    else this.#names = this.#outer.at(-1)?.object ?? false;
  }

  #decode(token: string): string {
    try {
      return JSON.parse(token) as string;
    } catch {
      throw this.#invalid("a string is not valid JSON");
    }
  }

  #invalid(what: string): TextveilError {
    const message = `line ${this.#line} is not valid JSON: ${what}; for plain text use the format "text"`;
    return new TextveilError("invalid_request", message, "format");
  }
}

/**
 * A document a line, each read by itself. A line that is no JSON is plain text: programs write both into one log,
 * and nothing may pass unseen.
 */
export class JsonLines implements Reader {
  #held = "";

  read(text: string, parts: Parts): void {
    this.#held += text;
    let at = 0;
    for (let end = this.#held.indexOf("\n") + 1; end > 0; end = this.#held.indexOf("\n", at) + 1) {
      line(this.#held.slice(at, end), parts);
      at = end;
    }
    this.#held = this.#held.slice(at);
    if (this.#held.length > LONGEST_HELD) {
      throw new TextveilError("invalid_request", "a line is longer than 16 MiB", "format");
    }
  }

  end(parts: Parts): void {
    line(this.#held, parts);
  }
}

function line(text: string, parts: Parts): void {
  const values = readJson(text);
  if (values === undefined) parts.value(new Value(text, text, (changed) => changed));
  else for (const part of values) typeof part === "string" ? parts.keep(part) : parts.value(part);
  parts.endRecord();
}

/** What a document is made of; undefined where it is no JSON. */
export function readJson(text: string): (string | Value)[] | undefined {
  const read: (string | Value)[] = [];
  const parts: Parts = { keep: (raw) => read.push(raw), value: (value) => read.push(value), endRecord: () => {} };
  const json = new Json();
  try {
    json.read(text, parts);
    json.end(parts);
  } catch (error) {
    if (error instanceof TextveilError) return undefined;
    throw error;
  }
  return read;
}

function quoted(text: string): string {
  return JSON.stringify(text);
}
