// Protects texts, files, forms and requests: the engine with keys, options and a session.

import { findingsJson, json, parse } from "./call.js";
import { decoded, openDocument, type OpenDocument, type Reading, type TextDocument } from "./document.js";
import { invalid } from "./error.js";
import type { Format } from "./format.js";
import { call, isLoaded } from "./instance.js";
import type { KeySource } from "./keys.js";
import type { FindingToApply, ProtectOptions } from "./options.js";
import { decided, decisionOf } from "./replacement.js";
import type { TokenMap } from "./session.js";
import type { Cell, ProtectedEntity, ProtectResponse } from "./types.js";
import type { Keys } from "../wasm/textveil.js";

/** Protects; the options of a call come before those of the engine. */
export interface Engine {
  protect(text: string, options: ProtectOptions<string>): ProtectResponse;
  apply(text: string, findings: readonly FindingToApply[], options: ProtectOptions<string>): ProtectResponse;
  /** Opens a document; one that is not plain text waits for the module that reads it. */
  document(format: Format, options: ProtectOptions<string>, reading: Reading): OpenDocument | Promise<OpenDocument>;
}

/**
 * An engine with these keys and options.
 *
 * @throws {TextveilError} naming the option at fault
 * @param memory has the placeholders, and what the session of the caller remembers
 */
export function engineOf(keys: KeySource, defaults: ProtectOptions<string>, memory: TokenMap): Engine {
  const request = (own: ProtectOptions<string>) => {
    const { options, decide, isPlaceholder } = decisionOf({ ...defaults, ...own }, memory);
    // findings that are decided here need offsets in the units of strings
    if (decide !== undefined && options.offsetUnit != null && options.offsetUnit !== "utf16") {
      throw invalid("offsetUnit", "must be utf16 with placeholders and callbacks");
    }
    return { options, decide, isPlaceholder };
  };

  // faulty options are an error at once, where the engine is there to read them
  const kept = json(request({}).options);
  if (isLoaded()) call((engine) => engine.check(kept));

  function finish(text: string, response: ProtectResponse, { options, decide }: ReturnType<typeof request>): ProtectResponse {
    if (decide !== undefined) response.protectedText = decided(text, response.entities, decide);
    memory.record(response.entities);
    return response;
  }

  function protect(text: string, own: ReturnType<typeof request>): ProtectResponse {
    if (own.isPlaceholder) memory.reserve(text);
    const options = json(own.options);
    return finish(text, call(() => keys().protect(text, options)) as ProtectResponse, own);
  }

  return {
    protect: (text, own) => protect(text, request(own)),
    apply(text, findings, own) {
      if (!Array.isArray(findings)) throw invalid("findings", "must be a list of findings, as `find` returns them");
      const decision = request(own);
      if (decision.isPlaceholder) memory.reserve(text);
      const [options, given] = [json(decision.options), findingsJson(findings)];
      const response = call(() => keys().apply(text, given, options)) as ProtectResponse;
      addFacts(response.entities, findings);
      return finish(text, response, decision);
    },
    document(format, own, reading) {
      const decision = request(own);
      const options = json(decision.options);
      if (format === "text") return decoded(textDocument(keys(), options, decision, memory), reading);
      // checks the options before anything is read
      call(() => keys().stream(options)).free();
      const ofPassage = (cells: Cell[]) => ({ ...decision, options: { ...decision.options, cells, offsetUnit: "utf16" as const } });
      return openDocument(format, (text, cells) => protect(text, ofPassage(cells)), reading);
    },
  };
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

function textDocument(keys: Keys, options: string, { decide, isPlaceholder }: ReturnType<typeof decisionOf>, memory: TokenMap): TextDocument {
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
