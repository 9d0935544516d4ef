// From the values of a document to texts that the engine judges, and back.
//
// The values of a record are read together, one a line and each behind the name of its column or key:
// `pesel: 44051401359`. So the name speaks for its value, and one value for the country of the next.

import type { ProtectedEntity } from "../types.js";

/** Finds the personal data in a text, and what stands in its place; offsets count UTF-16 units. */
export type Judge = (text: string) => readonly ProtectedEntity[];

/** From this length on, values are judged without waiting for more, in UTF-16 units. A longer value is not cut. */
const LONGEST = 50_000;

/** How a value stands in its document. */
export interface Place {
  /** The name of its column or key. */
  label?: string | undefined;
  /** What stands between it and the value before it; a line break when absent. */
  gap?: string;
  /** It stands beside the text, so that what is before it and behind it is read without it. */
  aside?: boolean;
}

/** A replacement inside a value, in UTF-16 units of it. */
export interface Edit {
  start: number;
  end: number;
  replacement: string;
}

/** A value of a document. */
export class Value {
  readonly label: string;
  readonly gap: string;
  readonly aside: boolean;
  /** In the order of their places. */
  readonly edits: Edit[] = [];
  /** Whether its findings are known. */
  isJudged = true;
  readonly #encode: (text: string) => string;

  /**
   * @param raw how it is written in the document
   * @param text what it says, without quotes and escapes
   * @param encode how another text has to be written in its place
   */
  constructor(
    readonly raw: string,
    readonly text: string,
    encode: (text: string) => string,
    { label = "", gap = "\n", aside = false }: Place = {},
  ) {
    this.#encode = encode;
    this.label = label;
    this.gap = gap;
    this.aside = aside;
  }

  /** As it is to be written, once it is judged. */
  written(): string {
    return this.edits.length === 0 ? this.raw : this.#encode(edited(this.text, this.edits));
  }
}

/** The text with its edits, which are ordered and do not overlap. */
export function edited(text: string, edits: readonly Edit[]): string {
  let out = "";
  let done = 0;
  for (const { start, end, replacement } of edits) {
    out += text.slice(done, start) + replacement;
    done = end;
  }
  return out + text.slice(done);
}

/** A text for one call, and where in it the values are. */
export class Passage {
  readonly #judge: Judge;
  readonly #full: () => void;
  #text = "";
  #parts: Part[] = [];

  /** @param full has at least this passage judged, since no more fits in */
  constructor(judge: Judge, full: () => void = () => this.judge()) {
    this.#judge = judge;
    this.#full = full;
  }

  /** Adds a value. Where it does not fit any more, what is there is judged first. */
  add(value: Value): void {
    const { text, gap } = value;
    if (text.trim() === "") return;
    const label = readable(value.label);
    const lead = label === "" ? "" : `${label}: `;
    if (this.#text.length + gap.length + lead.length + text.length > LONGEST) this.#full();
    if (this.#parts.length > 0) this.#text += gap;
    this.#text += lead;
    this.#parts.push({ value, at: this.#text.length });
    this.#text += text;
    value.isJudged = false;
  }

  /** Has everything judged that was added. */
  judge(): void {
    const parts = this.#parts;
    if (parts.length === 0) return;
    const entities = this.#judge(this.#text);
    this.#text = "";
    this.#parts = [];
    let first = 0;
    for (const { start, end, protected: replacement } of entities) {
      while (first < parts.length && ends(parts[first]) <= start) first += 1;
      // where a finding goes over several values, the first takes the replacement
      let rest = replacement;
      for (let index = first; index < parts.length && (parts[index] as Part).at < end; index += 1) {
        const part = parts[index] as Part;
        const from = Math.max(start, part.at) - part.at;
        const to = Math.min(end, ends(part)) - part.at;
        part.value.edits.push({ start: from, end: to, replacement: rest });
        rest = "";
      }
    }
    for (const { value } of parts) value.isJudged = true;
  }
}

/** A value inside a passage. */
interface Part {
  value: Value;
  /** Where it starts in the passage. */
  at: number;
}

function ends(part: Part | undefined): number {
  return part === undefined ? 0 : part.at + part.value.text.length;
}

/**
 * A column's name as people would write it before a value. One with digits in it is left out: the first row of a
 * table without a header would lend its numbers to every other.
 */
function readable(label: string): string {
  if (label.length > 100 || /[\p{N}@]/u.test(label)) return "";
  return label.split(/[\s_-]+/u).filter((word) => word !== "").join(" ");
}
