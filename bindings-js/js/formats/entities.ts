// Character references of HTML, as far as texts of people contain them.

/** Marks that a letter carries: `&eacute;` is e and an acute. */
const MARKS: Record<string, string> = {
  acute: "\u0301",
  breve: "\u0306",
  caron: "\u030c",
  cedil: "\u0327",
  circ: "\u0302",
  dblac: "\u030b",
  grave: "\u0300",
  macr: "\u0304",
  ogon: "\u0328",
  ring: "\u030a",
  tilde: "\u0303",
  uml: "\u0308",
};

/** Names of others that texts have: HTML Living Standard, 13.5. */
const NAMES: Record<string, string> = {
  AElig: "Æ", Dstrok: "Đ", ETH: "Ð", Lstrok: "Ł", NewLine: "\n", OElig: "Œ", Oslash: "Ø", THORN: "Þ", Tab: "\t",
  Zdot: "Ż", aelig: "æ", amp: "&", apos: "'", ast: "*", bsol: "\\", bull: "•", colon: ":", comma: ",", commat: "@",
  dash: "‐", deg: "°", dollar: "$", dstrok: "đ", emsp: "\u2003", ensp: "\u2002", equals: "=", eth: "ð", euro: "€",
  excl: "!", gt: ">", hyphen: "‐", inodot: "ı", laquo: "«", ldquo: "“", lowbar: "_", lpar: "(", lsquo: "‘",
  lstrok: "ł", lt: "<", mdash: "—", middot: "·", minus: "−", nbsp: "\u00a0", ndash: "–", num: "#", oelig: "œ",
  oslash: "ø", percnt: "%", period: ".", plus: "+", quest: "?", quot: '"', raquo: "»", rdquo: "”", rpar: ")",
  rsquo: "’", semi: ";", shy: "\u00ad", sol: "/", szlig: "ß", thinsp: "\u2009", thorn: "þ", verbar: "|", zdot: "ż",
  zwj: "\u200d", zwnj: "\u200c",
};

const REFERENCE = /&(?:#(\d{1,7});?|#[xX]([0-9a-fA-F]{1,6});?|([a-zA-Z]{2,10});)/g;

/** A text without its character references, and where they stood. */
export interface Decoded {
  text: string;
  references: Reference[];
}

interface Reference {
  /** Where the character stands in the text, and how long it is. */
  at: number;
  length: number;
  /** By how much longer the reference is. */
  excess: number;
}

/** Resolves the character references of a text; those it does not know stay. */
export function decodeEntities(raw: string): Decoded {
  const references: Reference[] = [];
  if (!raw.includes("&")) return { text: raw, references };
  let text = "";
  let done = 0;
  for (const found of raw.matchAll(REFERENCE)) {
    const character = resolved(found);
    if (character === undefined) continue;
    text += raw.slice(done, found.index);
    references.push({ at: text.length, length: character.length, excess: found[0].length - character.length });
    text += character;
    done = found.index + found[0].length;
  }
  return { text: text + raw.slice(done), references };
}

/** Where a place of the text stands in what it was decoded from. */
export function rawPlace({ references }: Decoded, place: number): number {
  let shift = 0;
  for (const { at, length, excess } of references) {
    if (at + length > place) break;
    shift += excess;
  }
  return place + shift;
}

function resolved([, decimal, hex, name]: RegExpMatchArray): string | undefined {
  if (name !== undefined) return named(name);
  const code = decimal === undefined ? Number.parseInt(hex ?? "", 16) : Number(decimal);
  const valid = code > 0 && code <= 0x10ffff && !(code >= 0xd800 && code <= 0xdfff);
  return valid ? String.fromCodePoint(code) : "\ufffd";
}

function named(name: string): string | undefined {
  if (Object.hasOwn(NAMES, name)) return NAMES[name];
  const mark = name.slice(1);
  if (!Object.hasOwn(MARKS, mark)) return undefined;
  const letter = `${name.slice(0, 1)}${MARKS[mark]}`.normalize("NFC");
  return letter.length === 1 ? letter : undefined;
}
