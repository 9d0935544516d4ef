// Bytes as text. A byte that is not in the expected encoding is an error: a replaced character may hide personal data.

import { invalid, TextveilError } from "./error.js";

/** Half of a character, cut off where one piece of text ends. */
const HALF = /[\uD800-\uDBFF]$/;

/** Decodes strings and bytes that arrive in pieces, cut anywhere. Keeps a byte order mark. */
export class Decoder {
  readonly #encoding: string | undefined;
  readonly #field: string;
  #decoder: TextDecoder | undefined;
  #half = "";

  /**
   * @param field what an error names
   * @throws {TextveilError} `invalid_request` naming `encoding`
   */
  constructor(encoding: string | undefined, field: string) {
    this.#encoding = encoding;
    this.#field = field;
    if (encoding !== undefined) this.#decoder = decoderOf(encoding);
  }

  /** The text of the next piece, without a character that is cut in two. */
  push(piece: string | Uint8Array): string {
    const text = this.#half + (typeof piece === "string" ? piece : this.#decoded(piece));
    this.#half = HALF.exec(text)?.[0] ?? "";
    return text.slice(0, text.length - this.#half.length);
  }

  /** The rest. */
  finish(): string {
    return this.#half + (this.#decoder === undefined ? "" : this.#decoded(undefined));
  }

  #decoded(bytes: Uint8Array | undefined): string {
    this.#decoder ??= decoderOf(this.#encoding ?? marked(bytes ?? new Uint8Array()) ?? "utf-8");
    let text: string | undefined;
    try {
      text = bytes === undefined ? this.#decoder.decode() : this.#decoder.decode(bytes, { stream: true });
    } catch {
      // rejected below
    }
    if (text !== undefined && !text.includes("\0")) return text;
    const what = text === undefined ? `is not ${this.#decoder.encoding}` : "has bytes that text does not have";
    throw new TextveilError("invalid_request", `${this.#field} ${what}; give its \`encoding\`, such as windows-1250`, this.#field);
  }
}

/** The encoding that a media type names: `text/plain; charset=windows-1250`. */
export function charsetOf(type: string): string | undefined {
  return /;\s*charset\s*=\s*"?([^\s";]+)/i.exec(type)?.[1];
}

/** The same media type for the same text in UTF-8. */
export function inUtf8(type: string): string {
  return charsetOf(type) === undefined ? type : type.replace(/(;\s*charset\s*=\s*)(?:"[^"]*"|[^\s;]+)/i, "$1utf-8");
}

/** A decoder that keeps a byte order mark, since what comes out is the text as it was. */
function decoderOf(encoding: string): TextDecoder {
  try {
    return new TextDecoder(encoding, { fatal: true, ignoreBOM: true });
  } catch {
    throw invalid("encoding", "must be the name of an encoding, such as utf-8 or windows-1250");
  }
}

/** The encoding that a byte order mark names. */
function marked([first, second]: Uint8Array): string | undefined {
  if (first === 0xff && second === 0xfe) return "utf-16le";
  if (first === 0xfe && second === 0xff) return "utf-16be";
  return undefined;
}
