// Files, protected piece by piece, so that their size does not matter.

import type { Engine } from "./engine.js";
import { invalid, TextveilError } from "./error.js";
import { formatOf, isText, knownFormat } from "./formats/index.js";
import type { FileOptions } from "./options.js";
import { decoderOf } from "./stream.js";

/** How far the work on a file is. */
export interface Progress {
  /** Bytes read. */
  read: number;
  /** Bytes there are. */
  total: number;
  /** Findings so far. */
  found: number;
}

/** Is told how far the work is, once for each piece that is read. */
export type OnProgress = (progress: Progress) => void;

/** A file without personal data, and what was in it. */
export interface ProtectedFile {
  /** In UTF-8, under the same name and of the same type. */
  file: File;
  /** Findings by type. */
  found: Record<string, number>;
}

/** Protects a file. @internal */
export async function protectFileWith(
  engine: Engine,
  file: Blob,
  { format, encoding, signal, ...options }: FileOptions,
  onProgress?: OnProgress,
): Promise<ProtectedFile> {
  if (!(file instanceof Blob)) throw invalid("file", "must be a File or a Blob");
  const name = file instanceof File ? file.name : "";
  if (format === undefined && !isText(file.type)) {
    throw invalid("file", "is no text by its type, so what it holds cannot be looked at; give its `format` if it is");
  }
  const document = engine.document(knownFormat(format ?? formatOf(name, file.type)), options);
  const blocks = new Blocks();
  let read = 0;
  try {
    for await (const text of texts(file, encoding, signal, (bytes) => (read += bytes))) {
      blocks.add(document.push(text));
      onProgress?.({ read, total: file.size, found: sum(document.found()) });
    }
    blocks.add(document.finish());
    const found = document.found();
    onProgress?.({ read, total: file.size, found: sum(found) });
    return { file: new File(blocks.all(), name || "protected.txt", { type: file.type }), found };
  } finally {
    document.free();
  }
}

/** How much of a file is read at a time, in bytes. */
const PIECE = 1 << 18;

/** The text of a file, piece by piece. It is read by slices: the pieces of `stream()` may be as large as the file. */
async function* texts(
  file: Blob,
  encoding: string | undefined,
  signal: AbortSignal | undefined,
  onRead: (bytes: number) => void,
): AsyncGenerator<string> {
  let decoder: TextDecoder | undefined;
  let half = "";
  for (let at = 0; at < file.size; at += PIECE) {
    signal?.throwIfAborted();
    const bytes = new Uint8Array(await file.slice(at, at + PIECE).arrayBuffer());
    onRead(bytes.length);
    decoder ??= decoderOf(encoding ?? marked(bytes) ?? "utf-8", { fatal: true });
    const text = half + decoded(decoder, bytes);
    // a character may be cut in two
    half = /[\uD800-\uDBFF]$/.exec(text)?.[0] ?? "";
    yield text.slice(0, text.length - half.length);
  }
  signal?.throwIfAborted();
  if (decoder !== undefined) yield half + decoded(decoder, undefined);
}

/** The encoding that a byte order mark says. */
function marked([first, second]: Uint8Array): string | undefined {
  if (first === 0xff && second === 0xfe) return "utf-16le";
  if (first === 0xfe && second === 0xff) return "utf-16be";
  return undefined;
}

function decoded(decoder: TextDecoder, bytes: Uint8Array | undefined): string {
  let text: string | undefined;
  try {
    text = bytes === undefined ? decoder.decode() : decoder.decode(bytes, { stream: true });
  } catch {
    // said below
  }
  if (text !== undefined && !text.includes("\0")) return text;
  const what = text === undefined ? `is not ${decoder.encoding}` : "holds bytes that no text has";
  throw new TextveilError("invalid_request", `file ${what}; say its \`encoding\`, such as windows-1250`, "file");
}

/** Text on its way into a file. Browsers keep large blobs on disk. */
class Blocks {
  readonly #blocks: Blob[] = [];
  #text = "";

  add(text: string): void {
    this.#text += text;
    if (this.#text.length >= PIECE) this.#close();
  }

  all(): Blob[] {
    this.#close();
    return this.#blocks;
  }

  #close(): void {
    this.#blocks.push(new Blob([this.#text]));
    this.#text = "";
  }
}

function sum(counts: Record<string, number>): number {
  return Object.values(counts).reduce((all, count) => all + count, 0);
}
