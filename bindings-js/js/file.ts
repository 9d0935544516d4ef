// Files, protected piece by piece, so that their size does not matter.

import { charsetOf, Decoder, inUtf8 } from "./decode.js";
import type { Engine } from "./engine.js";
import { invalid } from "./error.js";
import { formatOf, isText, knownFormat } from "./formats/index.js";
import type { FileOptions } from "./options.js";

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
    throw invalid("file", "is not text by its type and cannot be inspected; give its `format` if it is text");
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
    return { file: new File(blocks.all(), name || "protected.txt", { type: inUtf8(file.type) }), found };
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
  const decoder = new Decoder(encoding ?? charsetOf(file.type), "file");
  for (let at = 0; at < file.size; at += PIECE) {
    signal?.throwIfAborted();
    const bytes = new Uint8Array(await file.slice(at, at + PIECE).arrayBuffer());
    onRead(bytes.length);
    yield decoder.push(bytes);
  }
  signal?.throwIfAborted();
  yield decoder.finish();
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
