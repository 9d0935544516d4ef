// Options, keys and a session, kept for many calls.

import { Answer, checkRestoring, type Find } from "./answer.js";
import { check, known, object, TEXT } from "./call.js";
import { engineOf, type Engine } from "./engine.js";
import { invalid } from "./error.js";
import { protectBody, protectFetchWith, type Workshop } from "./fetch.js";
import { protectFileWith, type OnProgress, type ProtectedFile } from "./file.js";
import { knownFormat } from "./format.js";
import { protectFormDataWith } from "./form.js";
import { keysOf, randomSecret, withSecrets, type KeySource } from "./keys.js";
import { whenReady } from "./load.js";
import type {
  AbortOptions,
  DocumentOptions,
  Fetch,
  FetchOptions,
  FileOptions,
  Finding,
  FindingToApply,
  FormDataOptions,
  OpenProtectorOptions,
  ProtectOptions,
  ProtectorOptions,
  RestoreOptions,
  RestoreResult,
  RestoreStreamOptions,
  StreamOptions,
} from "./options.js";
import { findWith, restoredResponse, restoredText, restoringOf } from "./restoring.js";
import { kept, TokenMap, type Session, type Timed, type Timing } from "./session.js";
import { DocumentWork, streamOf, type Work } from "./stream.js";
import type { DetectOptions, DetectResponse, ProtectResponse } from "./types.js";
import { protectValueWith, type ProtectedValue } from "./value.js";
import { indexedDbStore } from "./vault.js";

/**
 * Options, keys and a session, kept. The options of a call come before those kept here.
 *
 * A page and a worker have the same verbs. Those of a worker, `Protector<"later">`, give promises; code that awaits each
 * result takes either.
 *
 * @example
 * const protector = createProtector({ mode: "placeholder" });
 * protector.protect("Dear Emily Carter").protectedText; // "Dear [[NAME_1]]"
 * protector.restore("Hi [[NAME_1]]").text; // "Hi Emily Carter"
 */
export interface Protector<When extends Timing = "now", Custom extends string = never> {
  /** The memory of hashes, tokens and placeholders; undefined without `session` and the mode `placeholder`. */
  readonly session: Session<When> | undefined;
  /** `detect`, with the options kept here. */
  detect<Own extends string = never>(text: string, options?: DetectOptions<Own> & AbortOptions): Timed<DetectResponse<Custom | NoInfer<Own>>, When>;
  /** `find`, with the options kept here. */
  find<Own extends string = never>(text: string, options?: DetectOptions<Own> & AbortOptions): Timed<Finding<Custom | NoInfer<Own>>[], When>;
  /** `protect` with the options and the memory of this protector. */
  protect<Own extends string = never>(
    text: string,
    options?: ProtectOptions<Custom | Own> & AbortOptions,
  ): Timed<ProtectResponse<Custom | NoInfer<Own>>, When>;
  /** `apply` with the options and the memory of this protector. */
  apply<Own extends string = never>(
    text: string,
    findings: readonly FindingToApply<Custom | Own>[],
    options?: ProtectOptions<Custom | Own> & AbortOptions,
  ): Timed<ProtectResponse<Custom | NoInfer<Own>>, When>;
  /** `restore` with the memory of this protector: placeholders too, and hashes where there is a session. */
  restore(text: string, options?: AbortOptions): Timed<RestoreResult, When>;
  /**
   * A `TransformStream` that restores a text which arrives in pieces, cut anywhere.
   *
   * @example
   * const protector = createProtector({ mode: "placeholder" });
   * protector.protect("Dear Emily Carter");
   * const restored = new Blob(["Dear [[NA", "ME_1]]!"]).stream().pipeThrough(protector.restoreStream());
   * let answer = "";
   * for await (const piece of restored) answer += piece;
   * answer; // "Dear Emily Carter!"
   */
  restoreStream(options?: RestoreStreamOptions): TransformStream<string | Uint8Array, string>;
  /**
   * The response with its body restored as it arrives: text, JSON, NDJSON, and the events of language models, also
   * where a placeholder is cut between two events. Any other type is returned as it is.
   *
   * @example
   * const protector = createProtector({ mode: "placeholder" });
   * protector.protect("Dear Emily Carter");
   * const answer = protector.restoreResponse(Response.json({ reply: "Dear [[NAME_1]]" }));
   * (await answer.json()).reply; // "Dear Emily Carter"
   */
  restoreResponse(response: Response, options?: StreamOptions): Response;
  /** `protectStream` with the options and the memory of this protector. */
  stream(options?: ProtectOptions<string> & DocumentOptions & StreamOptions): TransformStream<string | Uint8Array, string>;
  /** `protectFile` with the options and the memory of this protector. */
  file(file: Blob, options?: FileOptions, onProgress?: OnProgress): Promise<ProtectedFile>;
  /** `protectValue` with the options and the memory of this protector. */
  value<T>(value: T, options?: ProtectOptions<string> & AbortOptions): Promise<ProtectedValue<T>>;
  /** `protectFormData` with the options and the memory of this protector. */
  formData(form: FormData, options?: FormDataOptions): Promise<FormData>;
  /** `protectFetch` with the options and the memory of this protector. */
  fetch(options?: FetchOptions): Fetch;
}

/**
 * A protector with a session: made with `session`, or in the mode `placeholder`.
 *
 * @example
 * const protector = createProtector({ mode: "placeholder" });
 * protector.session.size; // 0
 */
export type RememberingProtector<Custom extends string = never> = Protector<"now", Custom> & { readonly session: Session };

/**
 * Keeps options and a key for many calls.
 *
 * Placeholders and sessions are per protector: make one for each user or conversation, so that a value is restored
 * only where it came from.
 *
 * @throws {TextveilError} `invalid_request` naming `key`
 * @example
 * const protector = createProtector({ mode: "placeholder" });
 * const { protectedText } = protector.protect("mail jan.novak@example.cz");
 * protectedText; // "mail [[EMAIL_1]]"
 * protector.restore(protectedText).text; // "mail jan.novak@example.cz"
 */
export function createProtector<Custom extends string = never>(
  options: ProtectorOptions<Custom> & ({ session: true } | { mode: "placeholder" }),
): RememberingProtector<Custom>;
export function createProtector<Custom extends string = never>(options?: ProtectorOptions<Custom>): Protector<"now", Custom>;
export function createProtector<Custom extends string = never>(options?: ProtectorOptions<Custom>): Protector<"now", Custom> {
  const { key, keyVersion, previousKeys, session, restoreHosts, onRestored, ...defaults } = object(options);
  if (typeof session === "string") throw invalid("session", "with a name is opened by `openProtector`");
  return protector(keysOf({ key, keyVersion, previousKeys }), defaults, new TokenMap(session === true), checkRestoring({ restoreHosts, onRestored }));
}

/**
 * As `createProtector`, for what takes time: keys of the Web Cryptography API, and a session that was kept.
 *
 * A session that has a name and no `key` has a random key of its own, which is kept with it: its tokens can be
 * restored after the page was closed.
 *
 * @throws {TextveilError} `invalid_request` naming `key`, `session` or `store`
 * @example
 * const store = new Map();
 * const protector = await openProtector({ session: "case 7", store, mode: "placeholder" });
 * protector.protect("mail jan.novak@example.cz");
 * await protector.session.keep();
 * (await openProtector({ session: "case 7", store })).restore("to [[EMAIL_1]]").text; // "to jan.novak@example.cz"
 */
export function openProtector<Custom extends string = never>(
  options: OpenProtectorOptions<Custom> & ({ session: true | string } | { mode: "placeholder" }),
): Promise<RememberingProtector<Custom>>;
export function openProtector<Custom extends string = never>(options?: OpenProtectorOptions<Custom>): Promise<Protector<"now", Custom>>;
export async function openProtector<Custom extends string = never>(options?: OpenProtectorOptions<Custom>): Promise<Protector<"now", Custom>> {
  const { key, keyVersion, previousKeys, session, store, restoreHosts, onRestored, ...defaults } = object(options);
  const restoring = checkRestoring({ restoreHosts, onRestored });
  const secrets = await whenReady(() => withSecrets({ key, keyVersion, previousKeys }));
  if (typeof session !== "string") return protector(keysOf(secrets), defaults, new TokenMap(session === true), restoring);
  if (session === "") throw invalid("session", "must be a name of at least one character");
  const place = { name: session, store: checkStore(store) };
  const known = await kept(place);
  const secret = secrets.key === undefined ? (known?.secret ?? hex(randomSecret())) : undefined;
  const keys = keysOf(secret === undefined ? secrets : { ...secrets, key: secret });
  return protector(keys, defaults, new TokenMap(true, place, { secret, originals: known?.originals ?? [] }), restoring);
}

function checkStore(store: OpenProtectorOptions["store"]): NonNullable<OpenProtectorOptions["store"]> {
  if (store === undefined) return indexedDbStore;
  const has = (name: "get" | "set" | "delete") => typeof store?.[name] === "function";
  if (has("get") && has("set") && has("delete")) return store;
  throw invalid("store", "must have the functions get, set and delete");
}

/** The parts that a protector of this thread works with. @internal */
export interface Parts extends Workshop {
  engine: Engine;
  find: Find;
  memory: TokenMap;
}

const parts = new WeakMap<object, Parts>();

/** Returns what a protector of this thread works with; undefined for anything else. @internal */
export function partsOf(protector: unknown): Parts | undefined {
  return typeof protector === "object" && protector !== null ? parts.get(protector) : undefined;
}

function protector(keys: KeySource, defaults: ProtectOptions<string>, memory: TokenMap, restoring: RestoreOptions): Protector {
  const engine = engineOf(keys, defaults, memory);
  const { mode } = defaults;
  const find = findWith(keys, memory);
  const answer = () => new Answer(find, restoring, true);
  const workshop: Workshop = {
    protecting({ format, encoding, ...options }) {
      const known = knownFormat(format ?? "text");
      return new DocumentWork(whenReady(() => engine.document(known, options, { encoding, field: "stream" })));
    },
    restoring(kind, encoding) {
      let work: Work | undefined;
      const opened = () => (work ??= restoringOf(kind, answer(), encoding));
      return {
        push: (piece) => whenReady(() => opened().push(piece)),
        finish: () => whenReady(() => opened().finish()),
        free: () => work?.free(),
      };
    },
    body: async (body, type, options, signal) => whenReady(() => protectBody(engine, body, type, options, signal)),
  };
  // the caller's compiler knows the custom types
  const detectWith = <Own extends string>(text: string, own?: DetectOptions<string> & AbortOptions) => {
    const options = begun(own);
    check(text, "text", TEXT);
    return engine.detect(text, options) as DetectResponse<Own>;
  };
  const made: Protector = {
    session: memory.isKept || mode === "placeholder" ? memory : undefined,
    detect: detectWith,
    find: <Own extends string>(text: string, own?: DetectOptions<Own> & AbortOptions) => detectWith<Own>(text, own).entities,
    protect(text, own) {
      check(text, "text", TEXT);
      return engine.protect(text, begun(own));
    },
    apply(text, findings, own) {
      check(text, "text", TEXT);
      return engine.apply(text, findings, begun(own));
    },
    restore(text, own) {
      begun(known(own, ["signal"]));
      check(text, "text", TEXT);
      return restoredText(answer(), text);
    },
    ...streamsOf(workshop, mode),
    file: async (file, own, onProgress) => whenReady(() => protectFileWith(engine, file, object(own), onProgress)),
    value: async (value, own) => whenReady(() => protectValueWith(engine, value, object(own))),
    formData: async (form, own) => whenReady(() => protectFormDataWith(engine, form, object(own))),
  };
  parts.set(made, { ...workshop, engine, find, memory });
  return made;
}

/** Rejects placeholders where nothing remembers them, so that nothing could restore them. @internal */
export function withoutPlaceholder<T extends { mode?: ProtectOptions["mode"] }>(options: T | undefined): T {
  const given = object(options);
  if (given.mode === "placeholder") {
    throw invalid("mode", "placeholder needs a protector, which restores it; use `createProtector({ mode: \"placeholder\" })`");
  }
  return given;
}

/** The options of a call that begins now, unless its signal ended it. */
function begun<T extends AbortOptions>(options: T | undefined): Omit<T, "signal"> {
  const { signal, ...rest } = object(options);
  signal?.throwIfAborted();
  return rest;
}

/** The verbs of a protector that give streams, over what this thread or a worker opens. @internal */
export function streamsOf(
  workshop: Workshop,
  mode: ProtectOptions["mode"],
): Pick<Protector, "stream" | "restoreStream" | "restoreResponse" | "fetch"> {
  return {
    stream(own) {
      const { signal, ...options } = object(own);
      return streamOf(workshop.protecting(options), signal);
    },
    restoreStream(own) {
      const { encoding, signal } = known(own, ["encoding", "signal"]);
      return streamOf(workshop.restoring("text", encoding), signal);
    },
    restoreResponse(response, own) {
      if (!(response instanceof Response)) throw invalid("response", "must be a Response");
      return restoredResponse(response, workshop.restoring, known(own, ["signal"]).signal);
    },
    fetch(own) {
      const options: FetchOptions = object(own);
      const isPlaceholder = (options.mode ?? mode) === "placeholder";
      return protectFetchWith(workshop, { ...options, restore: options.restore ?? isPlaceholder });
    },
  };
}

function hex(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}
