// What a page and its worker say to each other.

import type { ErrorCode } from "./error.js";
import type { Progress } from "./file.js";
import type { CryptoKeyOptions, FileOptions, FindingToApply, ProtectOptions } from "./options.js";
import type { DetectOptions } from "./types.js";

/** A module of WebAssembly that can be handed over: its address, its bytes, or it compiled. */
type SentWasm = string | BufferSource | WebAssembly.Module;

/** What the page asks. */
export type Ask =
  | {
      verb: "open";
      options: ProtectOptions & CryptoKeyOptions;
      wasm: SentWasm | undefined;
      /** True for the one of the package. */
      names: SentWasm | boolean;
    }
  | { verb: "detect"; text: string; options: DetectOptions | undefined }
  | { verb: "protect"; text: string; options: ProtectOptions | undefined }
  | { verb: "apply"; text: string; findings: readonly FindingToApply[]; options: ProtectOptions | undefined }
  | { verb: "restore"; text: string }
  | { verb: "file"; file: Blob; options: FileOptions }
  /** Ends the file of this number. */
  | { verb: "abort" };

/** A question, with its number. */
export interface Call {
  id: number;
  ask: Ask;
}

/** What the worker answers: how far it is, and in the end a value or why not. */
export type Answer = { id: number } & (
  | { progress: Progress }
  | { value: unknown }
  | { refusal: { code: ErrorCode; message: string; field: string | undefined; details: Record<string, number> | undefined } }
);
