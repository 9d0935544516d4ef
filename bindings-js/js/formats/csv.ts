// Tables: comma-separated values and the like (RFC 4180), kept as they are, except the cells that change.

import { TextveilError } from "../error.js";
import { LONGEST_HELD, type Parts, type Reader } from "./document.js";
import { Value } from "./passage.js";

const QUOTE = 34;
const NEWLINE = 10;
const DELIMITERS = [",", ";", "\t", "|"];

/** Where the reader stands: at the start of a cell, in one of two kinds, or behind a quote inside the second. */
type State = "start" | "plain" | "quoted" | "quote";

/**
 * The rows of a table. The delimiter is the one that the first line has most of. The first row names the columns;
 * it is read as a row too, since a table need not have a header.
 */
export class Csv implements Reader {
  #delimiter: string | undefined;
  #names: string[] | undefined;
  #line = 1;
  /** The row that has not ended yet, and how far it was looked at. */
  #row = "";
  #seen = 0;
  #lines = 0;
  #cell = 0;
  #cells: { start: number; end: number }[] = [];
  #state: State = "start";

  read(text: string, parts: Parts): void {
    this.#row += text;
    if (this.#delimiter === undefined) {
      const line = this.#row.indexOf("\n");
      if (line < 0 && this.#row.length < LONGEST_HELD) return;
      this.#delimiter = likelyDelimiter(line < 0 ? this.#row : this.#row.slice(0, line));
    }
    this.#scan(this.#delimiter.charCodeAt(0), parts);
    if (this.#row.length > LONGEST_HELD) throw this.#unclosed();
  }

  end(parts: Parts): void {
    this.#delimiter ??= likelyDelimiter(this.#row);
    this.#scan(this.#delimiter.charCodeAt(0), parts);
    if (this.#state === "quoted") throw this.#unclosed();
    if (this.#row !== "") this.#endRow(this.#row.length, parts);
  }

  #scan(delimiter: number, parts: Parts): void {
    while (this.#seen < this.#row.length) {
      const code = this.#row.charCodeAt(this.#seen);
      this.#seen += 1;
      if (code === NEWLINE) this.#lines += 1;
      this.#state = this.#next(code, delimiter);
      if (code === NEWLINE && this.#state !== "quoted") this.#endRow(this.#seen, parts);
    }
  }

  #next(code: number, delimiter: number): State {
    const state = this.#state;
    if (state === "quoted") return code === QUOTE ? "quote" : "quoted";
    if (code === QUOTE && (state === "quote" || state === "start")) return "quoted";
    if (code !== delimiter) return "plain";
    this.#cells.push({ start: this.#cell, end: this.#seen - 1 });
    this.#cell = this.#seen;
    return "start";
  }

  /** Hands over the row that ends at `end`, its line break included. */
  #endRow(end: number, parts: Parts): void {
    const raw = this.#row.slice(0, end);
    this.#cells.push({ start: this.#cell, end: Math.max(this.#cell, raw.replace(/[\r\n]+$/, "").length) });
    const texts = this.#cells.map(({ start, end }) => decode(raw.slice(start, end)));
    let done = 0;
    for (const [column, { start, end }] of this.#cells.entries()) {
      const cell = raw.slice(start, end);
      parts.keep(raw.slice(done, start));
      const label = this.#names?.[column];
      parts.value(new Value(cell, texts[column] ?? "", (text) => this.#encode(cell, text), { label }));
      done = end;
    }
    parts.keep(raw.slice(done));
    parts.endRecord();
    this.#names ??= texts.map((text) => text.replace(/^\uFEFF/, ""));
    this.#row = this.#row.slice(end);
    this.#line += this.#lines;
    this.#seen = this.#lines = this.#cell = 0;
    this.#cells = [];
    this.#state = "start";
  }

  #encode(old: string, text: string): string {
    const quote = old.startsWith('"') || text.includes(this.#delimiter ?? ",") || /["\r\n]/.test(text);
    return quote ? `"${text.replaceAll('"', '""')}"` : text;
  }

  #unclosed(): TextveilError {
    return new TextveilError("invalid_request", `line ${this.#line} opens a quote that is not closed`, "format");
  }
}

function decode(raw: string): string {
  return raw.length > 1 && raw.startsWith('"') && raw.endsWith('"') ? raw.slice(1, -1).replaceAll('""', '"') : raw;
}

/** Of equals the first, which is the comma. */
function likelyDelimiter(line: string): string {
  const plain = line.replaceAll(/"[^"]*"?/g, "");
  const counts = DELIMITERS.map((delimiter) => plain.split(delimiter).length);
  return DELIMITERS[counts.indexOf(Math.max(...counts))] ?? ",";
}
