// Options of callers, in addition to those that the engine itself reads (`types.ts`).

import type { Format } from "./format.js";
import type { DetectedEntity, DetectedEntityOf, EngineMode, EngineProtectOptions, EntityType, ProtectedEntity, RestoreResponse } from "./types.js";

/**
 * A finding, as `find` returns it.
 *
 * @example
 * find("PESEL 44051401359").map(({ type, start, end, original }) => [type, start, end, original]); // [["pesel", 6, 17, "44051401359"]]
 */
export type Finding<Custom extends string = never> = DetectedEntity<Custom>;

/**
 * The replacement of a finding.
 *
 * @example
 * protect("Dear Emily Carter", { mode: "mask" }).protectedText; // "Dear ************"
 * const prompt = createProtector({ mode: "placeholder" });
 * prompt.protect("Dear Emily Carter").protectedText; // "Dear [[NAME_1]]"
 */
export type Mode =
  | EngineMode
  /**
   * `[[EMAIL_1]]`: the type and a number, the same for the same value. The protector restores it. Language models keep
   * such placeholders, and the type tells them what the text is about.
   */
  | "placeholder";

/**
 * A finding as the callbacks get it, with what would replace it. Its place is known to `find` only.
 *
 * @example
 * const { protectedText } = protect("PESEL 44051401359", {
 *   replace: ({ type, confidence }) => (confidence > 0.5 ? `<${type}>` : undefined),
 * });
 * protectedText; // "PESEL <pesel>"
 */
export type Replaceable<Custom extends string = never> = WithoutPlace<ProtectedEntity<Custom>>;

type WithoutPlace<Entity> = Entity extends Entity ? Omit<Entity, "start" | "end"> : never;

/** A function of a finding. Its parameter is compared as those of methods are, so that options fit where less is known of types. */
type OfFinding<Custom extends string, Result> = { of(finding: Replaceable<Custom>): Result }["of"];

/**
 * Options of protection, beside those of detection.
 *
 * `Custom` are the names of the caller's own detectors. The verbs read them from `customDetectors`, so that the types of
 * findings are known exactly.
 *
 * @example
 * const { protectedText } = protect("Emily Carter, emily@example.com", {
 *   mode: "mask",
 *   excludeEntities: ["email"],
 *   keep: ({ original }) => original === "Anna",
 * });
 * protectedText; // "************, emily@example.com"
 */
export interface ProtectOptions<Custom extends string = never> extends Omit<EngineProtectOptions<Custom>, "mode"> {
  /** The replacement of every finding without an operator of its own; `replace` when absent. */
  mode?: Mode | undefined;
  /** Leaves a finding as it is where this returns true. */
  keep?: OfFinding<Custom, boolean> | undefined;
  /**
   * Returns the replacement of a finding; `undefined` leaves it to `mode`.
   *
   * @example
   * protect("to jan.novak@example.cz", { replace: ({ type }) => `<${type}>` }).protectedText; // "to <email>"
   */
  replace?: OfFinding<Custom, string | undefined> | undefined;
}

/**
 * A finding for `apply`: one of `find`, or one of your own.
 *
 * @example
 * apply("project Nightfall", [{ type: "codename", start: 8, end: 17 }]).protectedText; // "project [REDACTED]"
 */
export interface FindingToApply<Custom extends string = string> extends Partial<Omit<DetectedEntityOf<string>, "type" | "start" | "end">> {
  /** The type, one of the catalogue or any other: lower-case letters, digits and `_`. */
  type: EntityType | Custom;
  /** First unit inside, in UTF-16 units unless `offsetUnit` says otherwise. */
  start: number;
  /** First unit after. */
  end: number;
}

/**
 * Keeps sessions by name: a `Map`, a cache, a table. Its texts are personal data in plain JSON.
 *
 * @example
 * const rows = new Map();
 * const protector = await openProtector({
 *   session: "case 7",
 *   mode: "placeholder",
 *   store: {
 *     get: async (name) => rows.get(name),
 *     set: async (name, text) => rows.set(name, text),
 *     delete: async (name) => rows.delete(name),
 *   },
 * });
 * protector.protect("mail jan.novak@example.cz");
 * await protector.session.keep();
 * rows.has("case 7"); // true
 */
export interface SessionStore {
  /** The text of a name; null or undefined if it is absent. */
  get(name: string): string | null | undefined | Promise<string | null | undefined>;
  /** Keeps a text under a name. */
  set(name: string, text: string): unknown;
  /** Removes the text of a name. */
  delete(name: string): unknown;
}

/**
 * Ends a call early.
 *
 * @example
 * const protector = createProtector();
 * const work = new AbortController();
 * work.abort(new Error("no longer needed"));
 * let reason = "";
 * try { protector.detect("Emily Carter", { signal: work.signal }); } catch (error) { reason = String(error); }
 * reason; // "Error: no longer needed"
 */
export interface AbortOptions {
  /**
   * Ends the call with the reason of the signal: it throws, or its promise is rejected. Further work is not begun,
   * and a file that is read in pieces ends with the current one. A text that is being read is read to its end.
   */
  signal?: AbortSignal | undefined;
}

/**
 * Options of the streams.
 *
 * @example
 * const work = new AbortController();
 * const reader = new Blob(["Emily Carter"]).stream().pipeThrough(protectStream({ signal: work.signal })).getReader();
 * work.abort(new Error("no longer needed"));
 * const reason = await reader.read().then(() => "", ({ message }) => message);
 * reason; // "no longer needed"
 */
export interface StreamOptions {
  /** Ends the stream early, with the reason of the signal. */
  signal?: AbortSignal | undefined;
}

/**
 * Options of `restoreStream`.
 *
 * @example
 * const protector = createProtector({ mode: "placeholder" });
 * protector.protect("Dear Emily Carter");
 * const answer = new Blob(["Hi [[NA", "ME_1]]"]).stream().pipeThrough(protector.restoreStream({ encoding: "utf-8" }));
 * await new Response(answer.pipeThrough(new TextEncoderStream())).text(); // "Hi Emily Carter"
 */
export interface RestoreStreamOptions extends StreamOptions {
  /** The encoding of bytes, such as `windows-1250`; UTF-8 when absent, or what a byte order mark says. */
  encoding?: string | undefined;
}

/**
 * A secret that hashes and tokens are made with: at least 16 bytes, as such or in hex.
 *
 * @example
 * const old = "000102030405060708090a0b0c0d0e0f";
 * const { protectedText } = protect("Dear Emily Carter", { mode: "tokenize", key: old });
 * const keys = { key: "f0e0d0c0b0a090807060504030201000", keyVersion: 1, previousKeys: [{ key: old, keyVersion: 0 }] };
 * restore(protectedText, keys).text; // "Dear Emily Carter"
 */
export interface KeyOptions {
  /**
   * The same key gives the same hashes and tokens everywhere, and only it restores tokens.
   *
   * Without one, the package makes a random key when it is first needed. It lives as long as the
   * loaded package (the page, the process) and is never shown, so tokens made with it cannot be
   * restored later or elsewhere.
   */
  key?: string | Uint8Array | undefined;
  /** Written into each token, so that keys can be replaced; 0 to 31, 0 when absent. */
  keyVersion?: number | undefined;
  /** Older keys, which restore tokens and make no new ones. Each needs a version of its own. */
  previousKeys?: readonly { key: string | Uint8Array; keyVersion: number }[] | undefined;
}

/**
 * As `KeyOptions`, for calls that give a promise: a key may be one of the Web Cryptography API, too.
 *
 * @example
 * const key = await crypto.subtle.generateKey({ name: "HMAC", hash: "SHA-256" }, false, ["sign"]);
 * const protector = await openProtector({ mode: "tokenize", key });
 * protector.restore(protector.protect("Dear Emily Carter").protectedText).text; // "Dear Emily Carter"
 */
export interface CryptoKeyOptions extends Omit<KeyOptions, "key" | "previousKeys"> {
  /**
   * A secret as in `KeyOptions`, or a `CryptoKey`. One for HKDF (usage `deriveBits`) or HMAC (usage `sign`) need
   * not be extractable: a secret is derived from it. Any other has to be: its bytes are the secret.
   */
  key?: string | Uint8Array | CryptoKey | undefined;
  /** Older keys, as in `KeyOptions`. */
  previousKeys?: readonly { key: string | Uint8Array | CryptoKey; keyVersion: number }[] | undefined;
}

/**
 * Options for reading a document.
 *
 * @example
 * const file = new File([new Uint8Array([0x8a, 0xe1, 0x72, 0x6b, 0x61])], "name.txt"); // "Šárka"
 * await (await protectFile(file, { encoding: "windows-1250", denyList: [{ value: "Šárka" }] })).file.text(); // "[REDACTED]"
 */
export interface DocumentOptions {
  /** The format, so that only values change; `text` when absent, and for files what name, type or first bytes tell. */
  format?: Format | undefined;
  /** In which encoding its bytes are, such as `windows-1250`; UTF-8 when absent, or what a byte order mark says. */
  encoding?: string | undefined;
}

/**
 * The treatment of files and other bodies whose media type is not that of a text.
 *
 * @example
 * const form = new FormData();
 * form.append("photo", new File([new Uint8Array([0xff, 0xd8])], "me.jpg", { type: "image/jpeg" }));
 * const photo = (await protectFormData(form, { binary: "pass" })).get("photo");
 * photo instanceof File && photo.size; // 2
 */
export interface BinaryOptions {
  /**
   * `refuse`, also when absent: the call fails, since their contents cannot be inspected. `pass`: they go on as they
   * are. A file without a type, or of `application/octet-stream`, is read as text either way, and rejected if it is not
   * text.
   */
  binary?: "refuse" | "pass" | undefined;
}

/**
 * Options of the functions that restore.
 *
 * A value is restored in text. Inside a URL, a link, an image or an attribute that names a host it is restored only if
 * `restoreHosts` has that host: a page that shows it, or a reader who follows it, sends the value there.
 *
 * @example
 * const protector = createProtector({ mode: "placeholder", restoreHosts: ["crm.example.com"] });
 * protector.protect("Dear Emily Carter");
 * const { text, withheld } = protector.restore("https://crm.example.com/?q=[[NAME_1]] https://example.org/?q=[[NAME_1]]");
 * [text, withheld]; // ["https://crm.example.com/?q=Emily%20Carter https://example.org/?q=[[NAME_1]]", 1]
 */
export interface RestoreOptions {
  /** Hosts whose addresses may contain restored values, such as `crm.example.com`; `*.example.com` for all below one. */
  restoreHosts?: readonly string[] | undefined;
  /**
   * Gets the counts of each restored text, stream, response and answer of a model, when it ends. A placeholder that was
   * withheld there may show that somebody made the model write a URL.
   */
  onRestored?: ((counts: RestoreCounts) => void) | undefined;
}

/**
 * The replacements of a text, a stream or a response, counted by what became of them.
 *
 * @example
 * let told = "";
 * const protector = createProtector({
 *   mode: "placeholder",
 *   onRestored({ restored, withheld }) { told = `${restored} restored, ${withheld} withheld`; },
 * });
 * protector.protect("Dear Emily Carter");
 * await protector.restoreResponse(new Response("[[NAME_1]]: https://example.org/?q=[[NAME_1]]")).text();
 * told; // "1 restored, 1 withheld"
 */
export interface RestoreCounts {
  /** The number of replacements that became their values. */
  restored: number;
  /** The number of tokens that stay, since no key opens them. */
  unknown: number;
  /** The number of replacements that stay, since a host would read the value. */
  withheld: number;
}

/**
 * A restored text.
 *
 * @example
 * const { text, restored, withheld } = restore(protect("Dear Emily Carter", { mode: "tokenize" }).protectedText);
 * [text, restored, withheld]; // ["Dear Emily Carter", 1, 0]
 */
export interface RestoreResult extends RestoreResponse {
  /** The number of replacements that stay, since a host would read the value. */
  withheld: number;
}

/**
 * Options of `createProtector`.
 *
 * @example
 * const protector = createProtector({ mode: "hash", session: true });
 * protector.restore(protector.protect("Dear Emily Carter").protectedText).text; // "Dear Emily Carter"
 */
export interface ProtectorOptions<Custom extends string = never> extends ProtectOptions<Custom>, KeyOptions, RestoreOptions {
  /** Remember which value each replacement stands for, so that hashes can be restored too; in memory. */
  session?: boolean | undefined;
}

/**
 * Options of `openProtector`.
 *
 * @example
 * const store = new Map();
 * const first = await openProtector({ session: "case 7", store, mode: "placeholder" });
 * first.protect("Dear Emily Carter");
 * await first.session.keep();
 * const later = await openProtector({ session: "case 7", store, mode: "placeholder" });
 * later.restore("Hi [[NAME_1]]").text; // "Hi Emily Carter"
 */
export interface OpenProtectorOptions<Custom extends string = never> extends ProtectOptions<Custom>, CryptoKeyOptions, RestoreOptions {
  /** As in `createProtector`; a name is that of a session that `Session.keep` keeps. */
  session?: boolean | string | undefined;
  /** The store of sessions with a name; this origin's IndexedDB, encrypted, when absent. */
  store?: SessionStore | undefined;
}

/**
 * Options of `protectFile`.
 *
 * @example
 * const file = new File(["name;n\nEmily Carter;1\n"], "people");
 * await (await protectFile(file, { format: "csv", mode: "mask" })).file.text(); // "name;n\n************;1\n"
 */
export interface FileOptions extends ProtectOptions<string>, DocumentOptions {
  /** Ends the work early; the promise is rejected with its reason. */
  signal?: AbortSignal | undefined;
}

/**
 * Options of `protectFormData`.
 *
 * @example
 * const form = new FormData();
 * form.append("name", "Emily Carter");
 * (await protectFormData(form, { mode: "mask" })).get("name"); // "************"
 */
export interface FormDataOptions extends ProtectOptions<string>, BinaryOptions {
  /** Ends the work early; the promise is rejected with its reason. */
  signal?: AbortSignal | undefined;
}

/**
 * A function that is called as `fetch` is.
 *
 * @example
 * const send = protectFetch({ fetch: async (url, init) => new Response(init?.body) });
 * await (await send("https://example.com/", { method: "POST", body: "Dear Emily Carter" })).text(); // "Dear [REDACTED]"
 */
export type Fetch = typeof globalThis.fetch;

/**
 * Options of `protectFetch`.
 *
 * @example
 * const ask = protectFetch({
 *   mode: "placeholder", // the answer is restored
 *   fetch: async (url, init) => new Response(`You wrote: ${init?.body}`),
 * });
 * await (await ask("https://example.com/", { method: "POST", body: "Dear Emily Carter" })).text(); // "You wrote: Dear Emily Carter"
 */
export interface FetchOptions extends ProtectOptions<string>, BinaryOptions {
  /** Sends the request; the global one when absent. */
  fetch?: Fetch | undefined;
  /**
   * Whether answers are restored: JSON, events of language models, text, as they arrive. When absent, in the mode
   * `placeholder` only.
   */
  restore?: boolean | undefined;
}

/** WebAssembly: its address, its bytes, a response with them, or a compiled module. */
export type WasmSource = URL | string | Response | BufferSource | WebAssembly.Module;

/** Progress of loading: bytes of WebAssembly, after decompression. */
export interface LoadProgress {
  /** Bytes read. */
  read: number;
  /** Bytes in all. */
  total: number;
}

/** Options of `init`. */
export interface InitOptions {
  /** Is told how far loading is: `init({ onProgress: ({ read, total }) => (bar.value = read / total) })`. */
  onProgress?: ((progress: LoadProgress) => void) | undefined;
  /** The WebAssembly of the engine, if it is not where the bundler put it. */
  wasm?: WasmSource | Promise<WasmSource> | undefined;
  /**
   * Whether names, addresses and organisations are found: `true` when absent, or the WebAssembly of the lexicons.
   * `false` saves half of the download.
   */
  names?: boolean | WasmSource | Promise<WasmSource> | undefined;
  /**
   * The WebAssembly that reads documents, if it is not where the bundler put it. It is loaded for the first document
   * that is not plain text.
   */
  documents?: WasmSource | Promise<WasmSource> | undefined;
}

/** Options of `init` of `textveil/slim`. */
export interface SlimInitOptions extends Pick<InitOptions, "onProgress"> {
  /** The WebAssembly of `textveil/textveil.wasm`. */
  wasm: WasmSource | Promise<WasmSource>;
  /** The WebAssembly of `textveil/names.wasm`; `false` to find no names, addresses and organisations. */
  names: WasmSource | Promise<WasmSource> | false;
  /**
   * The WebAssembly of `textveil/documents.wasm`, or a function that gives it when it is needed. Without it, files,
   * streams and bodies can only be plain text, and forms are rejected.
   */
  documents?: WasmSource | Promise<WasmSource> | (() => WasmSource | Promise<WasmSource>) | undefined;
}

/** Options of `initSync` of `textveil/slim`. */
export interface SlimInitSyncOptions {
  /** The WebAssembly of `textveil/textveil.wasm`. */
  wasm: BufferSource | WebAssembly.Module;
  /** The WebAssembly of `textveil/names.wasm`; `false` to find no names, addresses and organisations. */
  names: BufferSource | WebAssembly.Module | false;
  /** As in `SlimInitOptions`. */
  documents?: SlimInitOptions["documents"];
}
