// pino: a hook that protects each line before it is written. For Node, since pino has no such hook in browsers.

import { loadAllFromPackage } from "./package-wasm.js";
import { Records, type RecordOptions } from "./record.js";

export type { RecordOptions } from "./record.js";

loadAllFromPackage();

/** The option of pino that is used. */
interface WithHooks {
  hooks?: { streamWrite?: (line: string) => string };
}

/** The fields that pino itself writes first: a level, milliseconds since 1970, a process. */
const HEAD = /^\{(?:"level":(?:\d{1,4}|"[A-Za-z]{1,16}"),)?(?:"time":[12]\d{12},)?(?:"pid":\d{1,7},)?/;

/**
 * Protects the lines of pino by value: messages, objects, errors, bindings of children.
 *
 * Gives options of pino. Each line is protected in the thread of the logger, after redaction and serialisers and before
 * a stream or a transport gets it. A line that cannot be protected is replaced by one that says so.
 *
 * @throws {TextveilError} `invalid_request` naming an option
 * @example
 * const { default: pino } = await import("pino");
 * const lines = [""];
 * const logger = pino(protectLogs({ base: null, timestamp: false }), { write: (line) => void lines.push(line) });
 * logger.child({ user: "emily@example.com" }).info("Dear Emily Carter");
 * lines[1]; // "{\"level\":30,\"user\":\"[REDACTED]\",\"msg\":\"Dear [REDACTED]\"}\n"
 */
export function protectLogs<Options extends object = object>(pinoOptions?: Options, options?: RecordOptions): Options {
  const records = new Records(options);
  const { hooks } = (pinoOptions ?? {}) as WithHooks;
  const streamWrite = (line: string): string => {
    const written = hooks?.streamWrite?.(line) ?? line;
    const head = HEAD.exec(written)?.[0] ?? "";
    return records.safely(
      () => (head === "" ? records.line(written) : head + records.line(`{${written.slice(head.length)}`).slice(1)),
      (reason) => `${head === "" ? "{" : head}"msg":${JSON.stringify(reason)}}\n`,
    );
  };
  return { ...(pinoOptions as Options), hooks: { ...hooks, streamWrite } };
}
