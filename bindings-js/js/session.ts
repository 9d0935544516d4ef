// The replacements of a session with their originals: in memory and, where it has a name, in a store.

import { invalid, TextveilError } from "./error.js";
import type { Replaceable, SessionStore } from "./options.js";
import type { ProtectedEntity } from "./types.js";

/** A hash or a token. Any other replacement may stand for several originals. */
const REPLACEMENT = /^(?:tok_[a-z0-9_]+|[0-9a-f]{16})$/;
/**
 * Hashes, tokens and placeholders in a text. Language models write placeholders in other cases, with spaces, with
 * Markdown escapes and with a translated type, so the number alone counts.
 */
const REPLACEMENTS = /\btok_[a-z0-9_]+|\b[0-9a-f]{16}\b|\\?\[\\?\[\s*[\p{L}\p{M}][\p{L}\p{M}\d\s_\\-]{0,80}?[\s_\\-]+(\d{1,9})\s*\\?\]\\?\]/gu;

/**
 * Whether a protector answers at once, or from a worker.
 *
 * @example
 * const protector = createProtector({ session: true }); // Protector<"now">, and of a worker Protector<"later">
 * protector.session.size; // 0
 */
export type Timing = "now" | "later";

/**
 * A result, or a promise of it where the protector is in a worker.
 *
 * @example
 * const protector = createProtector(); // or: await openWorker()
 * const { entities } = await protector.detect("Emily Carter"); // await takes both
 * entities.length; // 1
 */
export type Timed<T, When extends Timing> = When extends "later" ? Promise<T> : T;

/**
 * The values that a protector has hashed, tokenised and numbered: personal data, so drop it when you can.
 *
 * @example
 * const protector = createProtector({ session: true, mode: "hash" });
 * const { protectedText } = protector.protect("jan.novak@example.cz");
 * protector.session.original(protectedText); // "jan.novak@example.cz"
 * protector.session.clear();
 * protector.session.size; // 0
 */
export interface Session<When extends Timing = "now"> {
  /** The number of known replacements. */
  readonly size: Timed<number, When>;
  /** Returns the value that a hash, a token or a placeholder stands for. */
  original(replacement: string): Timed<string | undefined, When>;
  /** Forgets everything, in memory. */
  clear(): Timed<void, When>;
  /**
   * Keeps what is known by now in the session's store. `openProtector` with the same name and store continues it.
   *
   * Without `store`, that is this origin's IndexedDB, encrypted (AES-GCM) under a key there that no script can read.
   *
   * @throws {TextveilError} where the session has no name
   */
  keep(): Promise<void>;
  /** Forgets everything, in memory and in the store. */
  forget(): Promise<void>;
}

/** The stored state of a session. */
export interface Kept {
  /** The key of its own, in hex. */
  secret?: string | undefined;
  /** Replacements with their originals. */
  originals: [string, string][];
}

/** The store of a session, and its name there. */
export interface Place {
  name: string;
  store: SessionStore;
}

/** A session as its protector uses it. @internal */
export class TokenMap implements Session {
  /** Whether the caller asked for a session: it remembers hashes and tokens then, and not placeholders only. */
  readonly isKept: boolean;
  readonly #place: Place | undefined;
  readonly #secret: string | undefined;
  readonly #originals: Map<string, string>;
  /** The placeholders of each type and value, and the originals by number. */
  readonly #placeholders = new Map<string, string>();
  readonly #numbered = new Map<string, string>();
  /** Numbers that a text of the caller has in what looks like a placeholder. */
  readonly #taken = new Set<string>();
  #last = 0;

  constructor(isKept: boolean, place?: Place, { secret, originals }: Kept = { originals: [] }) {
    this.isKept = isKept;
    this.#place = place;
    this.#secret = secret;
    this.#originals = new Map(originals);
    for (const [replacement, original] of originals) {
      const [, type, number] = /^\[\[([A-Z0-9_]+)_(\d+)\]\]$/.exec(replacement) ?? [];
      if (type !== undefined && number !== undefined) this.#number(type, number, replacement, original);
    }
  }

  get size(): number {
    return this.#originals.size;
  }

  original(replacement: string): string | undefined {
    return this.#originals.get(replacement);
  }

  clear(): void {
    this.#originals.clear();
    this.#placeholders.clear();
    this.#numbered.clear();
    this.#taken.clear();
    this.#last = 0;
  }

  async keep(): Promise<void> {
    const { name, store } = this.#named();
    await store.set(name, JSON.stringify({ secret: this.#secret, originals: [...this.#originals] } satisfies Kept));
  }

  async forget(): Promise<void> {
    this.clear();
    if (this.#place !== undefined) await this.#place.store.delete(this.#place.name);
  }

  /** Remembers what was replaced, where the caller asked for a session. */
  record(entities: readonly ProtectedEntity[]): void {
    if (!this.isKept) return;
    for (const { original, protected: replacement } of entities) {
      if (replacement !== original && REPLACEMENT.test(replacement)) this.#originals.set(replacement, original);
    }
  }

  /** Gives no number that is in a text already: what is not ours would be restored as a value. */
  reserve(text: string): void {
    for (const [, number] of text.matchAll(REPLACEMENTS)) if (number !== undefined) this.#taken.add(number);
  }

  /** The placeholder of a value: the same for the same type and value, whichever way the value is written. */
  placeholder({ type, original, metadata }: Replaceable): string {
    const name = type.toUpperCase();
    const value = ("person" in metadata ? metadata.person : undefined) ?? metadata.normalized ?? original;
    // the forms of an e-mail address, a name and a part of it
    const known = this.#placeholders.get(`${name} ${original}`) ?? this.#placeholders.get(`${name} ${value}`);
    if (known !== undefined) return known;
    do this.#last += 1;
    while (this.#taken.has(String(this.#last)));
    const number = String(this.#last);
    const made = `[[${name}_${number}]]`;
    this.#originals.set(made, original);
    this.#number(name, number, made, original);
    this.#placeholders.set(`${name} ${value}`, made);
    return made;
  }

  /** Finds what is known in a text: hashes, tokens and placeholders. */
  *known(text: string): Generator<{ start: number; end: number; number: string | undefined; original: string }> {
    for (const { 0: written, 1: number, index } of text.matchAll(REPLACEMENTS)) {
      const original = number === undefined ? this.#originals.get(written) : this.#numbered.get(number);
      const start = index + (hasOwnBackslash(written) ? 1 : 0);
      if (original !== undefined) yield { start, end: index + written.length, number, original };
    }
  }

  #number(type: string, number: string, placeholder: string, original: string): void {
    this.#last = Math.max(this.#last, Number(number));
    this.#placeholders.set(`${type} ${original}`, placeholder);
    this.#numbered.set(number, original);
  }

  #named(): Place {
    if (this.#place !== undefined) return this.#place;
    throw new TextveilError("invalid_request", "session has no name; open it by `openProtector({ session: name })`", "session");
  }
}

/** Whether the backslash before a placeholder is of the text, as in `C:\[[NAME_1]]`: an escape escapes its end too. */
function hasOwnBackslash(written: string): boolean {
  return written.startsWith("\\") && !written.includes("\\]");
}

/** Reads the stored state of a session; undefined if it is absent. @internal */
export async function kept({ name, store }: Place): Promise<Kept | undefined> {
  const text = await store.get(name);
  if (text == null) return undefined;
  const known = parsed(text);
  const isKept = Array.isArray(known?.originals) && known.originals.every((pair) => Array.isArray(pair) && pair.length === 2 && pair.every((part) => typeof part === "string"));
  if (known === undefined || !isKept) throw invalid("store", "returned what is not a session; return the text that `set` was given");
  return known;
}

function parsed(text: unknown): Kept | undefined {
  try {
    return JSON.parse(text as string) as Kept;
  } catch {
    return undefined;
  }
}
