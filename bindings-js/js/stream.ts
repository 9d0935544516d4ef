// Documents that arrive in pieces, as streams of the Web.

import type { OpenDocument } from "./document.js";

/** Turns pieces into text, here or in a worker. */
export interface Work {
  /** Takes the next piece and gives what is final by now. */
  push(piece: string | Uint8Array): string | Promise<string>;
  /** Gives the rest. */
  finish(): string | Promise<string>;
  /** Frees what the work holds; nothing is called after it. */
  free(): void;
}

/** Work on a document, which may have to be opened first. */
export class DocumentWork implements Work {
  #document: OpenDocument | Promise<OpenDocument>;
  #isFreed = false;

  constructor(document: OpenDocument | Promise<OpenDocument>) {
    this.#document = document;
    if (!(document instanceof Promise)) return;
    document.then(
      (opened) => {
        this.#document = opened;
        if (this.#isFreed) opened.free();
      },
      // the next call gets the error
      () => {},
    );
  }

  push(piece: string | Uint8Array): string | Promise<string> {
    return this.#on((document) => document.push(piece));
  }

  finish(): string | Promise<string> {
    return this.#on((document) => document.finish());
  }

  free(): void {
    if (!this.#isFreed && !(this.#document instanceof Promise)) this.#document.free();
    this.#isFreed = true;
  }

  #on(step: (document: OpenDocument) => string): string | Promise<string> {
    return this.#document instanceof Promise ? this.#document.then(step) : step(this.#document);
  }
}

/**
 * A `TransformStream` over work, which is freed however the stream ends: closed, failed, cancelled or aborted.
 *
 * Written by hand, since a transformer hears of a cancelled stream in the newest runtimes only.
 */
export function streamOf(work: Work, signal?: AbortSignal): TransformStream<string | Uint8Array, string> {
  let output!: ReadableStreamDefaultController<string>;
  let input!: WritableStreamDefaultController;
  let wanted: (() => void) | undefined;
  let ended = false;

  // both sides have ended before, as the application may be told by `free`, and throw
  const end = () => {
    ended = true;
    signal?.removeEventListener("abort", abort);
    wanted?.();
    work.free();
  };
  const fail = (reason: unknown) => {
    if (ended) return;
    output.error(reason);
    input.error(reason);
    end();
  };
  const abort = () => fail(signal?.reason);
  const step = async (text: () => string | Promise<string>) => {
    try {
      const out = await text();
      // it may have been aborted meanwhile
      if (!ended && out !== "") output.enqueue(out);
    } catch (error) {
      fail(error);
      throw error;
    }
  };

  const readable = new ReadableStream<string>(
    {
      start: (controller) => void (output = controller),
      pull: () => wanted?.(),
      cancel(reason) {
        if (ended) return;
        input.error(reason);
        end();
      },
    },
    { highWaterMark: 0 },
  );
  const writable = new WritableStream<string | Uint8Array>({
    start: (controller) => void (input = controller),
    async write(piece) {
      await step(() => work.push(piece));
      // no more is taken before somebody reads
      while (!ended && (output.desiredSize ?? 0) < 0) await new Promise<void>((done) => (wanted = done));
    },
    async close() {
      await step(() => work.finish());
      if (ended) return;
      output.close();
      end();
    },
    abort: fail,
  });
  if (signal?.aborted) abort();
  else signal?.addEventListener("abort", abort, { once: true });
  return { readable, writable };
}
