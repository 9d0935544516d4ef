// The keys of hashes and tokens.

import { invalid } from "./error.js";
import { call } from "./instance.js";
import type { KeyOptions } from "./options.js";
import type { Keys } from "../wasm/textveil.js";

let own: Keys | undefined;

/** The caller's keys, or those of this instance. */
export function keysOf({ key, keyVersion, previousKeys }: KeyOptions): Keys {
  if (key == null) return (own ??= open(crypto.getRandomValues(new Uint8Array(32)), 0));
  let keys = open(bytes(key), keyVersion ?? 0);
  for (const previous of previousKeys ?? []) {
    const secret = bytes(previous.key);
    keys = call(() => keys.withPrevious(previous.keyVersion, secret));
  }
  return keys;
}

function open(secret: Uint8Array, version: number): Keys {
  return call((engine) => new engine.Keys(version, secret));
}

function bytes(key: string | Uint8Array): Uint8Array {
  if (key instanceof Uint8Array) return key;
  if (typeof key !== "string" || !/^(?:[0-9a-f]{2})+$/i.test(key)) {
    throw invalid("key", "must be a Uint8Array or a string of hex digits, at least 16 bytes");
  }
  return Uint8Array.from(key.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16));
}
