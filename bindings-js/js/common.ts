// The public API, the same in every runtime. The entry points beside it load the WebAssembly.

import { invalid } from "./error.js";
import { call } from "./instance.js";
import { keysOf } from "./keys.js";
import type { KeyOptions } from "./options.js";
import { protectStreamWith } from "./stream.js";
import type {
  DetectBatchResponse,
  DetectOptions,
  DetectorsResponse,
  DetectResponse,
  ProtectOptions,
  ProtectResponse,
  RestoreResponse,
  ValidateRequest,
  ValidateResponse,
} from "./types.js";

export { TextveilError, type ErrorCode } from "./error.js";
export type { KeyOptions, WasmSource } from "./options.js";
export type * from "./types.js";

const TEXT = "must be a string of 1 to 50000 characters";

/**
 * Finds personal data in `text`, 1 to 50,000 characters.
 *
 * Offsets count UTF-16 units, so that `text.slice(start, end)` is the finding; `offset_unit` asks
 * for another unit. A lone surrogate in `text` is read as U+FFFD, which moves no offset.
 *
 * @throws {TextveilError} `invalid_request` naming `text` or the option at fault
 */
export function detect(text: string, options?: DetectOptions): DetectResponse {
  string(text, "text", TEXT);
  const request = json(options);
  const response = parse<DetectResponse>(call((engine) => engine.detect(text, request)));
  response.text = text;
  return response;
}

/**
 * Finds personal data in each of 1 to 50 texts; one result a text, in their order.
 *
 * @throws {TextveilError} as `detect`; the field of a text is `texts[3]`
 */
export function detectBatch(texts: readonly string[], options?: DetectOptions): DetectBatchResponse {
  if (!Array.isArray(texts)) throw invalid("texts", "must be a list of 1 to 50 strings");
  texts.forEach((text, index) => string(text, `texts[${index}]`, TEXT));
  const request = json(options);
  const response = parse<DetectBatchResponse>(call((engine) => engine.detectBatch([...texts], request)));
  response.results.forEach((result, index) => {
    result.text = texts[index] ?? "";
  });
  return response;
}

/**
 * Validates a value as an entity type: `validate("44051401359", "pesel")`.
 *
 * @throws {TextveilError} `invalid_request` naming `value`, `entity_type` or `country`
 */
export function validate(request: ValidateRequest): ValidateResponse;
export function validate(value: string, entityType: string, country?: string | null): ValidateResponse;
export function validate(
  valueOrRequest: string | ValidateRequest,
  entityType?: string,
  country?: string | null,
): ValidateResponse {
  const request =
    typeof valueOrRequest === "object" && valueOrRequest !== null
      ? valueOrRequest
      : { value: valueOrRequest, entity_type: entityType, country };
  const value = string(request.value, "value", "must be a string");
  const type = string(request.entity_type, "entity_type", "must be the name of an entity type");
  const code = countryCode(request.country);
  const response = parse<ValidateResponse>(call((engine) => engine.validate(value, type, code)));
  response.value = value;
  return response;
}

/** The detectors of `country` (ISO 3166-1 alpha-2), or all of them. */
export function detectors(country?: string | null): DetectorsResponse {
  const code = countryCode(country);
  return parse(call((engine) => engine.detectors(code)));
}

/**
 * Finds personal data in `text` and replaces it, by `[REDACTED]` unless `mode` says otherwise.
 *
 * Offsets are as in `detect` and count in `original_text`. The modes `hash` and `tokenize` use
 * `key`; without one, a random key of this instance.
 *
 * @throws {TextveilError} as `detect`; `policy_violation` where a policy blocks
 */
export function protect(text: string, options?: ProtectOptions & KeyOptions): ProtectResponse {
  return createProtector(options).protect(text);
}

/**
 * Turns the tokens in `text` back into their originals. Tokens of another key, and words that only
 * look like one, stay as they are and are counted as `unknown`.
 *
 * @throws {TextveilError} `invalid_request` naming `text` or `key`
 */
export function restore(text: string, options?: KeyOptions): RestoreResponse {
  return createProtector(options).restore(text);
}

/**
 * A `TransformStream` that protects a text which arrives in pieces, in constant memory. However the
 * text is cut, what comes out is the same when joined. Pieces are strings or bytes of UTF-8. In Node,
 * `Duplex.fromWeb(protectStream(), { encoding: "utf8" })` makes a Node stream of it.
 *
 * @throws {TextveilError} as `protect`, for its options
 */
export function protectStream(options?: ProtectOptions & KeyOptions): TransformStream<string | Uint8Array, string> {
  return createProtector(options).stream();
}

/** Options and a key, kept. */
export interface Protector {
  /** `protect`, with the options kept here; those of the call come first. */
  protect(text: string, options?: ProtectOptions): ProtectResponse;
  /** `restore`, with the key kept here. */
  restore(text: string): RestoreResponse;
  /** `protectStream`, with the options kept here; those of the call come first. */
  stream(options?: ProtectOptions): TransformStream<string | Uint8Array, string>;
}

/**
 * Keeps options and a key for many calls: `createProtector({ key, mode: "tokenize" })`.
 *
 * @throws {TextveilError} `invalid_request` naming `key`
 */
export function createProtector(options?: ProtectOptions & KeyOptions): Protector {
  const { key, keyVersion, previousKeys, ...defaults } = object(options);
  const keys = keysOf({ key, keyVersion, previousKeys });
  const request = (own?: ProtectOptions) => json({ ...defaults, ...object(own) });
  return {
    protect(text, own) {
      string(text, "text", TEXT);
      const response = parse<ProtectResponse>(call(() => keys.protect(text, request(own))));
      response.original_text = text;
      return response;
    },
    restore(text) {
      string(text, "text", TEXT);
      return parse(call(() => keys.restore(text)));
    },
    stream(own) {
      return protectStreamWith(call(() => keys.stream(request(own))));
    },
  };
}

function string(value: unknown, field: string, expected: string): string {
  if (typeof value !== "string") throw invalid(field, expected);
  return value;
}

function countryCode(country: string | null | undefined): string | undefined {
  return country == null ? undefined : string(country, "country", "must be a string or null");
}

function object<T extends object>(options: T | null | undefined): T {
  if (options == null) return {} as T;
  if (typeof options !== "object") throw invalid("options", "must be an object");
  return options;
}

/** Options as the engine reads them. A number that JSON cannot write must not turn into an absent field. */
function json(options: DetectOptions | ProtectOptions | null | undefined): string {
  return JSON.stringify(object(options), (_, value: unknown) =>
    typeof value === "bigint" || (typeof value === "number" && !Number.isFinite(value)) ? String(value) : value,
  );
}

function parse<T>(response: string): T {
  return JSON.parse(response) as T;
}
