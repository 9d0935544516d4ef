// A document that arrives in pieces, as a stream of the Web.

import type { OpenDocument } from "./engine.js";
import { invalid } from "./error.js";

/** Half of a character, cut off where one piece of text ends. */
const HALF = /[\uD800-\uDBFF]$/;

/** A document whose pieces are strings or bytes, cut anywhere. It is freed at its end. */
export class Pieces {
  readonly #document: OpenDocument;
  readonly #decoder: TextDecoder;
  #half = "";

  /** @throws {TextveilError} `invalid_request` naming `encoding` */
  constructor(document: OpenDocument, encoding: string | undefined) {
    this.#document = document;
    this.#decoder = decoderOf(encoding ?? "utf-8");
  }

  /** Takes the next piece and gives what is final by now, protected. */
  push(piece: string | Uint8Array): string {
    const text = this.#half + (typeof piece === "string" ? piece : this.#decoder.decode(piece, { stream: true }));
    this.#half = HALF.exec(text)?.[0] ?? "";
    return this.#document.push(text.slice(0, text.length - this.#half.length));
  }

  /** Gives the rest. */
  finish(): string {
    const rest = this.#document.push(this.#half + this.#decoder.decode()) + this.#document.finish();
    this.#document.free();
    return rest;
  }
}

/** A `TransformStream` over a document. */
export function documentStream(
  document: OpenDocument,
  encoding: string | undefined,
): TransformStream<string | Uint8Array, string> {
  const pieces = new Pieces(document, encoding);
  return new TransformStream<string | Uint8Array, string>({
    transform: (piece, controller) => send(controller, pieces.push(piece)),
    flush: (controller) => send(controller, pieces.finish()),
  });
}

/** A decoder that keeps a byte order mark, since what comes out is the text as it was. */
export function decoderOf(encoding: string, options?: TextDecoderOptions): TextDecoder {
  try {
    return new TextDecoder(encoding, { ...options, ignoreBOM: true });
  } catch {
    throw invalid("encoding", "must be the name of an encoding, such as utf-8 or windows-1250");
  }
}

function send(controller: TransformStreamDefaultController<string>, text: string): void {
  if (text !== "") controller.enqueue(text);
}
