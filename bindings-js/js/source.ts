// The source of WebAssembly: fetching it with progress, and the reason why it could not be loaded.

import { TextveilError } from "./error.js";
import type { WasmSource } from "./options.js";

/** The option of `init` that names a module, which errors name too. */
export type SourceOption = "wasm" | "names" | "documents";

/** Is told how many bytes of a module are read. */
export type OnRead = (read: number) => void;

/** A function that instantiates a module, as wasm-bindgen writes it. */
type Start = (options: { module_or_path: Exclude<WasmSource, URL | string> }) => Promise<unknown>;

/**
 * Instantiates the WebAssembly of a source.
 *
 * @throws {TextveilError} `not_loaded` naming `option`: the file is not there, is not WebAssembly, or the page forbids it
 */
export async function instantiate(start: Start, source: WasmSource | Promise<WasmSource>, option: SourceOption, onRead?: OnRead): Promise<void> {
  const given = await Promise.resolve(source).catch((error: unknown) => {
    throw failure(option, "could not be fetched; `cause` of this error has the reason", error);
  });
  const isAddress = typeof given === "string" || given instanceof URL;
  const received = isAddress ? await fetched(given, option) : given;
  const address = isAddress ? absolute(String(given)) : received instanceof Response ? received.url : "";
  const module = received instanceof Response ? counted(checked(received, address, option), onRead) : received;
  try {
    await start({ module_or_path: module });
  } catch (error) {
    throw notCompiled(error, address, option);
  }
}

/** The address as the page or the worker resolves it. */
function absolute(address: string): string {
  const base = typeof document === "undefined" ? globalThis.location?.href : document.baseURI;
  try {
    return new URL(address, base).href;
  } catch {
    return address;
  }
}

async function fetched(address: string | URL, option: SourceOption): Promise<Response> {
  try {
    return await fetch(address);
  } catch (error) {
    throw failure(option, `could not be fetched from ${absolute(String(address))}: the network or the policy \`connect-src\` of the page`, error);
  }
}

/** Rejects an answer that is not the file: an error, or the page that a server sends for unknown addresses. */
function checked(response: Response, address: string, option: SourceOption): Response {
  const place = address === "" ? "" : ` at ${address}`;
  if (!response.ok) throw failure(option, `was not found${place} (HTTP ${response.status}); give its address to \`init\``);
  if (/^text\/html\b/i.test(response.headers.get("content-type") ?? "")) {
    throw failure(option, `was not found${place}: the server sent a page of HTML; give the address of the file to \`init\``);
  }
  return response;
}

/** The response, telling how much of it is read. */
function counted(response: Response, onRead: OnRead | undefined): Response {
  if (onRead === undefined || response.body === null) return response;
  let read = 0;
  const counter = new TransformStream<Uint8Array, Uint8Array>({
    transform(piece, controller) {
      read += piece.byteLength;
      onRead(read);
      controller.enqueue(piece);
    },
  });
  return new Response(response.body.pipeThrough(counter), { headers: response.headers });
}

function notCompiled(error: unknown, address: string, option: SourceOption): TextveilError {
  const message = error instanceof Error ? error.message : "";
  if (/content.?security.?policy|\bCSP\b|unsafe-eval/i.test(message)) {
    return failure(option, "is forbidden by the Content-Security-Policy of the page; add 'wasm-unsafe-eval' to its `script-src`", error);
  }
  const place = address === "" ? "" : ` from ${address}`;
  return failure(option, `${place} cannot be compiled; give the file of this version of textveil`.trim(), error);
}

function failure(option: SourceOption, what: string, cause?: unknown): TextveilError {
  const error = new TextveilError("not_loaded", `${option}: the WebAssembly ${what}`, option);
  if (cause !== undefined) error.cause = cause;
  return error;
}
