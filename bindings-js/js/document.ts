// Documents of which only values change, read by the module of documents and judged by the engine.

import { Decoder } from "./decode.js";
import { documents, type Documents } from "./documents-instance.js";
import { defect, invalid, TextveilError } from "./error.js";
import { isWhole, type Format } from "./format.js";
import type { ProtectedEntity } from "./types.js";
import type { Document } from "../wasm/documents.js";

/** A document that arrives in pieces, and its findings. */
export interface OpenDocument {
  /** Takes the next piece and gives what is final by now, protected. */
  push(piece: string | Uint8Array): string;
  /** Gives the rest. */
  finish(): string;
  /** Findings by type, so far. */
  found(): Record<string, number>;
  /** Frees what it holds; nothing is called after it. */
  free(): void;
}

/** Options for reading the bytes of a document. */
export interface Reading {
  /** Their encoding; what a byte order mark says when absent, or UTF-8. */
  encoding?: string | undefined;
  /** The field that an error names. */
  field: string;
}

/** A document of text. */
export type TextDocument = Omit<OpenDocument, "push"> & { push(text: string): string };

/** Protects a document that is there as a whole, and frees it. */
export function readWhole(document: OpenDocument, text: string): string {
  try {
    return document.push(text) + document.finish();
  } finally {
    document.free();
  }
}

/**
 * Protects a text of which places are values, none of which a finding crosses. The start and the end of each place are in bytes of
 * UTF-8, the offsets of findings in UTF-16 units.
 */
export type Protect = (text: string, cells: Uint32Array) => { entities: readonly ProtectedEntity[] };

/** A document whose pieces are strings or bytes, cut anywhere. */
export function decoded(document: TextDocument, { encoding, field }: Reading): OpenDocument {
  let decoder: Decoder;
  try {
    decoder = new Decoder(encoding, field);
  } catch (error) {
    document.free();
    throw error;
  }
  return {
    ...document,
    push: (piece) => document.push(decoder.push(piece)),
    finish: () => document.push(decoder.finish()) + document.finish(),
  };
}

/**
 * Opens a document of a format of which only values change: at once where the module is loaded.
 *
 * @throws {TextveilError} `not_loaded` without the module; `invalid_request` naming `encoding`
 */
export function openDocument(format: Exclude<Format, "text">, protect: Protect, reading: Reading): OpenDocument | Promise<OpenDocument> {
  if (isWhole(format) && reading.encoding !== undefined) {
    throw invalid("encoding", "must be absent for messages and Office documents, which have encodings of their own");
  }
  const counts: Record<string, number> = {};
  const judge = judgeOf(protect, ({ type }) => (counts[type] = (counts[type] ?? 0) + 1));
  const open = ({ Document }: Documents) => opened(new Document(format, judge), format, counts, reading);
  const module = documents();
  return module instanceof Promise ? module.then(open) : open(module);
}

function opened(document: Document, format: Format, counts: Record<string, number>, reading: Reading): OpenDocument {
  const text: TextDocument = {
    push: (piece) => read(() => document.push(piece)),
    finish: () => read(() => document.finish()),
    found: () => ({ ...counts }),
    free: () => document.free(),
  };
  return isWhole(format) ? { ...text, push: (piece) => pushBytes(document, piece) } : decoded(text, reading);
}

function pushBytes(document: Document, piece: string | Uint8Array): string {
  read(() => document.pushBytes(typeof piece === "string" ? new TextEncoder().encode(piece) : piece));
  return "";
}

/**
 * Protects the values of fields, each of which is read behind its name, and all of them together.
 *
 * @throws {TextveilError} `not_loaded` without the module
 */
export async function protectFields(fields: readonly (readonly [string, string])[], protect: Protect): Promise<string[]> {
  if (fields.length === 0) return [];
  const { protectFields: protectThem } = await documents();
  const [names, texts] = [fields.map(([name]) => name), fields.map(([, text]) => text)];
  return read(() => protectThem(names, texts, judgeOf(protect)));
}

/** Judges texts for the module. */
interface Judge {
  judge(text: string, cells: Uint32Array): { places: Uint32Array; replacements: string[] };
}

function judgeOf(protect: Protect, onFinding?: (entity: ProtectedEntity) => void): Judge {
  const judge = (text: string, cells: Uint32Array) => {
    const { entities } = judged(() => protect(text, cells));
    if (onFinding !== undefined) entities.forEach(onFinding);
    return {
      places: Uint32Array.from(entities.flatMap(({ start, end }) => [start, end])),
      replacements: entities.map((entity) => entity.protected),
    };
  };
  return { judge };
}

function judged<T>(judge: () => T): T {
  try {
    return judge();
  } catch (error) {
    throw new Judged(error);
  }
}

/** An error of the engine or of a callback, on its way through the module. */
class Judged {
  constructor(readonly cause: unknown) {}
}

/** Calls into the module, which throws messages as strings. */
function read<T>(step: () => T): T {
  try {
    return step();
  } catch (thrown) {
    if (thrown instanceof Judged) throw thrown.cause;
    throw typeof thrown === "string" ? new TextveilError("invalid_request", thrown, "format") : defect(thrown);
  }
}
