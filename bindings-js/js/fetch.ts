// `fetch`, with every body protected before it leaves.

import { charsetOf, inUtf8 } from "./decode.js";
import type { Engine } from "./engine.js";
import { invalid } from "./error.js";
import { protectFileWith } from "./file.js";
import { protectFields, protectFormDataWith } from "./form.js";
import { essenceOf, formatOfType, isText, type Format } from "./formats/index.js";
import { readJson } from "./formats/json.js";
import type { BinaryOptions, Fetch, FetchOptions, ProtectOptions } from "./options.js";
import { restoredResponse, type Restore } from "./restoring.js";
import { Pieces, streamOf } from "./stream.js";

/** A `fetch` that protects, and restores where the options say so. */
export function protectFetchWith(engine: Engine, restore: Restore, { fetch: send, binary, restore: restores, ...options }: FetchOptions): Fetch {
  const sent = protectedSender(engine, send, binary, options);
  if (!restores) return sent;
  return async (input, init) => restoredResponse(await sent(input, init), restore);
}

function protectedSender(engine: Engine, send: Fetch | undefined, binary: BinaryOptions["binary"], options: ProtectOptions): Fetch {
  return async (input, init) => {
    const request = input instanceof Request ? input : undefined;
    const headers = new Headers(init?.headers ?? request?.headers);
    const body = init?.body ?? (await bodyOf(request));
    const sender = send ?? globalThis.fetch;
    if (body == null) return sender(input, init);
    const type = headers.get("content-type") ?? "";
    const signal = init?.signal ?? request?.signal;
    signal?.throwIfAborted();
    const safe = await protectBody(engine, body, type, options, binary, signal);
    signal?.throwIfAborted();
    // they described the body that does not leave
    headers.delete("content-length");
    if (type !== "") headers.set("content-type", inUtf8(type));
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

async function protectBody(
  engine: Engine,
  body: BodyInit,
  type: string,
  options: ProtectOptions,
  binary: BinaryOptions["binary"],
  signal: AbortSignal | undefined,
): Promise<BodyInit> {
  if (body instanceof FormData) return protectFormDataWith(engine, body, { ...options, binary, signal });
  if (body instanceof URLSearchParams) return protectParameters(engine, body, options);
  if (typeof body === "string") return protectText(engine, body, type, options);
  const media = body instanceof Blob ? body.type || type : type;
  if (!isText(media)) {
    if (binary === "pass") return body;
    throw invalid("body", "is no text by its type, so what it holds cannot be looked at; see the option `binary`");
  }
  if (body instanceof ReadableStream) {
    const document = engine.document(formatOfType(media) ?? "text", options);
    const encode = new TextEncoderStream() as unknown as ReadableWritablePair<Uint8Array, string>;
    return body.pipeThrough(streamOf(new Pieces(document, charsetOf(media)), signal)).pipeThrough(encode);
  }
  const blob = body instanceof Blob ? body : new Blob([body]);
  if (essenceOf(media) === "application/x-www-form-urlencoded") {
    return protectParameters(engine, new URLSearchParams(await blob.text()), options);
  }
  const format = formatOfType(media) ?? (await sniffed(blob));
  const encoding = charsetOf(media);
  const { file } = await protectFileWith(engine, blob, { ...options, format, encoding, signal });
  return file.slice(0, file.size, inUtf8(media));
}

function protectText(engine: Engine, text: string, type: string, options: ProtectOptions): BodyInit {
  if (essenceOf(type) === "application/x-www-form-urlencoded") {
    return protectParameters(engine, new URLSearchParams(text), options);
  }
  const document = engine.document(formatOfType(type) ?? likely(text), options);
  try {
    return document.push(text) + document.finish();
  } finally {
    document.free();
  }
}

function protectParameters(engine: Engine, parameters: URLSearchParams, options: ProtectOptions): URLSearchParams {
  const fields = [...parameters];
  const texts = protectFields(engine, fields, options);
  return new URLSearchParams(fields.map(([name], index) => [name, texts[index] ?? ""]));
}

async function sniffed(blob: Blob): Promise<Format> {
  return blob.size <= 1 << 20 ? likely(await blob.text()) : "text";
}

/** JSON is often sent without saying so. */
function likely(text: string): Format {
  return /^\s*[[{]/.test(text) && readJson(text) !== undefined ? "json" : "text";
}
