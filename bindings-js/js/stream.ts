// Streams over the engine's own.

import { call } from "./instance.js";
import type { ProtectStream } from "../wasm/textveil.js";

/** Half of a character, cut off where one piece of text ends. */
const HALF = /[\uD800-\uDBFF]$/;

/** A `TransformStream` over a stream of the engine, which it frees at the end. */
export function protectStreamWith(stream: ProtectStream): TransformStream<string | Uint8Array, string> {
  const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  let held = "";
  return new TransformStream<string | Uint8Array, string>({
    transform(chunk, controller) {
      const text = held + (typeof chunk === "string" ? chunk : decoder.decode(chunk, { stream: true }));
      held = HALF.exec(text)?.[0] ?? "";
      send(controller, call(() => stream.push(text.slice(0, text.length - held.length))));
    },
    flush(controller) {
      send(controller, call(() => stream.push(held + decoder.decode()) + stream.finish()));
      stream.free();
    },
  });
}

function send(controller: TransformStreamDefaultController<string>, text: string): void {
  if (text !== "") controller.enqueue(text);
}
