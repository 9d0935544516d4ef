// The engine in a Web Worker: whatever it does, the page stays awake.

import type { OnProgress, ProtectedFile } from "./file.js";
import { TextveilError } from "./error.js";
import type { CryptoKeyOptions, FileOptions, Finding, FindingToApply, ProtectOptions } from "./options.js";
import type { DetectOptions, DetectResponse, ProtectResponse, RestoreResponse } from "./types.js";
import type { Answer, Ask } from "./worker-messages.js";

/** A protector in a worker of its own: the verbs of `Protector`, each with a promise. Callbacks cannot be handed over. */
export interface WorkerProtector {
  /** `detect`, beside the page. */
  detect(text: string, options?: DetectOptions): Promise<DetectResponse>;
  /** `find`, beside the page. */
  find(text: string, options?: DetectOptions): Promise<Finding[]>;
  /** `apply`, beside the page. */
  apply(text: string, findings: readonly FindingToApply[], options?: ProtectOptions): Promise<ProtectResponse>;
  /** `protect`, beside the page. */
  protect(text: string, options?: ProtectOptions): Promise<ProtectResponse>;
  /** `restore`, beside the page. */
  restore(text: string): Promise<RestoreResponse>;
  /** `protectFile`, beside the page. */
  file(file: Blob, options?: FileOptions, onProgress?: OnProgress): Promise<ProtectedFile>;
  /** Ends the worker. Whatever it has not answered is rejected. */
  terminate(): void;
}

/** Options of `openWorker`: those of all its calls, and where things are. */
export interface WorkerOptions extends ProtectOptions, CryptoKeyOptions {
  /** Where the WebAssembly is, or it compiled, if not where the bundler put it. */
  wasm?: URL | string | BufferSource | WebAssembly.Module | undefined;
  /** Whether names, addresses and organisations are found, as in `init`: `true` when absent. */
  names?: boolean | URL | string | BufferSource | WebAssembly.Module | undefined;
  /** A worker that runs `textveil/worker-script`, for pages that make it themselves. */
  worker?: Worker | undefined;
}

/**
 * Starts a worker and loads the engine in it.
 *
 * @throws {TextveilError} as `createProtector`; `not_loaded` where the worker cannot be started
 * @example
 * const worker = await openWorker({ mode: "mask" });
 * (await worker.protect("Dear Emily Carter")).protected_text; // "Dear ************"
 * worker.terminate();
 */
export async function openWorker(options: WorkerOptions = {}): Promise<WorkerProtector> {
  const { wasm, names = true, worker = start(), ...rest } = options;
  const calls = new Calls(worker);
  try {
    await calls.ask({ verb: "open", options: rest, wasm: sent(wasm), names: sent(names) });
  } catch (error) {
    worker.terminate();
    throw error;
  }
  return {
    detect: (text, own) => calls.ask({ verb: "detect", text, options: own }),
    find: async (text, own) => (await calls.ask<DetectResponse>({ verb: "detect", text, options: own })).entities,
    apply: (text, findings, own) => calls.ask({ verb: "apply", text, findings, options: own }),
    protect: (text, own) => calls.ask({ verb: "protect", text, options: own }),
    restore: (text) => calls.ask({ verb: "restore", text }),
    file: (file, { signal, ...own } = {}, onProgress) =>
      calls.ask({ verb: "file", file, options: own }, signal, onProgress),
    terminate() {
      worker.terminate();
      calls.end(new DOMException("the worker was ended", "AbortError"));
    },
  };
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

/** What was asked and is not answered yet. */
class Calls {
  readonly #worker: Worker;
  readonly #waiting = new Map<number, Waiting>();
  #last = 0;

  constructor(worker: Worker) {
    this.#worker = worker;
    worker.onmessage = ({ data }: MessageEvent<Answer>) => this.#answer(data);
    worker.onerror = (event) => {
      event.preventDefault();
      this.end(new TextveilError("not_loaded", "the worker could not be started, or it failed"));
    };
  }

  ask<T>(ask: Ask, signal?: AbortSignal, onProgress?: OnProgress): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      signal?.throwIfAborted();
      const id = ++this.#last;
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

  /** Rejects whatever waits. */
  end(error: Error): void {
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
