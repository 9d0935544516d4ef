// A document that arrives in pieces, and comes out with nothing changed but its values.

import { Passage, type Judge, type Value } from "./passage.js";

/** Longest piece of a document that has to be held to know what it is, in UTF-16 units. */
export const LONGEST_HELD = 16 * 2 ** 20;

/** What may wait until the values before it are judged, in UTF-16 units. */
const LONGEST_WAIT = 2 ** 20;

/** Reads a document of one format and hands over what it is made of, in its order. */
export interface Reader {
  /** Takes the next piece; what it begins and does not end is held. */
  read(text: string, parts: Parts): void;
  /** Hands over the rest. */
  end(parts: Parts): void;
}

/** What a document is made of. */
export interface Parts {
  /** What stands between the values. */
  keep(raw: string): void;
  /** What may be personal data. */
  value(value: Value): void;
  /** The values so far are not read together with those behind. */
  endRecord(): void;
}

/** Writes a document anew: what stays as it is, and values once they are judged. */
class Writer implements Parts {
  readonly #passage: Passage;
  readonly #aside: Passage;
  #waiting: (string | Value)[] = [];
  /** How much was added since the last values were judged. */
  #unjudged = 0;

  constructor(judge: Judge) {
    const full = () => this.endRecord();
    this.#passage = new Passage(judge, full);
    this.#aside = new Passage(judge, full);
  }

  keep(raw: string): void {
    if (raw !== "") this.#add(raw, raw.length);
  }

  value(value: Value): void {
    (value.aside ? this.#aside : this.#passage).add(value);
    this.#add(value, value.raw.length);
  }

  endRecord(): void {
    this.#passage.judge();
    this.#aside.judge();
    this.#unjudged = 0;
  }

  /** What waits stays small: one value that nothing is read with would hold the whole document behind it. */
  #add(item: string | Value, length: number): void {
    this.#waiting.push(item);
    this.#unjudged += length;
    if (this.#unjudged > LONGEST_WAIT) this.endRecord();
  }

  /** What is final by now. */
  take(): string {
    let final = 0;
    let out = "";
    for (const item of this.#waiting) {
      if (typeof item === "string") out += item;
      else if (item.isJudged) out += item.written();
      else break;
      final += 1;
    }
    this.#waiting = this.#waiting.slice(final);
    return out;
  }
}

/** Protects a document that arrives in pieces; the same for every format. */
export interface Document {
  /** Takes the next piece and gives what is final by now, protected. */
  push(text: string): string;
  /** Gives the rest. */
  finish(): string;
}

/** A document of which only values change. */
export function structured(reader: Reader, judge: Judge): Document {
  const writer = new Writer(judge);
  return {
    push(text) {
      reader.read(text, writer);
      return writer.take();
    },
    finish() {
      reader.end(writer);
      writer.endRecord();
      return writer.take();
    },
  };
}
