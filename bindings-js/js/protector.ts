// Options, keys and a session, kept for many calls.

import { check, object, parse, TEXT } from "./call.js";
import { detect } from "./detect.js";
import { engineOf } from "./engine.js";
import { invalid } from "./error.js";
import { protectFetchWith } from "./fetch.js";
import { protectFileWith, type OnProgress, type ProtectedFile } from "./file.js";
import { knownFormat } from "./formats/index.js";
import { protectFormDataWith } from "./form.js";
import { call } from "./instance.js";
import { keysOf, randomSecret, withSecrets, type KeySource } from "./keys.js";
import type {
  DocumentOptions,
  Fetch,
  FetchOptions,
  FileOptions,
  FormDataOptions,
  OpenProtectorOptions,
  ProtectorOptions,
} from "./options.js";
import { kept, TokenMap, type Session } from "./session.js";
import { documentStream } from "./stream.js";
import type { DetectOptions, DetectResponse, ProtectOptions, ProtectResponse, RestoreResponse } from "./types.js";

/** Options, keys and a session, kept. The options of a call come before those kept here. */
export interface Protector {
  /** What was hashed and tokenised so far; undefined unless `session` was asked for. Streams of plain text add nothing. */
  readonly session: Session | undefined;
  /** `detect`, with the options kept here. */
  detect(text: string, options?: DetectOptions): DetectResponse;
  /** `protect`, with what is kept here. */
  protect(text: string, options?: ProtectOptions): ProtectResponse;
  /** `restore`, with what is kept here: hashes too, where there is a session. */
  restore(text: string): RestoreResponse;
  /** `protectStream`, with what is kept here. */
  stream(options?: ProtectOptions & DocumentOptions): TransformStream<string | Uint8Array, string>;
  /** `protectFile`, with what is kept here. */
  file(file: Blob, options?: FileOptions, onProgress?: OnProgress): Promise<ProtectedFile>;
  /** `protectFormData`, with what is kept here. */
  formData(form: FormData, options?: FormDataOptions): Promise<FormData>;
  /** `protectFetch`, with what is kept here. */
  fetch(options?: FetchOptions): Fetch;
}

/**
 * Keeps options and a key for many calls: `createProtector({ key, mode: "tokenize" })`.
 *
 * @throws {TextveilError} `invalid_request` naming `key`
 */
export function createProtector(options?: ProtectorOptions): Protector {
  const { key, keyVersion, previousKeys, session, ...defaults } = object(options);
  if (typeof session === "string") throw invalid("session", "with a name is opened by `openProtector`");
  return protector(keysOf({ key, keyVersion, previousKeys }), defaults, session ? new TokenMap() : undefined);
}

/**
 * As `createProtector`, for what takes time: keys of the Web Cryptography API, and a session that was kept.
 *
 * A session that has a name and no `key` has a random key of its own, which is kept with it: its tokens can be
 * turned back after the page was closed.
 *
 * @throws {TextveilError} `invalid_request` naming `key` or `session`
 */
export async function openProtector(options?: OpenProtectorOptions): Promise<Protector> {
  const { key, keyVersion, previousKeys, session, ...defaults } = object(options);
  const secrets = await withSecrets({ key, keyVersion, previousKeys });
  if (typeof session !== "string") return protector(keysOf(secrets), defaults, session ? new TokenMap() : undefined);
  if (session === "") throw invalid("session", "must be a name of at least one character");
  const known = await kept(session);
  const secret = secrets.key === undefined ? (known?.secret ?? hex(randomSecret())) : undefined;
  const keys = keysOf(secret === undefined ? secrets : { ...secrets, key: secret });
  return protector(keys, defaults, new TokenMap(session, secret, known?.originals));
}

function protector(keys: KeySource, defaults: ProtectOptions, session: TokenMap | undefined): Protector {
  const engine = engineOf(keys, defaults, session);
  return {
    session,
    detect: (text, own) => detect(text, { ...defaults, ...object(own) }),
    protect(text, own) {
      check(text, "text", TEXT);
      return engine.protect(text, object(own));
    },
    restore(text) {
      check(text, "text", TEXT);
      const known = session?.restore(text);
      const rest = parse<RestoreResponse>(call(() => keys().restore(known?.text ?? text)));
      return { ...rest, restored: rest.restored + (known?.restored ?? 0) };
    },
    stream(own) {
      const { format, encoding, ...options } = object(own);
      return documentStream(engine.document(knownFormat(format ?? "text"), options), encoding);
    },
    file: (file, own, onProgress) => protectFileWith(engine, file, object(own), onProgress),
    formData: (form, own) => protectFormDataWith(engine, form, object(own)),
    fetch: (own) => protectFetchWith(engine, object(own)),
  };
}

function hex(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}
