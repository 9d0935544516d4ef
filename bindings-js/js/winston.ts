// winston: a format that protects each record.

import { loadAllFromPackage } from "./package-wasm.js";
import { Records, type RecordOptions } from "./record.js";

export type { RecordOptions } from "./record.js";

loadAllFromPackage();

/**
 * A record of winston.
 *
 * @example
 * protectFormat().transform({ level: "info", message: "Dear Emily Carter" }).message; // "Dear [REDACTED]"
 */
export interface Info {
  level: string;
  message: unknown;
  [field: string | symbol]: unknown;
}

/**
 * A format of winston.
 *
 * @example
 * protectFormat({ mode: "mask" }).transform({ level: "info", message: "Dear Emily Carter" }).message; // "Dear ************"
 */
export interface ProtectFormat {
  options?: object;
  /** Protects a record. */
  transform(info: Info, options?: unknown): Info;
}

/** The properties in which winston keeps the level, the written record, and the arguments of a message. */
const [LEVEL, MESSAGE, SPLAT] = [Symbol.for("level"), Symbol.for("message"), Symbol.for("splat")] as const;

/**
 * Protects records of winston by value: messages, metadata, errors.
 *
 * Makes a format for `combine`, anywhere in it: a format after it gets protected values. A record that cannot be
 * protected is replaced by one that says so.
 *
 * @throws {TextveilError} `invalid_request` naming an option
 * @example
 * const format = protectFormat(); // winston.format.combine(protectFormat(), winston.format.json())
 * format.transform({ level: "info", message: "paid", mail: "emily@example.com" }).mail; // "[REDACTED]"
 */
export function protectFormat(options?: RecordOptions): ProtectFormat {
  const records = new Records(options);
  return {
    transform(info) {
      const { level, [LEVEL]: plainLevel, [MESSAGE]: written } = info;
      const withWritten = (record: Info, text: (written: string) => string): Info => {
        record[LEVEL] = plainLevel;
        if (typeof written === "string") record[MESSAGE] = text(written);
        return record;
      };
      return records.safely(
        () => {
          const isLevel = (key: string, value: unknown): boolean => key === "level" && value === level;
          const [fields, splat] = records.value<[Info, unknown]>([info, info[SPLAT]], isLevel);
          if (splat !== undefined) fields[SPLAT] = splat;
          return withWritten(fields, (text) => records.text(text));
        },
        (message) => withWritten({ level, message }, () => JSON.stringify({ level, message })),
      );
    },
  };
}
