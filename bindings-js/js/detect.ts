// Looking at texts and values; nothing is replaced.

import { check, json, known, parse, TEXT } from "./call.js";
import { compiled } from "./compiled.js";
import { invalid } from "./error.js";
import { call } from "./instance.js";
import type {
  AnyEntityType,
  DetectBatchResponse,
  DetectedEntity,
  DetectOptions,
  DetectorsResponse,
  DetectResponse,
  ValidateRequest,
  ValidateResponse,
} from "./types.js";
import { optionsJson } from "./wire.js";

/**
 * Finds personal data in `text`, of any length.
 *
 * Offsets count UTF-16 units, so that `text.slice(start, end)` is the finding; `offsetUnit` asks
 * for another unit. A lone surrogate in `text` is read as U+FFFD, which moves no offset.
 *
 * @throws {TextveilError} `invalid_request` naming `text` or the option at fault; `not_loaded` naming `entities` where
 * it asks for names that `init` left out
 * @example
 * const [pesel] = detect("PESEL 44051401359").entities;
 * [pesel.type, pesel.metadata.birthDate]; // ["pesel", "1944-05-14"]
 */
export function detect<Custom extends string = never>(text: string, options?: DetectOptions<Custom>): DetectResponse<NoInfer<Custom>> {
  check(text, "text", TEXT);
  const request = compiled("ofDetection", json(options));
  return call(() => request.detect(text)) as DetectResponse<Custom>;
}

/**
 * The findings in `text`, for a review: `apply` replaces those that are left.
 *
 * @throws {TextveilError} as `detect`
 * @example
 * const text = "Emily Carter, jan.novak@example.cz";
 * const findings = find(text).filter(({ type }) => type !== "name");
 * apply(text, findings).protectedText; // "Emily Carter, [REDACTED]"
 */
export function find<Custom extends string = never>(text: string, options?: DetectOptions<Custom>): DetectedEntity<NoInfer<Custom>>[] {
  return detect(text, options).entities;
}

/**
 * Finds personal data in each of several texts; one result a text, in their order.
 *
 * @throws {TextveilError} as `detect`; the field of a text is `texts[3]`
 * @example
 * detectBatch(["PESEL 44051401359", "nothing"]).results.map(({ entities }) => entities.length); // [1, 0]
 */
export function detectBatch<Custom extends string = never>(
  texts: readonly string[],
  options?: DetectOptions<Custom>,
): DetectBatchResponse<NoInfer<Custom>> {
  if (!Array.isArray(texts)) throw invalid("texts", "must be a list of strings");
  texts.forEach((text, index) => check(text, `texts[${index}]`, TEXT));
  const request = compiled("ofDetection", json(options));
  return call(() => request.detectBatch([...texts])) as DetectBatchResponse<Custom>;
}

/**
 * Validates a value as an entity type: `validate("44051401359", "pesel")`.
 *
 * @throws {TextveilError} `invalid_request` naming `value`, `entityType` or `country`
 * @example
 * validate("44051401359", "pesel").valid; // true
 * validate("44051401358", "pesel").valid; // false
 */
export function validate(request: ValidateRequest): ValidateResponse;
export function validate(value: string, entityType: AnyEntityType, country?: string): ValidateResponse;
export function validate(
  valueOrRequest: string | ValidateRequest,
  entityType?: string,
  country?: string | null,
): ValidateResponse {
  const request =
    typeof valueOrRequest === "object" && valueOrRequest !== null
      ? known(valueOrRequest, ["value", "entityType", "entity_type", "country"])
      : { value: valueOrRequest, entityType, country };
  // also rejects the name of the HTTP API
  optionsJson(request);
  const value = check(request.value, "value", "must be a string");
  const type = check(request.entityType, "entityType", "must be the name of an entity type");
  const code = countryCode(request.country);
  const { value: _, ...response } = parse<ValidateResponse & { value: string }>(call((engine) => engine.validate(value, type, code)));
  response.metadata ??= {};
  return response;
}

/**
 * The detectors of `country` (ISO 3166-1 alpha-2), or all of them.
 *
 * @example
 * detectors("PL").detectors.some(({ entityType }) => entityType === "pesel"); // true
 */
export function detectors(country?: string): DetectorsResponse {
  const code = countryCode(country);
  return parse(call((engine) => engine.detectors(code)));
}

function countryCode(country: string | null | undefined): string | undefined {
  return country == null ? undefined : check(country, "country", "must be a string or null");
}
