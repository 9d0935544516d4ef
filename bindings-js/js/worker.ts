// The engine in a Web Worker: whatever it does, the page stays awake.

import { known, object } from "./call.js";
import { invalid, TextveilError } from "./error.js";
import type { Workshop } from "./fetch.js";
import type { OnProgress } from "./file.js";
import type { AbortOptions, CryptoKeyOptions, ProtectOptions } from "./options.js";
import { streamsOf, type Protector } from "./protector.js";
import type { Session } from "./session.js";
import type { Work } from "./stream.js";
import type { DetectResponse } from "./types.js";
import { OF_VALUES, walked, type ProtectedValue } from "./value.js";
import { receivedBody, receivedForm, sentBody, type Answer, type Ask, type SentBody } from "./worker-messages.js";

/**
 * A protector in a worker of its own: the verbs of `Protector`, each with a promise.
 *
 * The callbacks `keep` and `replace` cannot be handed over and are rejected.
 */
export interface WorkerProtector<Custom extends string = never> extends Protector<"later", Custom> {
  /** Ends the worker. Calls without an answer are rejected. */
  terminate(): void;
}

/** Options of `openWorker`: those of all its calls, and where things are. */
export interface WorkerOptions<Custom extends string = never> extends Omit<ProtectOptions<Custom>, "keep" | "replace">, CryptoKeyOptions, AbortOptions {
  /** As in `openProtector`; what has a name is kept in this origin's IndexedDB. */
  session?: boolean | string | undefined;
  /** The WebAssembly: its address, or the compiled module; by default the file where the bundler put it. */
  wasm?: URL | string | BufferSource | WebAssembly.Module | undefined;
  /** Whether names, addresses and organisations are found, as in `init`: `true` when absent. */
  names?: boolean | URL | string | BufferSource | WebAssembly.Module | undefined;
  /** The WebAssembly that reads documents: its address, or the compiled module, as in `init`. */
  documents?: URL | string | BufferSource | WebAssembly.Module | undefined;
  /** A worker that runs `textveil/worker-script`, for pages that make it themselves. */
  worker?: Worker | undefined;
}

/**
 * Starts a worker and loads the engine in it.
 *
 * @throws {TextveilError} as `openProtector`; `not_loaded` where the worker cannot be started
 * @example
 * const worker = await openWorker({ mode: "mask" });
 * (await worker.protect("Dear Emily Carter")).protectedText; // "Dear ************"
 * worker.terminate();
 */
export async function openWorker<Custom extends string = never>(options: WorkerOptions<Custom> = {}): Promise<WorkerProtector<Custom>> {
  const { wasm, names = true, documents, signal, worker: given, ...rest } = options;
  signal?.throwIfAborted();
  const ask: Ask = { verb: "open", options: sendable(rest), wasm: sent(wasm), names: sent(names), documents: sent(documents) };
  const worker = given ?? start();
  const calls = new Calls(worker);
  const opening = calls.ask<boolean>(ask);
  try {
    const hasSession = await unlessAborted(opening, signal);
    return { ...verbsOf(calls, hasSession), ...streamsOf(workshopOf(calls), rest.mode), terminate: () => calls.terminate() };
  } catch (error) {
    // not earlier: if a worker ends while it compiles, Firefox compiles no WebAssembly in this process any more
    const end = (): void => worker.terminate();
    opening.then(end, end);
    throw error;
  }
}

/** Settles like the promise, or rejects as soon as the signal is aborted. */
function unlessAborted<T>(promise: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = (): void => reject(signal?.reason as Error);
    signal?.addEventListener("abort", abort, { once: true });
    void promise.then(resolve, reject).finally(() => signal?.removeEventListener("abort", abort));
  });
}

function verbsOf(calls: Calls, hasSession: boolean): Omit<Protector<"later">, "stream" | "restoreStream" | "restoreResponse" | "fetch"> {
  return {
    session: hasSession ? sessionOf(calls) : undefined,
    async detect(text, own) {
      const { signal, ...options } = object(own);
      return calls.ask({ verb: "detect", text, options }, signal);
    },
    async find(text, own) {
      const { signal, ...options } = object(own);
      return (await calls.ask<DetectResponse>({ verb: "detect", text, options }, signal)).entities;
    },
    async protect(text, own) {
      const { signal, ...options } = sendable(object(own));
      return calls.ask({ verb: "protect", text, options }, signal);
    },
    async apply(text, findings, own) {
      const { signal, ...options } = sendable(object(own));
      return calls.ask({ verb: "apply", text, findings, options }, signal);
    },
    restore: async (text, own) => calls.ask({ verb: "restore", text }, known(own, ["signal"]).signal),
    async file(file, own, onProgress) {
      const { signal, ...options } = sendable(object(own));
      return calls.ask({ verb: "file", file, options }, signal, onProgress);
    },
    async value<T>(value: T, own?: ProtectOptions<string> & AbortOptions) {
      const { signal, ...options } = sendable(object(own));
      const { json, rebuilt } = walked(value, OF_VALUES);
      return rebuilt(await calls.ask<string>({ verb: "value", json, options }, signal)) as ProtectedValue<T>;
    },
    async formData(form, own) {
      if (!(form instanceof FormData)) throw invalid("form", "must be a FormData");
      const { signal, ...options } = sendable(object(own));
      return receivedForm(await calls.ask({ verb: "formData", form: [...form], options }, signal));
    },
  };
}

function sessionOf(calls: Calls): Session<"later"> {
  return {
    get size() {
      return calls.ask<number>({ verb: "session", what: "size" });
    },
    original: (replacement) => calls.ask({ verb: "original", replacement }),
    clear: () => calls.ask({ verb: "session", what: "clear" }),
    keep: () => calls.ask({ verb: "session", what: "keep" }),
    forget: () => calls.ask({ verb: "session", what: "forget" }),
  };
}

function workshopOf(calls: Calls): Workshop {
  return {
    protecting: (options) => workOf(calls, { verb: "protecting", options: sendable(options) }),
    restoring: (kind, encoding) => workOf(calls, { verb: "restoring", kind, encoding }),
    async body(body, type, options, signal) {
      const ask: Ask = { verb: "body", body: sentBody(body), type, options: sendable(options) };
      return receivedBody(await calls.ask<SentBody>(ask, signal ?? undefined));
    },
  };
}

/** Opens work in the worker. Its first step reports faulty options. */
function workOf(calls: Calls, ask: Ask): Work {
  const work = calls.next();
  const opened = calls.ask(ask, undefined, undefined, work);
  opened.catch(() => {});
  const step = async (next: Ask): Promise<string> => {
    await opened;
    return calls.ask(next);
  };
  return {
    push: (piece) => step({ verb: "push", work, piece: ownBytes(piece) }),
    finish: () => step({ verb: "finish", work }),
    free: () => void calls.ask({ verb: "free", work }).catch(() => {}),
  };
}

/** Copies a piece out of a larger buffer, which would be copied with it. */
function ownBytes(piece: string | Uint8Array): string | Uint8Array {
  return typeof piece === "string" || piece.byteLength === piece.buffer.byteLength ? piece : piece.slice();
}

/** Rejects options that cannot be handed over. */
function sendable<T extends ProtectOptions<string>>(options: T): T {
  for (const name of ["keep", "replace", "store", "onRestored"]) {
    if ((options as Record<string, unknown>)[name] !== undefined) throw invalid(name, "cannot be handed to a worker; use `createProtector` in the page");
  }
  return options;
}

/** A URL as what can be handed over. */
function sent<T>(source: T | URL): T | string {
  return source instanceof URL ? source.href : source;
}

function start(): Worker {
  if (typeof Worker === "undefined") {
    throw new TextveilError("not_loaded", "there are no Web Workers here; use the verbs of `textveil`");
  }
  return new Worker(new URL("./worker-script.js", import.meta.url), { type: "module", name: "textveil" });
}

/** The calls without an answer yet. */
class Calls {
  readonly #worker: Worker;
  readonly #waiting = new Map<number, Waiting>();
  #last = 0;
  /** Why nothing is answered any more. */
  #ended: Error | undefined;

  constructor(worker: Worker) {
    this.#worker = worker;
    worker.onmessage = ({ data }: MessageEvent<Answer>) => this.#answer(data);
    worker.onerror = (event) => {
      event.preventDefault();
      this.#end(new TextveilError("not_loaded", "the worker could not be started, or it failed"));
    };
  }

  /** Returns the number of the next call. */
  next(): number {
    return ++this.#last;
  }

  ask<T>(ask: Ask, signal?: AbortSignal, onProgress?: OnProgress, id = this.next()): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      signal?.throwIfAborted();
      if (this.#ended !== undefined) throw this.#ended;
      this.#worker.postMessage({ id, ask });
      const abort = () => {
        this.#worker.postMessage({ id, ask: { verb: "abort" } });
        this.#waiting.delete(id);
        reject(signal?.reason as Error);
      };
      signal?.addEventListener("abort", abort, { once: true });
      const done = () => signal?.removeEventListener("abort", abort);
      this.#waiting.set(id, { resolve: resolve as (value: unknown) => void, reject, done, onProgress });
    });
  }

  /** Ends the worker and rejects whatever waits. */
  terminate(): void {
    this.#worker.terminate();
    this.#end(new DOMException("the worker was ended", "AbortError"));
  }

  #end(error: Error): void {
    this.#ended ??= error;
    for (const { reject, done } of this.#waiting.values()) {
      done();
      reject(error);
    }
    this.#waiting.clear();
  }

  #answer(answer: Answer): void {
    const waiting = this.#waiting.get(answer.id);
    if (waiting === undefined) return;
    if ("progress" in answer) return waiting.onProgress?.(answer.progress);
    this.#waiting.delete(answer.id);
    waiting.done();
    if ("refusal" in answer) {
      const { code, message, field, details } = answer.refusal;
      waiting.reject(new TextveilError(code, message, field, details));
    } else {
      waiting.resolve(answer.value);
    }
  }
}

interface Waiting {
  resolve: (value: unknown) => void;
  reject: (error: Error) => void;
  /** Lets go of the signal. */
  done: () => void;
  onProgress: OnProgress | undefined;
}
