// The messages between a page and its worker.

import type { ErrorCode } from "./error.js";
import type { WholeBody } from "./fetch.js";
import type { Progress } from "./file.js";
import type {
  BinaryOptions,
  CryptoKeyOptions,
  DocumentOptions,
  FileOptions,
  FindingToApply,
  FormDataOptions,
  ProtectOptions,
} from "./options.js";
import type { RestoreKind } from "./restoring.js";
import type { DetectOptions } from "./types.js";

/** A module of WebAssembly that can be handed over: its address, its bytes, or it compiled. */
type SentWasm = string | BufferSource | WebAssembly.Module;

/** The fields of a form, which cannot be handed over as a form. */
type Entries = [string, FormDataEntryValue][];

/** A body as it can be handed over. */
export type SentBody = { form: Entries } | { parameters: [string, string][] } | { body: string | Blob | BufferSource };

/** A request of the page. */
export type Ask =
  | {
      verb: "open";
      options: ProtectOptions<string> & CryptoKeyOptions & { session?: boolean | string | undefined };
      wasm: SentWasm | undefined;
      /** True for the one of the package. */
      names: SentWasm | boolean;
      documents: SentWasm | undefined;
    }
  | { verb: "detect"; text: string; options: DetectOptions<string> }
  | { verb: "protect"; text: string; options: ProtectOptions<string> }
  | { verb: "apply"; text: string; findings: readonly FindingToApply[]; options: ProtectOptions<string> }
  | { verb: "restore"; text: string }
  | { verb: "file"; file: Blob; options: FileOptions }
  /** The JSON of a walked value. */
  | { verb: "value"; json: string; options: ProtectOptions<string> }
  | { verb: "formData"; form: Entries; options: FormDataOptions }
  | { verb: "body"; body: SentBody; type: string; options: ProtectOptions<string> & BinaryOptions }
  /** Opens work on pieces, under the number of this call. */
  | { verb: "protecting"; options: ProtectOptions<string> & DocumentOptions }
  | { verb: "restoring"; kind: RestoreKind; encoding: string | undefined }
  | { verb: "push"; work: number; piece: string | Uint8Array }
  | { verb: "finish"; work: number }
  | { verb: "free"; work: number }
  | { verb: "session"; what: "size" | "clear" | "keep" | "forget" }
  | { verb: "original"; replacement: string }
  /** Ends the call of this number. */
  | { verb: "abort" };

/** A question, with its number. */
export interface Call {
  id: number;
  ask: Ask;
}

/** An answer of the worker: its progress, and in the end a value or an error. */
export type Answer = { id: number } & (
  | { progress: Progress }
  | { value: unknown }
  | { refusal: { code: ErrorCode; message: string; field: string | undefined; details: Record<string, number> | undefined } }
);

/** Turns a body into what can be handed over. */
export function sentBody(body: WholeBody): SentBody {
  if (body instanceof FormData) return { form: [...body] };
  if (body instanceof URLSearchParams) return { parameters: [...body] };
  return { body: body as string | Blob | BufferSource };
}

/** Makes the body that was handed over. */
export function receivedBody(sent: SentBody): WholeBody {
  if ("form" in sent) return receivedForm(sent.form);
  if ("parameters" in sent) return new URLSearchParams(sent.parameters);
  return sent.body as WholeBody;
}

/** Makes the form that was handed over. */
export function receivedForm(entries: Entries): FormData {
  const form = new FormData();
  for (const [name, value] of entries) {
    if (typeof value === "string") form.append(name, value);
    else form.append(name, value, value.name);
  }
  return form;
}
