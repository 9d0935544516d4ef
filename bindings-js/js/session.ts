// What stands for what: a session's map, in memory and, where it has a name, in IndexedDB.

import { TextveilError } from "./error.js";
import type { ProtectedEntity } from "./types.js";
import { discard, read, write } from "./vault.js";

/** What a hash or a token looks like. Anything else may stand for several originals. */
const REPLACEMENT = /^(?:tok_[a-z0-9_]+|[0-9a-f]{16})$/;
const REPLACEMENTS = /\btok_[a-z0-9_]+|\b[0-9a-f]{16}\b/g;

/** What a protector has hashed and tokenised since it was made: personal data, so let go of it when you can. */
export interface Session {
  /** How many replacements it knows. */
  readonly size: number;
  /** What a hash or a token stands for. */
  original(replacement: string): string | undefined;
  /** Forgets everything, in memory. */
  clear(): void;
  /**
   * Keeps what is known by now in this origin's IndexedDB, encrypted (AES-GCM) under a key there that no script can
   * read. `openProtector` with the same name goes on with it.
   *
   * @throws {TextveilError} where the session has no name
   */
  keep(): Promise<void>;
  /** Forgets everything, here and in IndexedDB. */
  forget(): Promise<void>;
}

/** A session as its protector uses it. @internal */
export class TokenMap implements Session {
  readonly #name: string | undefined;
  readonly #secret: string | undefined;
  readonly #originals: Map<string, string>;

  /**
   * @param name under which it is kept
   * @param secret the key of its own, in hex
   */
  constructor(name?: string, secret?: string, originals: readonly (readonly [string, string])[] = []) {
    this.#name = name;
    this.#secret = secret;
    this.#originals = new Map(originals);
  }

  get size(): number {
    return this.#originals.size;
  }

  original(replacement: string): string | undefined {
    return this.#originals.get(replacement);
  }

  clear(): void {
    this.#originals.clear();
  }

  async keep(): Promise<void> {
    await write(this.#named(), JSON.stringify({ secret: this.#secret, originals: [...this.#originals] }));
  }

  async forget(): Promise<void> {
    this.clear();
    if (this.#name !== undefined) await discard(this.#name);
  }

  /** Remembers what was replaced. */
  record(entities: readonly ProtectedEntity[]): void {
    for (const { original, protected: replacement } of entities) {
      if (replacement !== original && REPLACEMENT.test(replacement)) this.#originals.set(replacement, original);
    }
  }

  /** The text with what is known turned back, and how much that was. */
  restore(text: string): { text: string; restored: number } {
    let restored = 0;
    const back = text.replaceAll(REPLACEMENTS, (replacement) => {
      const original = this.#originals.get(replacement);
      if (original !== undefined) restored += 1;
      return original ?? replacement;
    });
    return { text: back, restored };
  }

  #named(): string {
    if (this.#name !== undefined) return this.#name;
    throw new TextveilError("invalid_request", "session has no name; open it by `openProtector({ session: name })`", "session");
  }
}

/** What was kept of a session; undefined where there is none. @internal */
export async function kept(name: string): Promise<{ secret?: string; originals: [string, string][] } | undefined> {
  const text = await read(name);
  return text === undefined ? undefined : JSON.parse(text);
}
