// Values of any shape: walked, written as JSON for the readers of documents, and put together again.

import { readWhole } from "./document.js";
import type { Engine } from "./engine.js";
import { invalid, TextveilError } from "./error.js";
import type { AbortOptions, ProtectOptions } from "./options.js";

/**
 * A protected value: of the same shape, with strings where something was replaced.
 *
 * @example
 * const { name, n } = await protectValue({ name: "Emily Carter", n: 7 });
 * [name, n]; // ["[REDACTED]", 7]
 */
export type ProtectedValue<T> = 0 extends 1 & T
  ? T
  : T extends string
    ? string
    : T extends boolean | null | undefined
      ? T
      : T extends number | bigint | symbol | Date | RegExp | URL | URLSearchParams
        ? T | string
        : T extends Error
          ? Error
          : T extends ReadonlyMap<infer Key, infer Item>
            ? Map<ProtectedValue<Key>, ProtectedValue<Item>>
            : T extends ReadonlySet<infer Item>
              ? Set<ProtectedValue<Item>>
              : T extends object
                ? { [Name in keyof T]: ProtectedValue<T[Name]> }
                : unknown;

/** Bounds of a walk, and the replacement of a value beyond them. @internal */
export interface Bounds {
  /** Levels of values inside values. */
  depth: number;
  /** Values in all. */
  values: number;
  /** Text in all, in UTF-16 units. */
  length: number;
  /** Returns the replacement, or throws. */
  beyond(bound: "depth" | "values" | "length"): string;
}

/** Whether a value is the host's own, such as the number of a trace, and stays as it is. @internal */
export type IsOwn = (key: string, value: unknown) => boolean;

/** A value as JSON, and the way back. @internal */
export interface Walked {
  json: string;
  /** Puts the value together again, from the JSON with its replacements. */
  rebuilt(json: string): unknown;
}

/** Replacements of values that cannot be read. */
const CIRCULAR = "[circular]";
const BINARY = "[binary]";
const UNREADABLE = "[unreadable]";

/** Most levels of a caller's value: the walk needs some frames of the stack for each. */
const LEVELS = 500;

/** The bounds of a caller's value: one that is too deep is an error. @internal */
export const OF_VALUES: Bounds = {
  depth: LEVELS,
  values: Infinity,
  length: Infinity,
  beyond() {
    throw invalid("value", `must have at most ${LEVELS} levels`);
  },
};

/**
 * Walks a value.
 *
 * Objects become lists of objects with one key each. So keys label their values for the readers of documents, and of two
 * keys that become the same none is lost.
 *
 * @internal
 */
export function walked(value: unknown, bounds: Bounds, isOwn?: IsOwn): Walked {
  const { json, rebuilt } = new Walk(bounds, isOwn).node("", value, 0);
  return {
    json: JSON.stringify([json]),
    rebuilt: (read) => rebuilt((JSON.parse(read) as Json[])[0] ?? null),
  };
}

/** Protects a value. @internal */
export async function protectValueWith<T>(
  engine: Engine,
  value: T,
  { signal, ...options }: ProtectOptions<string> & AbortOptions,
): Promise<ProtectedValue<T>> {
  signal?.throwIfAborted();
  const { json, rebuilt } = walked(value, OF_VALUES);
  return rebuilt(await protectJson(engine, json, options)) as ProtectedValue<T>;
}

/** Protects the JSON of a walked value. @internal */
export async function protectJson(engine: Engine, json: string, options: ProtectOptions<string>): Promise<string> {
  return readWhole(await engine.document("json", options, { field: "value" }), json);
}

type Json = string | null | Json[] | { [key: string]: Json };

/** A walked value. */
interface Node {
  json: Json;
  rebuilt(read: Json): unknown;
}

/** A key, and the way to its value: a getter may throw. */
type Entry = [key: unknown, read: () => unknown];

class Walk {
  readonly #bounds: Bounds;
  readonly #isOwn: IsOwn;
  /** The objects around the current value. */
  readonly #open = new Set<object>();
  #values = 0;
  #length = 0;

  constructor(bounds: Bounds, isOwn: IsOwn = () => false) {
    this.#bounds = bounds;
    this.#isOwn = isOwn;
  }

  node(key: string, value: unknown, depth: number): Node {
    this.#values += 1;
    if (this.#values > this.#bounds.values) return kept(this.#bounds.beyond("values"));
    if (this.#isOwn(key, value)) return kept(value);
    switch (typeof value) {
      case "string":
      case "number":
      case "bigint":
      case "symbol":
        return this.#text(String(value), value);
      case "object":
        return value === null ? kept(value) : this.#object(value, depth);
      case "function":
        return kept(undefined);
      default:
        return kept(value);
    }
  }

  #text(given: string, value: unknown): Node {
    this.#length += given.length;
    if (this.#length > this.#bounds.length) return kept(this.#bounds.beyond("length"));
    const text = wellFormed(given);
    return { json: text, rebuilt: (read) => (read === text ? value : read) };
  }

  #object(value: object, depth: number): Node {
    if (this.#open.has(value)) return kept(CIRCULAR);
    if (depth >= this.#bounds.depth) return kept(this.#bounds.beyond("depth"));
    this.#open.add(value);
    try {
      return this.#opened(value, depth + 1);
    } catch (error) {
      if (error instanceof TextveilError) throw error;
      return kept(UNREADABLE);
    } finally {
      this.#open.delete(value);
    }
  }

  #opened(value: object, depth: number): Node {
    const kind = Object.prototype.toString.call(value).slice("[object ".length, -1);
    if (value instanceof Error || kind === "Error") return this.#entries(entriesOfError(value), depth, errorOf);
    if (ArrayBuffer.isView(value)) return kept(BINARY);
    switch (kind) {
      case "Array":
        return this.#items(value as unknown[], depth, (items) => items);
      case "Set":
        return this.#items([...(value as Set<unknown>)], depth, (items) => new Set(items));
      case "Map":
        return this.#entries(entriesOfMap(value as Map<unknown, unknown>), depth, (entries) => new Map(entries));
      case "Date":
        return this.#text(String((value as Date).toJSON()), value);
      case "RegExp":
      case "URL":
      case "URLSearchParams":
        return this.#text(String(value), value);
      case "String":
      case "Number":
      case "BigInt":
      case "Boolean":
      case "Symbol":
        return this.node("", value.valueOf(), depth);
      case "ArrayBuffer":
      case "SharedArrayBuffer":
      case "Blob":
      case "File":
        return kept(BINARY);
      default:
        return this.#plain(value, depth);
    }
  }

  #plain(value: object, depth: number): Node {
    const { toJSON } = value as { toJSON?: unknown };
    const written: unknown = typeof toJSON === "function" ? toJSON.call(value, "") : value;
    if (written !== value) return this.node("", written, depth);
    return this.#entries(entriesOf(value, Object.keys(value)), depth, objectOf);
  }

  #items<T>(items: unknown[], depth: number, make: (items: unknown[]) => T): Node {
    // a hole is read as undefined
    const nodes = Array.from(items, (item) => this.node("", item, depth));
    return {
      json: nodes.map(({ json }) => json),
      rebuilt: (read) => make(nodes.map((node, at) => node.rebuilt((read as Json[])[at] ?? null))),
    };
  }

  #entries<T>(entries: Entry[], depth: number, make: (entries: [unknown, unknown][]) => T): Node {
    const nodes = entries.map(([key, read]) => (isObject(key) ? this.#pair(key, read, depth) : this.#entry(key, read, depth)));
    return {
      json: nodes.map(({ json }) => json),
      rebuilt: (read) => make(nodes.map((node, at) => node.rebuilt((read as Json[])[at] ?? null) as [unknown, unknown])),
    };
  }

  #entry(key: unknown, read: () => unknown, depth: number): Node {
    const name = wellFormed(String(key));
    this.#length += name.length;
    const item = this.#read(name, read, depth);
    return {
      json: { [name]: item.json },
      rebuilt(written) {
        const [changed, inside] = Object.entries(written as Record<string, Json>)[0] ?? [name, null];
        return [changed === name ? key : changed, item.rebuilt(inside)];
      },
    };
  }

  /** A key of a map that is a value of its own. */
  #pair(key: object, read: () => unknown, depth: number): Node {
    return this.#items([key, read()], depth, (pair) => pair);
  }

  #read(name: string, read: () => unknown, depth: number): Node {
    let value: unknown;
    try {
      value = read();
    } catch {
      return kept(UNREADABLE);
    }
    return this.node(name, value, depth);
  }
}

/** A value that is not read. */
function kept(value: unknown): Node {
  return { json: null, rebuilt: () => value };
}

function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}

/** A text without halves of characters, which JSON cannot have. */
function wellFormed(text: string): string {
  return text.replaceAll(/\p{Surrogate}/gu, "\ufffd");
}

function entriesOf(value: object, keys: readonly string[]): Entry[] {
  return keys.map((key) => [key, () => (value as Record<string, unknown>)[key]]);
}

function entriesOfMap(map: Map<unknown, unknown>): Entry[] {
  return [...map].map(([key, value]) => [key, () => value]);
}

/** Properties of errors that are not enumerable. */
const OF_ERRORS = ["name", "message", "stack", "cause", "errors"];

function entriesOfError(error: object): Entry[] {
  return entriesOf(error, [...new Set([...OF_ERRORS.filter((key) => key in error), ...Object.keys(error)])]);
}

/** Makes an object; of several keys that became the same, the later ones have a number. */
function objectOf(entries: [unknown, unknown][]): object {
  const counts = new Map<string, number>();
  return Object.fromEntries(
    entries.map(([key, value]) => {
      const name = String(key);
      const count = (counts.get(name) ?? 0) + 1;
      counts.set(name, count);
      return [count === 1 ? name : `${name} ${count}`, value];
    }),
  );
}

/** Makes a plain error: methods of a class of its own could give what was replaced. */
function errorOf(entries: [unknown, unknown][]): Error {
  const error = new Error();
  for (const [key, value] of Object.entries(objectOf(entries))) {
    Object.defineProperty(error, key, { value, enumerable: !OF_ERRORS.includes(key), configurable: true, writable: true });
  }
  return error;
}
