// The public API, the same in every runtime. The entry points beside it load the WebAssembly.

import { known, object } from "./call.js";
import type { OnProgress, ProtectedFile } from "./file.js";
import type {
  AbortOptions,
  CryptoKeyOptions,
  DocumentOptions,
  Fetch,
  FetchOptions,
  FileOptions,
  FindingToApply,
  FormDataOptions,
  KeyOptions,
  ProtectOptions,
  RestoreOptions,
  RestoreResult,
  StreamOptions,
} from "./options.js";
import { createProtector, openProtector, withoutPlaceholder } from "./protector.js";
import type { ProtectResponse } from "./types.js";
import type { ProtectedValue } from "./value.js";

export { detect, detectBatch, detectors, find, validate } from "./detect.js";
export { TextveilError, type ErrorCode } from "./error.js";
export type { OnProgress, Progress, ProtectedFile } from "./file.js";
export type { Format } from "./format.js";
export type * from "./options.js";
export { createProtector, openProtector, type Protector, type RememberingProtector } from "./protector.js";
export type { Session, Timed, Timing } from "./session.js";
export type { ProtectedValue } from "./value.js";
// these take more than the engine's own
export type { ProtectOptions } from "./options.js";
export type * from "./types.js";

/**
 * Finds personal data in `text` and replaces it, by `[REDACTED]` unless `mode` says otherwise.
 *
 * Offsets are as in `detect`. The modes `hash` and `tokenize` use
 * `key`; without one, a random key of this instance.
 *
 * @throws {TextveilError} as `detect`; `policy_violation` where a policy blocks
 * @example
 * protect("Dear Emily Carter").protectedText; // "Dear [REDACTED]"
 * protect("Dear Emily Carter", { mode: "mask" }).protectedText; // "Dear ************"
 */
export function protect<Custom extends string = never>(
  text: string,
  options?: ProtectOptions<Custom> & KeyOptions,
): ProtectResponse<NoInfer<Custom>> {
  return createProtector(withoutPlaceholder(options)).protect(text);
}

/**
 * Replaces the given findings in `text` and nothing else: those of `find` after a review, or your own. In every mode it
 * does to them what `protect` does.
 *
 * @throws {TextveilError} as `protect`, and naming a finding that overlaps another or is outside the text, such as
 * `findings[2].end`
 * @example
 * apply("Dear Emily", [{ type: "name", start: 5, end: 10 }]).protectedText; // "Dear [REDACTED]"
 */
export function apply<Custom extends string = never>(
  text: string,
  findings: readonly FindingToApply<Custom>[],
  options?: ProtectOptions<Custom> & KeyOptions,
): ProtectResponse<NoInfer<Custom>> {
  return createProtector(withoutPlaceholder(options)).apply(text, findings);
}

/**
 * Restores the originals of the tokens in `text`. Tokens of another key, and words that only
 * look like one, stay as they are and are counted as `unknown`.
 *
 * @throws {TextveilError} `invalid_request` naming `text` or `key`
 * @example
 * const key = "000102030405060708090a0b0c0d0e0f";
 * const { protectedText } = protect("Dear Emily Carter", { mode: "tokenize", key });
 * restore(protectedText, { key }).text; // "Dear Emily Carter"
 */
export function restore(text: string, options?: KeyOptions & RestoreOptions): RestoreResult {
  return createProtector(known(options, ["key", "keyVersion", "previousKeys", "restoreHosts", "onRestored"])).restore(text);
}

/**
 * A `TransformStream` that protects a document which arrives in pieces, in constant memory. However it is cut, what
 * comes out is the same when joined. Pieces are strings or bytes; `format` says what changes in it.
 *
 * The stream fails with `invalid_request` naming `format` where the document is not of its format.
 *
 * @throws {TextveilError} as `protect`, for its options
 * @example
 * const table = new Blob(["name,n\nEmily Carter,1\n"]).stream().pipeThrough(protectStream({ format: "csv" }));
 * let protectedTable = "";
 * for await (const piece of table) protectedTable += piece;
 * protectedTable; // "name,n\n[REDACTED],1\n"
 */
export function protectStream(
  options?: ProtectOptions<string> & KeyOptions & DocumentOptions & StreamOptions,
): TransformStream<string | Uint8Array, string> {
  const { format, encoding, signal, ...rest } = object(options);
  return createProtector(withoutPlaceholder(rest)).stream({ format, encoding, signal });
}

/**
 * Protects a file of any size: plain text, Markdown, logs, CSV, JSON, NDJSON, HTML, XML, messages, and the text of Word
 * documents. Its format and its encoding are what its name, its type and its first bytes tell, unless the options say
 * them.
 *
 * In a page, `openWorker` of `textveil/worker` does it beside the page.
 *
 * @throws {TextveilError} `invalid_request` naming `file` where it is not text, or not in its encoding
 * @example
 * const { file, found } = await protectFile(new File(["name,n\nEmily Carter,1\n"], "people.csv"));
 * await file.text(); // "name,n\n[REDACTED],1\n"
 * found.name; // 1
 */
export async function protectFile(
  file: Blob,
  options?: FileOptions & CryptoKeyOptions,
  onProgress?: OnProgress,
): Promise<ProtectedFile> {
  const { signal, format, encoding, ...rest } = object(options);
  return (await openProtector(withoutPlaceholder(rest))).file(file, { signal, format, encoding }, onProgress);
}

/**
 * Protects a value of any shape: objects, lists, maps, errors with their causes. Strings, numbers and dates are read with
 * their keys as labels; where something is replaced, a string stands. The value itself is not changed.
 *
 * Bytes, and objects inside themselves, are replaced. Of other classes than those of JavaScript the result has the
 * properties, or what `toJSON` gives.
 *
 * @throws {TextveilError} as `protect`; `invalid_request` naming `value` where it has more than 500 levels
 * @example
 * const { id, pesel, by } = await protectValue({ id: 7, pesel: 44051401359, by: ["Emily Carter"] });
 * [id, pesel, by]; // [7, "[REDACTED]", ["[REDACTED]"]]
 */
export async function protectValue<T>(value: T, options?: ProtectOptions<string> & CryptoKeyOptions & AbortOptions): Promise<ProtectedValue<T>> {
  const { signal, ...rest } = object(options);
  return (await openProtector(withoutPlaceholder(rest))).value(value, { signal });
}

/**
 * Protects a form: its fields, each read with its name as a label, and its files as `protectFile` does.
 *
 * @throws {TextveilError} as `protectFile`
 * @example
 * const form = new FormData();
 * form.append("name", "Emily Carter");
 * (await protectFormData(form)).get("name"); // "[REDACTED]"
 */
export async function protectFormData(form: FormData, options?: FormDataOptions & CryptoKeyOptions): Promise<FormData> {
  const { binary, signal, ...rest } = object(options);
  return (await openProtector(withoutPlaceholder(rest))).formData(form, { binary, signal });
}

/**
 * A `fetch` that protects the body of every request before it leaves: JSON, forms, files, text, streams. Addresses
 * and headers stay as they are. In the mode `placeholder`, or with `restore: true`, answers are restored as they arrive.
 *
 * Its promise is rejected, and nothing is sent, where a body cannot be inspected: a `TextveilError` naming `body`
 * or `file`.
 *
 * @throws {TextveilError} as `createProtector`
 * @example
 * const send = protectFetch({
 *   mode: "placeholder",
 *   fetch: async (url, init) => new Response(init?.body), // without it, the global `fetch` sends
 * });
 * const answer = await send("https://example.com/", { method: "POST", body: "Dear Emily Carter" });
 * await answer.text(); // "Dear Emily Carter"
 */
export function protectFetch(options?: FetchOptions & KeyOptions & RestoreOptions): Fetch {
  const { fetch, binary, restore, ...rest } = object(options);
  return createProtector(rest).fetch({ fetch, binary, restore });
}
