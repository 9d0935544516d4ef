// Files, protected piece by piece, so that their size does not matter.

import { formatOfContent, TELLING } from "./content.js";
import { charsetOf } from "./decode.js";
import type { Engine } from "./engine.js";
import { invalid } from "./error.js";
import { extensionWritten, formatOf, isText, knownFormat, typeWritten, type Format } from "./format.js";
import type { FileOptions } from "./options.js";

/**
 * Progress of the work on a file.
 *
 * @example
 * let last = [0, 0, 0];
 * await protectFile(new File(["Emily Carter"], "a.txt"), {}, ({ read, total, found }) => { last = [read, total, found]; });
 * last; // [12, 12, 1]
 */
export interface Progress {
  /** Bytes read. */
  read: number;
  /** Bytes there are. */
  total: number;
  /** Findings so far. */
  found: number;
}

/**
 * Is told how far the work is, once for each piece that is read.
 *
 * @example
 * let share = 0;
 * await protectFile(new File(["Emily Carter"], "a.txt"), {}, ({ read, total }) => { share = read / total; });
 * share; // 1
 */
export type OnProgress = (progress: Progress) => void;

/**
 * A file without personal data, and what was in it.
 *
 * @example
 * const { file, found } = await protectFile(new File(["Dear Emily Carter"], "letter.txt"));
 * [file.name, found.name, await file.text()]; // ["letter.txt", 1, "Dear [REDACTED]"]
 */
export interface ProtectedFile {
  /** In UTF-8, under the same name and of the same type; of an Office document (`letter.docx`), its text (`letter.txt`), and of a workbook CSV. */
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
  const known = knownFormat(format ?? formatOf(name, file.type) ?? (await told(file)));
  const reading = { encoding: encoding ?? charsetOf(file.type), field: "file" };
  signal?.throwIfAborted();
  const document = await engine.document(known, options, reading);
  const blocks = new Blocks();
  let read = 0;
  try {
    for await (const bytes of pieces(file, signal)) {
      read += bytes.length;
      blocks.add(document.push(bytes));
      onProgress?.({ read, total: file.size, found: sum(document.found()) });
    }
    blocks.add(document.finish());
    const found = document.found();
    onProgress?.({ read, total: file.size, found: sum(found) });
    return { file: new File(blocks.all(), ...written(name, file.type, known)), found };
  } finally {
    document.free();
  }
}

/** The format that the content of a file tells. @internal */
export async function told(file: Blob): Promise<Format> {
  return formatOfContent(new Uint8Array(await file.slice(0, TELLING).arrayBuffer()));
}

/** Size of the pieces in which a file is read, in bytes. */
const PIECE = 1 << 18;

/** The bytes of a file. It is read by slices: the pieces of `stream()` may be as large as the file. */
async function* pieces(file: Blob, signal: AbortSignal | undefined): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < file.size; at += PIECE) {
    signal?.throwIfAborted();
    yield new Uint8Array(await file.slice(at, at + PIECE).arrayBuffer());
  }
  signal?.throwIfAborted();
}

/** The name and the type of what is written. Of an Office document that is its text. */
function written(name: string, type: string, format: Format): [string, FilePropertyBag] {
  const options = { type: typeWritten(type, format) };
  if (name === "") return ["protected.txt", options];
  const extension = extensionWritten(format);
  return [extension === undefined ? name : `${name.replace(/\.[a-z]+$/i, "")}.${extension}`, options];
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
