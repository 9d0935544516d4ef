// Protects texts, files, forms and requests: the engine with keys, options and a session.

import { findingsJson, parse } from "./call.js";
import { compiled } from "./compiled.js";
import { decoded, openDocument, type OpenDocument, type Protect, type Reading, type TextDocument } from "./document.js";
import { invalid } from "./error.js";
import type { Format } from "./format.js";
import { call, isLoaded } from "./instance.js";
import type { KeySource } from "./keys.js";
import type { FindingToApply, ProtectOptions } from "./options.js";
import { decided, decisionOf } from "./replacement.js";
import type { TokenMap } from "./session.js";
import type { DetectOptions, DetectResponse, ProtectedEntity, ProtectResponse } from "./types.js";
import { joined, optionJson } from "./wire.js";
import type { Keys, Options } from "../wasm/textveil.js";

/** Protects; the options of a call come before those of the engine. */
export interface Engine {
  detect(text: string, options: DetectOptions<string>): DetectResponse;
  protect(text: string, options: ProtectOptions<string>): ProtectResponse;
  apply(text: string, findings: readonly FindingToApply[], options: ProtectOptions<string>): ProtectResponse;
  /** Opens a document; one that is not plain text waits for the module that reads it. */
  document(format: Format, options: ProtectOptions<string>, reading: Reading): OpenDocument | Promise<OpenDocument>;
  /** Protects texts of which places are values. */
  passages(options: ProtectOptions<string>): Protect;
}

/** The options of a call as the engine reads them, and the decisions that it does not make. */
interface Request extends Pick<ReturnType<typeof decisionOf>, "decide" | "isPlaceholder"> {
  /** JSON. */
  options: string;
}

/**
 * An engine with these keys and options.
 *
 * @throws {TextveilError} naming the option at fault
 * @param memory has the placeholders, and what the session of the caller remembers
 */
export function engineOf(keys: KeySource, defaults: ProtectOptions<string>, memory: TokenMap): Engine {
  const { keep: _keep, replace: _replace, mode: _mode, operators: _operators, policies: _policies, defaultAction: _action, ...detection } = defaults;
  const kept = new KeptOptions(decisionOf(defaults, memory).options);

  function request(own: ProtectOptions<string>, isOfPassages = false): Request {
    const { options, decide, isPlaceholder } = decisionOf({ ...defaults, ...own }, memory);
    const isOfStrings = options.offsetUnit == null || options.offsetUnit === "utf16";
    // findings that are decided here need offsets in the units of strings
    if (decide !== undefined && !isOfStrings) throw invalid("offsetUnit", "must be utf16 with placeholders and callbacks");
    const read = isOfPassages && !isOfStrings ? { ...options, offsetUnit: "utf16" as const } : options;
    return { options: kept.written(read), decide, isPlaceholder };
  }

  const ready = ({ options }: Request): Options => compiled("ofProtection", options);

  // faulty options are an error at once, where the engine is there to read them
  const ofEngine = request({});
  if (isLoaded()) ready(ofEngine);

  function run(text: string, own: Request, verb: (keys: Keys, options: Options) => unknown): ProtectResponse {
    if (own.isPlaceholder) memory.reserve(text);
    const [ofCall, options] = [keys(), ready(own)];
    const response = call(() => verb(ofCall, options)) as ProtectResponse;
    if (own.decide !== undefined) response.protectedText = decided(text, response.entities, own.decide);
    memory.record(response.entities);
    return response;
  }

  function passages(own: ProtectOptions<string>): Protect {
    const ofPassages = request(own, true);
    return (text, cells) => run(text, ofPassages, (ofCall, options) => ofCall.protectCells(text, cells, options));
  }

  return {
    detect(text, own) {
      const hasOwn = Object.keys(own).length > 0;
      const options = hasOwn ? compiled("ofDetection", kept.written({ ...detection, ...own })) : ready(ofEngine);
      return call(() => options.detect(text)) as DetectResponse;
    },
    protect: (text, own) => run(text, request(own), (ofCall, options) => ofCall.protect(text, options)),
    apply(text, findings, own) {
      if (!Array.isArray(findings)) throw invalid("findings", "must be a list of findings, as `find` returns them");
      const given = findingsJson(findings);
      return run(text, request(own), (ofCall, options) => {
        const response = ofCall.apply(text, given, options) as ProtectResponse;
        addFacts(response.entities, findings);
        return response;
      });
    },
    document(format, own, reading) {
      const decision = request(own);
      const [ofCall, options] = [keys(), ready(decision)];
      if (format === "text") return decoded(textDocument(ofCall, options, decision, memory), reading);
      // checks the options before anything is read
      call(() => ofCall.stream(options)).free();
      return openDocument(format, passages(own), reading);
    },
    passages,
  };
}

/** Options as they were when they were given, and each of them as JSON: long lists are written once. */
class KeptOptions {
  readonly #fields: Map<string, readonly [value: unknown, json: string]>;
  readonly #all: string;

  constructor(options: object) {
    this.#fields = new Map(Object.entries(options).map(([name, value]) => [name, [value, optionJson(name, value)]]));
    this.#all = joined([...this.#fields.values()].map(([, json]) => json));
  }

  /** Writes the options of a call, some of which are these. */
  written(options: object): string {
    const entries = Object.entries(options);
    let areAll = entries.length === this.#fields.size;
    const fields = entries.map(([name, value]) => {
      const kept = this.#fields.get(name);
      if (kept !== undefined && kept[0] === value) return kept[1];
      areAll = false;
      return optionJson(name, value);
    });
    return areAll ? this.#all : joined(fields);
  }
}

/** The facts of the findings as they were given: the engine needs and returns some of them only. */
function addFacts(entities: ProtectedEntity[], findings: readonly FindingToApply[]): void {
  const byStart = new Map(findings.map((finding) => [finding.start, finding]));
  for (const entity of entities) {
    const { metadata, evidence } = byStart.get(entity.start) ?? {};
    entity.metadata = (metadata ?? {}) as ProtectedEntity["metadata"];
    if (evidence !== undefined) entity.evidence = evidence;
  }
}

function textDocument(keys: Keys, options: Options, { decide, isPlaceholder }: Request, memory: TokenMap): TextDocument {
  let thrown: unknown;
  // an exception must not pass through the engine, which would stay locked
  const edit = (entity: ProtectedEntity): string | undefined => {
    try {
      entity.protected = decide?.(entity) ?? entity.protected;
      memory.record([entity]);
      return entity.protected;
    } catch (error) {
      thrown ??= error;
      return undefined;
    }
  };
  const stream = call(() => keys.stream(options, decide !== undefined || memory.isKept ? { edit } : undefined));
  const step = (text: () => string) => {
    const out = call(text);
    if (thrown !== undefined) throw thrown;
    return out;
  };
  return {
    push(text) {
      if (isPlaceholder) memory.reserve(text);
      return step(() => stream.push(text));
    },
    finish: () => step(() => stream.finish()),
    found() {
      const { phone_number: phone, ...rest } = parse<Record<string, number>>(call(() => stream.found()));
      // as protection calls it everywhere
      return phone === undefined ? rest : { ...rest, phone };
    },
    free: () => stream.free(),
  };
}
