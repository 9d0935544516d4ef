// Records of loggers and error trackers, protected without waiting. A record that cannot be protected is withheld.

import { object } from "./call.js";
import { readWhole, type OpenDocument } from "./document.js";
import { documents } from "./documents-instance.js";
import { engineOf, type Engine } from "./engine.js";
import { TextveilError } from "./error.js";
import { looksLikeJson, type Format } from "./format.js";
import { keysOf } from "./keys.js";
import { whenReady } from "./load.js";
import type { KeyOptions, ProtectOptions } from "./options.js";
import { withoutPlaceholder } from "./protector.js";
import { TokenMap } from "./session.js";
import { walked, type Bounds, type IsOwn } from "./value.js";

/**
 * Options of the integrations with loggers and error trackers: those of `protect`, except the mode `placeholder`.
 *
 * With `hash` and a key, the records about one person stay together without telling who it is.
 *
 * @example
 * const format = protectFormat({ mode: "hash", key: "000102030405060708090a0b0c0d0e0f", excludeEntities: ["ip_address"] });
 * const [one, other] = ["paid", "packed"].map((message) => format.transform({ level: "info", message, mail: "emily@example.com" }));
 * one?.mail === other?.mail; // true
 */
export interface RecordOptions extends ProtectOptions<string>, KeyOptions {}

/** The bounds of a record: loggers cut at five levels (pino) or three (Sentry), and 1 MB takes some 20 ms. */
const OF_RECORDS: Bounds = {
  depth: 32,
  values: 10_000,
  length: 1_000_000,
  beyond: (bound) => (bound === "depth" ? "[too deep]" : "[too long]"),
};

/** Protects records. @internal */
export class Records {
  readonly #engine: Engine;

  /** @throws {TextveilError} naming the option at fault */
  constructor(options: RecordOptions | undefined) {
    const { key, keyVersion, previousKeys, ...defaults } = withoutPlaceholder(object(options));
    this.#engine = engineOf(keysOf({ key, keyVersion, previousKeys }), defaults, new TokenMap(false));
  }

  /** Loads what records need: a promise, which may be rejected, until it is there. */
  load(): Promise<unknown> | undefined {
    try {
      const ready = whenReady(() => documents());
      return ready instanceof Promise ? ready : undefined;
    } catch {
      // each record is withheld with the reason
      return undefined;
    }
  }

  /**
   * Protects a record, or replaces it.
   *
   * @param instead makes a record of the reason for a failure
   */
  safely<T>(protect: () => T, instead: (reason: string) => T): T {
    try {
      return protect();
    } catch (error) {
      return instead(reason(error));
    }
  }

  /** Protects the strings and numbers of a value; its keys are labels. */
  value<T>(value: T, isOwn?: IsOwn): T {
    const { json, rebuilt } = walked(value, OF_RECORDS, isOwn);
    return rebuilt(this.#read("json", json)) as T;
  }

  /** Protects a line of a log: JSON or plain text. */
  line(line: string): string {
    return this.#read("ndjson", line);
  }

  /** Protects a text: JSON or plain text. */
  text(text: string): string {
    return this.#read(looksLikeJson(text) ? "json" : "text", text);
  }

  #read(format: Format, text: string): string {
    const document = this.#engine.document(format, {}, { field: "record" });
    if (document instanceof Promise) {
      const free = (opened: OpenDocument): void => opened.free();
      document.then(free, () => {});
      throw new TextveilError("not_loaded", "the readers of documents are not loaded yet");
    }
    return readWhole(document, text);
  }
}

/** The text of a record that was withheld. An error of somebody else may have the text of the record. */
function reason(error: unknown): string {
  return `Textveil withheld this record: it could not be protected (${error instanceof TextveilError ? error.code : "internal_error"}).`;
}
