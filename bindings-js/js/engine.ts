// What texts, files, forms and requests are protected with: the engine, with keys, options and a session.

import { json, object, parse } from "./call.js";
import type { Document } from "./formats/document.js";
import { openDocument, type Format } from "./formats/index.js";
import { call } from "./instance.js";
import type { KeySource } from "./keys.js";
import type { TokenMap } from "./session.js";
import type { ProtectOptions, ProtectResponse } from "./types.js";
import type { Keys } from "../wasm/textveil.js";

/** A document that arrives in pieces, and what was found in it. */
export interface OpenDocument extends Document {
  /** Findings by type, so far. */
  found(): Record<string, number>;
  /** Lets go of what it holds; nothing may be called after it. */
  free(): void;
}

/** Protects; the options of a call come before those it was made with. */
export interface Engine {
  protect(text: string, options: ProtectOptions): ProtectResponse;
  document(format: Format, options: ProtectOptions): OpenDocument;
}

/** What protects with these keys and options, and tells the session. */
export function engineOf(keys: KeySource, defaults: ProtectOptions, session?: TokenMap): Engine {
  const request = (own: ProtectOptions) => json({ ...defaults, ...object(own) });

  function protect(text: string, options: string): ProtectResponse {
    const response = parse<ProtectResponse>(call(() => keys().protect(text, options)));
    response.original_text = text;
    session?.record(response.entities);
    return response;
  }

  return {
    protect: (text, own) => protect(text, request(own)),
    document(format, own) {
      const options = request(own);
      // it checks the options, too, before anything is read
      const text = call(() => keys().stream(options));
      if (format === "text") return textDocument(text);
      text.free();
      return valueDocument(format, (value) => protect(value, options));
    },
  };
}

type TextStream = ReturnType<Keys["stream"]>;

function textDocument(stream: TextStream): OpenDocument {
  return {
    push: (text) => call(() => stream.push(text)),
    finish: () => call(() => stream.finish()),
    found() {
      const { phone_number: phone, ...rest } = parse<Record<string, number>>(call(() => stream.found()));
      // as protection calls it everywhere
      return phone === undefined ? rest : { ...rest, phone };
    },
    free: () => stream.free(),
  };
}

function valueDocument(format: Exclude<Format, "text">, protect: (text: string) => ProtectResponse): OpenDocument {
  const counts: Record<string, number> = {};
  const document = openDocument(format, (text) => {
    const { entities } = protect(text);
    for (const { type } of entities) counts[type] = (counts[type] ?? 0) + 1;
    return entities;
  });
  return { ...document, found: () => ({ ...counts }), free: () => {} };
}
