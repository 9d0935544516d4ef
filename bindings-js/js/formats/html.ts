// HTML, kept as it is except for personal data, wherever it is: text, attributes, comments, scripts, styles, names.

import { TextveilError } from "../error.js";
import { LONGEST_HELD, type Parts, type Reader } from "./document.js";
import { decodeEntities, rawPlace, type Decoded } from "./entities.js";
import { readJson } from "./json.js";
import { edited, Value, type Place } from "./passage.js";

/** A text longer than this is cut at a space, in UTF-16 units. */
const LONGEST_TEXT = 32_768;

/** Elements whose content is code. */
const RAW = /^(?:script|style)$/;
/** Elements that hold text and no tags. */
const TEXT_ONLY = /^(?:textarea|title)$/;
/** Elements that do not part what stands before them from what stands behind. */
const INLINE =
  /^(?:a|abbr|b|bdi|bdo|cite|code|data|del|dfn|em|font|i|ins|kbd|mark|q|s|samp|small|span|strike|strong|sub|sup|time|tt|u|var|wbr)$/;
const CELL = /^(?:td|th)$/;

/** Attributes that hold an address. */
const ADDRESS = /^(?:action|archive|background|cite|classid|codebase|data|formaction|href|icon|longdesc|manifest|ping|poster|profile|src|usemap|xlink:href)$/;
/** Attributes that hold several addresses, each with a size. */
const ADDRESSES = /^(?:imagesrcset|srcset)$/;

/** The elements of HTML, SVG and MathML, and custom ones. Any other name may be personal data: `<jan@example.com>`. */
const KNOWN =
  /^(?:a|abbr|acronym|address|animate|area|article|aside|audio|b|base|bdi|bdo|big|blockquote|body|br|button|canvas|caption|center|circle|cite|code|col|colgroup|data|datalist|dd|defs|del|details|dfn|dialog|dir|div|dl|dt|ellipse|em|embed|fieldset|figcaption|figure|font|footer|foreignobject|form|frame|frameset|g|h[1-6]|head|header|hgroup|hr|html|i|iframe|image|img|input|ins|kbd|label|legend|li|line|lineargradient|link|main|map|mark|marquee|mask|math|menu|meta|meter|mfrac|mi|mn|mo|mrow|msqrt|msub|msup|mtable|mtd|mtext|mtr|nav|nobr|noframes|noscript|object|ol|optgroup|option|output|p|param|path|pattern|picture|polygon|polyline|pre|progress|q|rect|rp|rt|ruby|s|samp|script|search|section|select|slot|small|source|span|stop|strike|strong|style|sub|summary|sup|svg|symbol|table|tbody|td|template|text|textarea|tfoot|th|thead|time|title|tr|track|tspan|tt|u|ul|use|var|video|wbr|[a-z]+-[a-z-]+)$/;
/** What a tag written by a program never has outside the values of its attributes. */
const UNUSUAL = /@|\p{N}{4}|[^\x00-\x7f]/u;

const MARKUP = /<[a-zA-Z/!?]/g;
const ATTRIBUTE = /(?<![^\s"'/])([^\s"'<>/=]+)(\s*=\s*)("[^"]*"|'[^']*'|[^\s"'>]+)/g;

/**
 * The text of a page, and all else in it that may hold personal data. Code is read as text: a script in which something
 * is replaced may no longer run, which is better than to let the data pass.
 */
export class Html implements Reader {
  #held = "";
  /** How far the held text was looked at. */
  #seen = 0;
  /** The element whose content is no markup, while it lasts, and whether it is JSON. */
  #inside = "";
  #json = false;
  /** What parts the next text from the one before. */
  #gap = "\n";

  read(text: string, parts: Parts): void {
    this.#held += text;
    this.#scan(false, parts);
    if (this.#held.length > LONGEST_HELD) {
      throw new TextveilError("invalid_request", "a tag, comment or script of the page is longer than 16 MiB", "format");
    }
  }

  end(parts: Parts): void {
    this.#scan(true, parts);
    // a tag or a comment that is never closed may hold anything
    if (this.#held !== "") this.#text(this.#held, parts);
  }

  #scan(last: boolean, parts: Parts): void {
    for (;;) {
      const end = this.#inside === "" ? this.#markup(parts) : this.#content(last, parts);
      if (end === 0) return;
      this.#held = this.#held.slice(end);
      this.#seen = 0;
    }
  }

  /** Hands over the text, tag or comment that begins here; gives its length, or 0 where its end has not come. */
  #markup(parts: Parts): number {
    const held = this.#held;
    if (!/^<[a-zA-Z/!?]/.test(held)) return this.#run(parts);
    if (held.startsWith("<!--")) return this.#comment(parts);
    const end = "<!--".startsWith(held) ? 0 : tagEnd(held);
    if (end > 0) this.#tag(held.slice(0, end), parts);
    else this.#seen = held.length;
    return end;
  }

  /** Text up to the next markup, as `#markup`. */
  #run(parts: Parts): number {
    MARKUP.lastIndex = this.#seen;
    const end = MARKUP.exec(this.#held)?.index;
    const length = end !== undefined && end < LONGEST_TEXT ? end : cut(this.#held);
    if (length > 0) this.#text(this.#held.slice(0, length), parts);
    // a `<` at the end may begin a tag
    else this.#seen = Math.max(0, this.#held.length - 1);
    return length;
  }

  #comment(parts: Parts): number {
    const end = this.#held.indexOf("-->", Math.max(2, this.#seen - 2));
    if (end < 0) {
      this.#seen = this.#held.length;
      return 0;
    }
    const comment = this.#held.slice(4, Math.max(4, end));
    parts.keep("<!--");
    parts.value(new Value(comment, comment, (text) => text.replaceAll("-->", "--&gt;"), { aside: true }));
    parts.keep(this.#held.slice(4 + comment.length, end + 3));
    return end + 3;
  }

  /** The content of an element that has no tags inside, as `#markup`. */
  #content(last: boolean, parts: Parts): number {
    const close = new RegExp(`</${this.#inside}(?=[\\s/>])`, "gi");
    close.lastIndex = Math.max(0, this.#seen - this.#inside.length - 3);
    const end = close.exec(this.#held)?.index ?? (last ? this.#held.length : undefined);
    if (end === undefined) {
      this.#seen = this.#held.length;
      return 0;
    }
    const content = this.#held.slice(0, end);
    if (TEXT_ONLY.test(this.#inside)) this.#text(content, parts);
    else this.#script(content, parts);
    this.#inside = "";
    return end === 0 ? this.#markup(parts) : end;
  }

  #script(content: string, parts: Parts): void {
    const values = this.#json ? readJson(content) : undefined;
    if (values === undefined) return parts.value(new Value(content, content, closed, { aside: true }));
    for (const part of values) typeof part === "string" ? parts.keep(part) : parts.value(new ScriptValue(part));
  }

  #text(raw: string, parts: Parts): void {
    if (raw.trim() !== "") {
      parts.value(new Markup(raw, decodeEntities(raw), { gap: this.#gap }));
      this.#gap = "";
    } else {
      parts.keep(raw);
      if (this.#gap === "") this.#gap = " ";
    }
  }

  #tag(tag: string, parts: Parts): void {
    const name = /^<\/?([a-zA-Z][^\s/>]*)/.exec(tag)?.[1]?.toLowerCase() ?? "";
    if (CELL.test(name)) this.#gap = this.#gap === "\n" ? "\n" : "\t";
    else if (!INLINE.test(name)) this.#gap = "\n";
    if (/^<!doctype\s+html\s*>$/i.test(tag)) return parts.keep(tag);
    // a declaration, or a comment by mistake: browsers show nothing of it, and it may hold anything
    if (name === "") return parts.value(new Value(tag, tag, (text) => text, { aside: true }));
    attributes(tag, name, parts);
    if (tag.startsWith("</")) return;
    if (!RAW.test(name) && !TEXT_ONLY.test(name)) return;
    this.#inside = name;
    this.#json = /\btype\s*=\s*["']?[^"'>]*json/i.test(tag);
  }
}

/** Text with character references: what does not change keeps them. */
class Markup extends Value {
  readonly #decoded: Decoded;

  constructor(raw: string, decoded: Decoded, place: Place) {
    super(raw, decoded.text, escape, place);
    this.#decoded = decoded;
  }

  override written(): string {
    const at = (place: number) => rawPlace(this.#decoded, place);
    const edits = this.edits.map(({ start, end, replacement }) => {
      return { start: at(start), end: at(end), replacement: escape(replacement) };
    });
    return edited(this.raw, edits);
  }
}

/** A value of JSON in a script, which ends where its end tag stands, whatever that stands in. */
class ScriptValue extends Value {
  constructor(value: Value) {
    const encode = (text: string) => closed(JSON.stringify(text));
    super(value.raw, value.text, encode, { label: value.label, aside: true });
  }
}

/** Code that a replacement does not end: `</` begins an end tag, wherever it is. */
function closed(code: string): string {
  return code.replaceAll(/<\/(?=[a-zA-Z])/g, "<\\/");
}

/** Hands over a tag: the values of its attributes, and the rest where it is not that of a usual tag. */
function attributes(tag: string, name: string, parts: Parts): void {
  const isKnown = KNOWN.test(name);
  const rest = (raw: string) => {
    if (isKnown && !UNUSUAL.test(raw)) parts.keep(raw);
    else parts.value(new Markup(raw, decodeEntities(raw), { aside: true }));
  };
  let done = 0;
  for (const found of tag.matchAll(ATTRIBUTE)) {
    const [whole, name = "", equals = "", written = ""] = found;
    const quote = /^["']/.exec(written)?.[0] ?? "";
    rest(tag.slice(done, found.index + name.length + equals.length));
    const inner = written.slice(quote.length, written.length - quote.length);
    if (name.toLowerCase() === "srcdoc") page(decodeEntities(inner).text, parts);
    else parts.value(attribute(tag, name.toLowerCase(), written, inner));
    done = found.index + whole.length;
  }
  rest(tag.slice(done));
}

/** Hands over a page inside an attribute, in the quotes of which each part is escaped. */
function page(inner: string, parts: Parts): void {
  const html = new Html();
  const within: Parts = {
    keep: (raw) => parts.keep(escape(raw)),
    value: (value) => parts.value(new Quoted(value)),
    endRecord: () => parts.endRecord(),
  };
  parts.keep('"');
  html.read(inner, within);
  html.end(within);
  parts.keep('"');
}

/** A value of a page inside an attribute. */
class Quoted extends Value {
  readonly #value: Value;

  constructor(value: Value) {
    super(value.raw, value.text, (text) => text, { label: value.label, gap: value.gap, aside: true });
    this.#value = value;
  }

  override written(): string {
    this.#value.edits.splice(0, Infinity, ...this.edits);
    return escape(this.#value.written());
  }
}

/** The value of an attribute. */
function attribute(tag: string, name: string, written: string, inner: string): Value {
  if (ADDRESSES.test(name)) {
    const rewritten = (text: string) => `"${escape(encodeURI(text).replaceAll("%20", " "))}"`;
    return new Value(written, percentDecoded(decodeEntities(inner).text), rewritten, { aside: true });
  }
  if (!ADDRESS.test(name)) {
    const encode = (text: string) => `"${escape(text)}"`;
    return new Value(written, decodeEntities(inner).text, encode, { label: labelOf(tag, name), aside: true });
  }
  // an address as a whole names a page, not a person; what it carries behind its host may
  const origin = /^\s*(?:[a-z][a-z0-9+.-]*:)?(?:\/\/[^/?#@]*(?=[/?#]|$))?/i.exec(inner)?.[0] ?? "";
  const carried = percentDecoded(decodeEntities(inner.slice(origin.length)).text);
  const rewritten = (text: string) => `"${origin.replaceAll('"', "&quot;")}${escape(encodeURI(text))}"`;
  return new Value(written, carried, rewritten, { aside: true });
}

/** Where a text that goes on for long is cut: behind a space; 0 while it is short. */
function cut(text: string): number {
  if (text.length <= LONGEST_TEXT) return 0;
  const window = text.slice(0, LONGEST_TEXT);
  const space = Math.max(window.lastIndexOf("\n"), window.lastIndexOf(" ")) + 1;
  return space > 0 ? space : LONGEST_TEXT;
}

/** The end of the tag at the start of `text`, 0 where it has not come yet. A `>` in quotes does not end it. */
function tagEnd(text: string): number {
  const mark = /[>"']/g;
  for (let found = mark.exec(text); found !== null; found = mark.exec(text)) {
    if (found[0] === ">") return mark.lastIndex;
    // elsewhere a quote is a letter like any other
    if (!/=\s*$/.test(text.slice(Math.max(0, found.index - 64), found.index))) continue;
    const end = text.indexOf(found[0], mark.lastIndex);
    if (end < 0) return 0;
    mark.lastIndex = end + 1;
  }
  return 0;
}

/** What a form calls the field whose value this is. */
function labelOf(tag: string, attribute: string): string {
  if (attribute !== "value" && attribute !== "content") return "";
  return /\s(?:name|property|id)\s*=\s*["']?([^\s"'>]+)/i.exec(tag)?.[1] ?? "";
}

function percentDecoded(address: string): string {
  try {
    return decodeURIComponent(address);
  } catch {
    return address;
  }
}

function escape(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");
}
