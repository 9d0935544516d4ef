// The texts of one answer with their values: each replacement is judged by where its value would go (`src/restoring.rs`).

import { invalid } from "./error.js";
import { isJson } from "./format.js";
import { call, engine } from "./instance.js";
import type { RestoreCounts, RestoreOptions } from "./options.js";
import type { Arguments, Destinations, Transcript } from "../wasm/textveil.js";

/** A replacement in a text. */
export interface Found {
  start: number;
  end: number;
  /** The value; undefined for a token of another key. */
  original: string | undefined;
  /** The number of a placeholder. */
  number?: string | undefined;
}

/** Finds the replacements in a text, in their order. */
export type Find = (text: string) => Iterable<Found>;

/** A text that arrives in pieces. */
export interface TextWork {
  /** Takes the next piece and gives what is final by now. */
  push(piece: string): string;
  /** Gives the rest. */
  finish(): string;
}

/** Decides whether a text may have the value of a placeholder. */
export type MayHave = (number: string | undefined) => boolean;

const ANYONE: MayHave = () => true;
/** The verdict on a value that stays. */
const WITHHELD = 9;

/** The name of a host, or of all below a domain. */
const HOST = /^(?:\*\.(?=.+\.[^.]))?[\w-]{1,63}(?:\.[\w-]{1,63})*\.?$/;

/** Checks the options of restoring. */
export function checkRestoring({ restoreHosts = [], onRestored }: RestoreOptions): RestoreOptions {
  if (!Array.isArray(restoreHosts) || !restoreHosts.every((host) => typeof host === "string" && HOST.test(host))) {
    throw invalid("restoreHosts", "must be a list of host names, such as [\"crm.example.com\", \"*.example.org\"]");
  }
  if (onRestored !== undefined && typeof onRestored !== "function") throw invalid("onRestored", "must be a function");
  return { restoreHosts, onRestored };
}

/** Restores the texts of one answer. Its readers join them, so a URL that is split over two of them stays a URL. */
export class Answer {
  readonly counts: RestoreCounts = { restored: 0, unknown: 0, withheld: 0 };
  readonly #find: Find;
  readonly #transcript: Transcript;
  readonly #holdsWords: boolean;
  readonly #onRestored: RestoreOptions["onRestored"];
  /** The texts that are not freed. */
  readonly #open = new Set<Destinations>();
  #isFreed = false;

  /**
   * @param options as they were checked
   * @param holdsWords whether a word at the end of a piece may be a token
   */
  constructor(find: Find, { restoreHosts = [], onRestored }: RestoreOptions, holdsWords: boolean) {
    this.#find = find;
    this.#transcript = call(() => engine().Transcript.begin(restoreHosts.join(",")));
    this.#onRestored = onRestored;
    this.#holdsWords = holdsWords;
  }

  /** Frees the answer, and tells the application what was restored; nothing is restored after it. */
  end(): void {
    if (this.#isFreed) return;
    this.free();
    this.#onRestored?.({ ...this.counts });
  }

  /** Frees an answer of which the application is not told; nothing is restored after it. */
  free(): void {
    if (this.#isFreed) return;
    this.#isFreed = true;
    for (const destinations of this.#open) destinations.free();
    this.#open.clear();
    this.#transcript.free();
  }

  /** Opens a text that readers join with those of the same lane; without one, data. */
  open(lane?: string, mayHave: MayHave = ANYONE): AnswerText {
    return this.#opened(lane, false, mayHave);
  }

  /** Opens JSON that arrives in pieces: its strings are restored. */
  openJson(lane?: string, mayHave: MayHave = ANYONE): TextWork {
    // a quotation mark ends a URL, but not one of an earlier text
    const own = this.#transcript.isInUrl() ? lane : undefined;
    return new AnswerJson(() => this.#opened(own, true, mayHave));
  }

  /** Opens the arguments of a call, which get values unless they name a host or an address that is not allowed. */
  openArguments(tool: string, mayHave: MayHave = ANYONE): TextWork {
    return new ArgumentText((text) => {
      const isData = isJson(text);
      const isForeign = this.namesForeign(isData ? (JSON.parse(text) as unknown) : text, tool);
      const may: MayHave = (number) => !isForeign && mayHave(number);
      return isData ? this.openJson(undefined, may) : this.open(undefined, may);
    }, this.#holdsWords);
  }

  /** Restores a text. */
  text(text: string, lane?: string, mayHave: MayHave = ANYONE): string {
    return whole(this.open(lane, mayHave), text);
  }

  /** Restores a string of data: if it begins with a URL, all of it is one. */
  string(text: string, mayHave: MayHave = ANYONE): string {
    return whole(this.#opened(undefined, true, mayHave), text);
  }

  /** Restores JSON in a text: the strings in it. */
  json(text: string, lane?: string, mayHave: MayHave = ANYONE): string {
    return whole(this.openJson(lane, mayHave), text);
  }

  /** Restores the strings of data. */
  values<T>(value: T, mayHave: MayHave = ANYONE): T {
    if (typeof value === "string") return this.string(value, mayHave) as T;
    if (Array.isArray(value)) return value.map((item: unknown) => this.values(item, mayHave)) as T;
    if (typeof value !== "object" || value === null || !isPlain(value)) return value;
    return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, this.values(item, mayHave)])) as T;
  }

  /** Restores the arguments of a call: data, or JSON in a string. */
  arguments<T>(value: T, tool: string, mayHave: MayHave = ANYONE): T {
    if (typeof value === "string") return whole(this.openArguments(tool, mayHave), value) as T;
    const isForeign = this.namesForeign(value, tool);
    return this.values(value, (number) => !isForeign && mayHave(number));
  }

  /** Whether arguments name in clear a host or an address that is not allowed. */
  namesForeign(value: unknown, tool: string): boolean {
    const scan = this.#transcript.arguments(tool);
    try {
      this.#scan(scan, value, undefined);
      return scan.namesForeign();
    } finally {
      scan.free();
    }
  }

  #scan(scan: Arguments, value: unknown, field: string | undefined): void {
    if (typeof value === "string") {
      scan.begin(field);
      let at = 0;
      for (const { start, end, original } of this.#find(value)) {
        if (original === undefined) continue;
        scan.text(value.slice(at, start));
        scan.value();
        at = end;
      }
      scan.text(value.slice(at));
      scan.end();
    } else if (Array.isArray(value)) {
      for (const item of value) this.#scan(scan, item, field);
    } else if (typeof value === "object" && value !== null && isPlain(value)) {
      for (const [name, item] of Object.entries(value)) {
        this.#scan(scan, name, undefined);
        this.#scan(scan, item, name);
      }
    }
  }

  #opened(lane: string | undefined, isString: boolean, mayHave: MayHave): AnswerText {
    const destinations = this.#transcript.open(lane, isString);
    this.#open.add(destinations);
    const free = () => {
      this.#open.delete(destinations);
      destinations.free();
    };
    return new AnswerText(destinations, free, this.#find, mayHave, this.counts, this.#holdsWords);
  }
}

/** Restores a text that is there as a whole. */
export function whole(work: TextWork, text: string): string {
  return work.push(text) + work.finish();
}

/** Longest word or placeholder that is held back until its end comes, in UTF-16 units. */
const LONGEST = 65_536;
/** A placeholder that has not ended. */
const PARTIAL = /\\?\[(?:\\?\[?|\\?\[[\s\p{L}\p{M}\d_\\-]{1,96}(?:\\?\]\\?)?)$/u;

/** Restores a text. A replacement waits until its end and its destination are known. */
export class AnswerText implements TextWork {
  readonly #destinations: Destinations;
  readonly #free: () => void;
  readonly #find: Find;
  readonly #mayHave: MayHave;
  readonly #counts: RestoreCounts;
  readonly #holdsWords: boolean;
  /** A beginning of a replacement. */
  #held = "";
  /** Length of the word at the end of what is held, so that a long word is not read again with each piece. */
  #word = 0;
  /** Text that was read and is not returned yet: it begins with a value whose destination is not known. */
  #waiting: (string | { written: string; original: string; number: string | undefined })[] = [];

  constructor(destinations: Destinations, free: () => void, find: Find, mayHave: MayHave, counts: RestoreCounts, holdsWords: boolean) {
    this.#destinations = destinations;
    this.#free = free;
    this.#find = find;
    this.#mayHave = mayHave;
    this.#counts = counts;
    this.#holdsWords = holdsWords;
  }

  push(piece: string): string {
    const all = this.#held + piece;
    let final = placeholderAtEnd(all);
    if (this.#holdsWords) {
      const own = wordAtEnd(piece);
      this.#word = Math.min(own === piece.length ? this.#word + own : own, LONGEST);
      final = Math.min(final, all.length - this.#word);
    } else if (all.endsWith("\\")) {
      // an escape may go on with a bracket
      final = Math.min(final, all.length - 1);
    }
    this.#held = all.slice(final);
    this.#read(all.slice(0, final));
    return this.#given();
  }

  finish(): string {
    this.#read(this.#held);
    this.#held = "";
    this.#word = 0;
    this.#destinations.end();
    const rest = this.#given();
    this.#free();
    return rest;
  }

  #read(text: string): void {
    let at = 0;
    for (const { start, end, number, original } of this.#find(text)) {
      if (original === undefined) {
        this.#counts.unknown += 1;
        continue;
      }
      this.#plain(text.slice(at, start));
      this.#destinations.value(original);
      this.#waiting.push({ written: text.slice(start, end), original, number });
      at = end;
    }
    this.#plain(text.slice(at));
  }

  #plain(text: string): void {
    if (text === "") return;
    this.#destinations.text(text);
    this.#waiting.push(text);
  }

  #given(): string {
    let out = "";
    for (let next = this.#waiting[0]; next !== undefined; next = this.#waiting[0]) {
      if (typeof next === "string") out += next;
      else {
        const verdict = this.#destinations.next();
        if (verdict === undefined) return out;
        const isWithheld = verdict === WITHHELD || !this.#mayHave(next.number);
        this.#counts[isWithheld ? "withheld" : "restored"] += 1;
        out += isWithheld ? next.written : encoded(next.original, verdict);
      }
      this.#waiting.shift();
    }
    return out;
  }
}

/** Restores the strings of JSON that arrives in pieces: each is read without its escapes, and written with them. */
class AnswerJson implements TextWork {
  readonly #open: () => TextWork;
  /** The string that is being read. */
  #string: TextWork | undefined;
  /** An escape that is cut in two. */
  #escape = "";

  constructor(open: () => TextWork) {
    this.#open = open;
  }

  push(piece: string): string {
    let out = "";
    const text = this.#escape + piece;
    this.#escape = "";
    let at = 0;
    while (at < text.length) {
      if (this.#string === undefined) {
        const quote = text.indexOf('"', at);
        const end = quote < 0 ? text.length : quote + 1;
        out += text.slice(at, end);
        at = end;
        if (quote >= 0) this.#string = this.#open();
        continue;
      }
      const plain = /[^"\\]*/y;
      plain.lastIndex = at;
      const run = plain.exec(text)?.[0] ?? "";
      out += inString(this.#string.push(run));
      at += run.length;
      if (text[at] === '"') {
        out += `${inString(this.#string.finish())}"`;
        this.#string = undefined;
        at += 1;
      } else if (text[at] === "\\") {
        const length = text[at + 1] === "u" ? 6 : 2;
        if (at + length > text.length) {
          this.#escape = text.slice(at);
          return out;
        }
        out += inString(this.#string.push(unescaped(text.slice(at, at + length))));
        at += length;
      }
    }
    return out;
  }

  finish(): string {
    const rest = this.#string === undefined ? "" : inString(this.#string.finish());
    this.#string = undefined;
    return rest + this.#escape;
  }
}

/** The arguments of a call. They wait from the first replacement on until they end, since a host may follow a value. */
class ArgumentText implements TextWork {
  readonly #open: (text: string) => TextWork;
  readonly #replacement: RegExp;
  #passed = "";
  #held = "";

  /**
   * @param open opens what restores the whole text
   * @param hasWords whether any word may be a replacement, and not placeholders only
   */
  constructor(open: (text: string) => TextWork, hasWords: boolean) {
    this.#open = open;
    this.#replacement = hasWords ? /[^]/ : /[[\\]/;
  }

  push(piece: string): string {
    const start = this.#held === "" ? piece.search(this.#replacement) : 0;
    const passed = start < 0 ? piece : piece.slice(0, start);
    this.#passed += passed;
    this.#held += piece.slice(passed.length);
    return passed;
  }

  finish(): string {
    const work = this.#open(this.#passed + this.#held);
    // it is the same: nothing in it is replaced
    work.push(this.#passed);
    return whole(work, this.#held);
  }
}

/** Writes a value as its place needs it: as it is, as text of HTML, or as a part of a URL. */
function encoded(value: string, verdict: number): string {
  if (verdict === 0) return value;
  if (verdict === 1) return value.replaceAll(/[&<>"']/g, (letter) => ENTITIES[letter] ?? letter);
  // a lone half of a character cannot be encoded
  const escaped = encodeURIComponent(value.replaceAll(/\p{Surrogate}/gu, "\ufffd"));
  const strict = escaped.replaceAll(/[!'()*]/g, (letter) => `%${letter.charCodeAt(0).toString(16).toUpperCase()}`);
  return strict.replaceAll(/%(?:40|3A|2C)/g, decodeURIComponent);
}

const ENTITIES: Record<string, string> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;" };

/** The length of the word at the end of a text. */
function wordAtEnd(text: string): number {
  let start = text.length;
  while (start > 0 && /[A-Za-z0-9_\\]/.test(text[start - 1] ?? "")) start -= 1;
  return text.length - start;
}

/** Returns the start of an unfinished placeholder at the end of a text; the text's length without one. */
function placeholderAtEnd(text: string): number {
  const near = Math.max(0, text.length - 128);
  const start = PARTIAL.exec(text.slice(near))?.index;
  return start === undefined ? text.length : near + start;
}

function inString(text: string): string {
  return text === "" ? "" : JSON.stringify(text).slice(1, -1);
}

/** Decodes an escape of JSON; an invalid one is returned as it is. */
function unescaped(escape: string): string {
  try {
    return JSON.parse(`"${escape}"`) as string;
  } catch {
    return escape;
  }
}

function isPlain(value: object): boolean {
  return [Object.prototype, null].includes(Object.getPrototypeOf(value));
}
