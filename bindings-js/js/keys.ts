// The keys of hashes and tokens.

import { known } from "./call.js";
import { invalid } from "./error.js";
import { call, isLoaded } from "./instance.js";
import type { CryptoKeyOptions, KeyOptions } from "./options.js";
import type { Keys } from "../wasm/textveil.js";

/** The purpose that a secret is derived for, so that it is of no use elsewhere. */
const PURPOSE = new TextEncoder().encode("textveil hashes and tokens");

let own: Keys | undefined;

/** Gives keys, when they are needed. */
export type KeySource = () => Keys;

/**
 * The caller's keys, or those of this instance, which are made when they are first asked for: an isolate at the edge
 * has no randomness before its first request.
 */
export function keysOf({ key, keyVersion, previousKeys }: KeyOptions): KeySource {
  if (key == null) {
    // without it they would be ignored
    if (keyVersion != null || (previousKeys ?? []).length > 0) throw invalid("key", "is missing; keyVersion and previousKeys need it");
    return () => (own ??= open(randomSecret(), 0));
  }
  const [secret, others] = [bytes(key), listed(previousKeys).map((one) => ({ ...one, key: bytes(one.key) }))];
  const opened = () => {
    let all = open(secret, keyVersion ?? 0);
    for (const other of others) all = call(() => all.withPrevious(other.keyVersion, other.key));
    return all;
  };
  let keys = isLoaded() ? opened() : undefined;
  return () => (keys ??= opened());
}

function listed<T extends object>(keys: readonly T[] | undefined): readonly T[] {
  if (keys != null && !Array.isArray(keys)) throw invalid("previousKeys", "must be a list");
  return (keys ?? []).map((one, at) => known(one, ["key", "keyVersion"], `previousKeys[${at}].`));
}

/** The same keys, with bytes in place of keys of the Web Cryptography API. */
export async function withSecrets({ key, keyVersion, previousKeys }: CryptoKeyOptions): Promise<KeyOptions> {
  const previous = listed(previousKeys).map(async (one) => ({ ...one, key: await secretOf(one.key) }));
  return {
    key: key == null ? undefined : await secretOf(key),
    keyVersion,
    previousKeys: await Promise.all(previous),
  };
}

/** Returns random bytes, enough for a key. */
export function randomSecret(): Uint8Array {
  return crypto.getRandomValues(new Uint8Array(32));
}

async function secretOf(key: string | Uint8Array | CryptoKey): Promise<string | Uint8Array> {
  if (typeof CryptoKey === "undefined" || !(key instanceof CryptoKey)) return key as string | Uint8Array;
  const { name } = key.algorithm;
  try {
    if (name === "HMAC") return new Uint8Array(await crypto.subtle.sign("HMAC", key, PURPOSE));
    if (name !== "HKDF") return new Uint8Array(await crypto.subtle.exportKey("raw", key));
    const algorithm = { name, hash: "SHA-256", salt: new Uint8Array(), info: PURPOSE };
    return new Uint8Array(await crypto.subtle.deriveBits(algorithm, key, 256));
  } catch {
    throw invalid("key", "must be a CryptoKey for HKDF (usage deriveBits) or HMAC (usage sign), or extractable");
  }
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
