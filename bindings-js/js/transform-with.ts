// Streams of Node, made with a `Transform` that the entry point imports: CommonJS inside an ES module cannot.

import type { Transform, TransformOptions } from "node:stream";
import { engineOf } from "./engine.js";
import { knownFormat } from "./format.js";
import { keysOf } from "./keys.js";
import type { DocumentOptions, KeyOptions, ProtectOptions, StreamOptions } from "./options.js";
import { loadFromPackage } from "./package-wasm.js";
import { withoutPlaceholder } from "./protector.js";
import { TokenMap } from "./session.js";
import { DocumentWork } from "./stream.js";

loadFromPackage();

/**
 * `protectTransform` of `textveil/node`.
 *
 * @example
 * const transform = protectTransform({ format: "csv" });
 * transform.end("name\nEmily Carter\n");
 * const text = (await transform.toArray()).join("");
 * text; // "name\n[REDACTED]\n"
 */
export type ProtectTransform = (options?: ProtectOptions<string> & KeyOptions & DocumentOptions & StreamOptions) => Transform;

/** `protectTransform` over this `Transform`. @internal */
export function transformWith(Base: new (options: TransformOptions) => Transform): ProtectTransform {
  return (options) => {
    const { key, keyVersion, previousKeys, format, encoding, signal, ...rest } = withoutPlaceholder(options);
    const engine = engineOf(keysOf({ key, keyVersion, previousKeys }), rest, new TokenMap(false));
    const work = new DocumentWork(engine.document(knownFormat(format ?? "text"), {}, { encoding, field: "stream" }));
    return new Base({
      ...(signal === undefined ? {} : { signal }),
      decodeStrings: false,
      encoding: "utf8",
      transform: (piece: string | Uint8Array, _, done) => void pass(() => work.push(piece), done),
      flush: (done) => void pass(() => work.finish(), done),
      destroy(error, done) {
        work.free();
        done(error);
      },
    });
  };
}

/** Hands on what a step gives, or why it failed. */
async function pass(step: () => string | Promise<string>, done: (error?: Error | null, text?: string) => void): Promise<void> {
  let text: string;
  try {
    text = await step();
  } catch (error) {
    return done(error as Error);
  }
  // an empty text would end a stream of strings
  done(null, text === "" ? undefined : text);
}
