// `fetch`, with every body protected before it leaves.

import { formatOfContent, TELLING } from "./content.js";
import { charsetOf } from "./decode.js";
import { protectFields } from "./document.js";
import type { Engine } from "./engine.js";
import { invalid } from "./error.js";
import { protectFileWith, told } from "./file.js";
import { protectFormDataWith } from "./form.js";
import { essenceOf, formatOfType, isText, looksLikeJson, typeWritten, type Format } from "./format.js";
import type { BinaryOptions, DocumentOptions, Fetch, FetchOptions, ProtectOptions } from "./options.js";
import { restoredResponse, type RestoreKind } from "./restoring.js";
import { streamOf, type Work } from "./stream.js";

/** Opens what streams, responses and requests need: in this thread or in a worker. */
export interface Workshop {
  /** Opens a document that is protected in pieces. */
  protecting(options: ProtectOptions<string> & DocumentOptions): Work;
  /** Opens a text or a body that is restored in pieces. */
  restoring(kind: RestoreKind, encoding: string | undefined): Work;
  /** Protects a body that is there as a whole. */
  body(body: WholeBody, type: string, options: ProtectOptions<string> & BinaryOptions, signal: AbortSignal | undefined): Promise<WholeBody>;
}

/** A body of a request that is no stream. */
export type WholeBody = Exclude<BodyInit, ReadableStream>;

/** A `fetch` that protects, and restores where the options say so. */
export function protectFetchWith(workshop: Workshop, { fetch: send, binary, restore: restores, ...options }: FetchOptions): Fetch {
  const sent = protectedSender(workshop, send, { ...options, binary });
  if (!restores) return sent;
  return async (input, init) => restoredResponse(await sent(input, init), workshop.restoring);
}

function protectedSender(workshop: Workshop, send: Fetch | undefined, options: ProtectOptions<string> & BinaryOptions): Fetch {
  return async (input, init) => {
    const request = input instanceof Request ? input : undefined;
    const headers = new Headers(init?.headers ?? request?.headers);
    const body = init?.body ?? (await bodyOf(request));
    const sender = send ?? globalThis.fetch;
    if (body == null) return sender(input, init);
    const type = headers.get("content-type") ?? "";
    const signal = init?.signal ?? request?.signal;
    signal?.throwIfAborted();
    const isStream = body instanceof ReadableStream;
    const safe = isStream ? protectStreamed(workshop, body, type, options, signal) : await workshop.body(body, type, options, signal);
    signal?.throwIfAborted();
    // they described the body that does not leave
    headers.delete("content-length");
    if (type !== "") headers.set("content-type", typeWritten(type));
    if (safe instanceof FormData) headers.delete("content-type");
    const streamed = safe instanceof ReadableStream ? { duplex: "half" } : {};
    return sender(input, { ...init, headers, body: safe, ...streamed });
  };
}

/**
 * The body of a request that holds one: as a form where it is one, since only so its parts can be told. The request
 * itself is not read, so that it can still be sent where its body is empty.
 */
async function bodyOf(request: Request | undefined): Promise<BodyInit | null> {
  if (request === undefined || request.method === "GET" || request.method === "HEAD") return null;
  const type = request.headers.get("content-type") ?? "";
  if (essenceOf(type) === "multipart/form-data") return request.clone().formData();
  const body = await request.clone().blob();
  return body.size === 0 ? null : body;
}

function protectStreamed(
  workshop: Workshop,
  body: ReadableStream,
  type: string,
  { binary, ...options }: ProtectOptions<string> & BinaryOptions,
  signal: AbortSignal | undefined,
): ReadableStream {
  if (!mayBeRead(type, binary)) return body;
  const work = workshop.protecting({ ...options, format: formatOfType(type), encoding: charsetOf(type) });
  const encode = new TextEncoderStream() as unknown as ReadableWritablePair<Uint8Array, string>;
  return body.pipeThrough(streamOf(work, signal)).pipeThrough(encode);
}

/** Whether a body is text. One that is not passes or is rejected. */
function mayBeRead(type: string, binary: BinaryOptions["binary"]): boolean {
  if (isText(type)) return true;
  if (binary === "pass") return false;
  throw invalid("body", "has a media type that is not text, so its contents cannot be inspected; see the option `binary`");
}

/** Protects a body that is there as a whole. */
export async function protectBody(
  engine: Engine,
  body: WholeBody,
  type: string,
  { binary, ...options }: ProtectOptions<string> & BinaryOptions,
  signal: AbortSignal | undefined,
): Promise<WholeBody> {
  if (body instanceof FormData) return protectFormDataWith(engine, body, { ...options, binary, signal });
  if (body instanceof URLSearchParams) return protectParameters(engine, body, options);
  if (typeof body === "string") return protectText(engine, body, type, options);
  const media = body instanceof Blob ? body.type || type : type;
  if (!mayBeRead(media, binary)) return body;
  const blob = body instanceof Blob ? body : new Blob([body]);
  if (essenceOf(media) === "application/x-www-form-urlencoded") {
    return protectParameters(engine, new URLSearchParams(await blob.text()), options);
  }
  const format = formatOfType(media) ?? (await sniffed(blob));
  const encoding = charsetOf(media);
  const { file } = await protectFileWith(engine, blob, { ...options, format, encoding, signal });
  return file.slice(0, file.size, typeWritten(media));
}

async function protectText(engine: Engine, text: string, type: string, options: ProtectOptions<string>): Promise<string | URLSearchParams> {
  if (essenceOf(type) === "application/x-www-form-urlencoded") {
    return protectParameters(engine, new URLSearchParams(text), options);
  }
  const document = await engine.document(formatOfType(type) ?? likely(text), options, { field: "body" });
  try {
    return document.push(text) + document.finish();
  } finally {
    document.free();
  }
}

async function protectParameters(engine: Engine, parameters: URLSearchParams, options: ProtectOptions<string>): Promise<URLSearchParams> {
  const fields = [...parameters];
  const texts = await protectFields(fields, engine.passages(options));
  return new URLSearchParams(fields.map(([name], index) => [name, texts[index] ?? ""]));
}

async function sniffed(blob: Blob): Promise<Format> {
  return blob.size <= 1 << 20 && looksLikeJson(await blob.text()) ? "json" : told(blob);
}

function likely(text: string): Format {
  return looksLikeJson(text) ? "json" : formatOfContent(new TextEncoder().encode(text.slice(0, TELLING)));
}
