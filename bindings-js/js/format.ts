// The formats of documents, and what tells them.

import { inUtf8 } from "./decode.js";
import { invalid } from "./error.js";
import { EXTENSIONS, MEDIA_TYPES, SUFFIXES } from "./format-tables.js";

/**
 * The format of a document, so that only its values change.
 *
 * @example
 * const file = new File(['{"name": "Emily Carter"}'], "data");
 * await (await protectFile(file, { format: "json" })).file.text(); // "{\"name\": \"[REDACTED]\"}"
 */
export type Format =
  /** Plain text, Markdown, logs, source code: everything may change. */
  | "text"
  /** Comma-separated values or any other delimiter: only cells change. The first row labels the columns. */
  | "csv"
  /** One JSON document: keys, strings and numbers change; a number becomes a string. */
  | "json"
  /** A JSON document per line; other lines are plain text. */
  | "ndjson"
  /** Statements and dumps of SQL: strings, numbers, comments and rows of `COPY` change; a number becomes a string. */
  | "sql"
  /** YAML: keys, scalars and comments change. */
  | "yaml"
  /** TOML: keys, strings, comments, numbers and dates change; a number or a date becomes a string. */
  | "toml"
  /** Files of settings, such as `.env`, `.ini` and `.properties`: keys, values and comments change. */
  | "ini"
  /** A notebook of Jupyter: as JSON, but the lines of a cell are read as one text. */
  | "ipynb"
  /** Contacts and calendars (vCard, iCalendar): values and parameters of properties change. */
  | "vcard"
  /** Subtitles (SubRip, WebVTT): the text of cues changes, not their times. */
  | "srt"
  /** A page: text, attributes, comments, addresses, scripts and styles. Code in which something changes may not run. */
  | "html"
  /** XML: text, attributes, comments. The names of elements and attributes are labels. */
  | "xml"
  /** A message (RFC 5322) with its parts, which comes out in UTF-8. Attachments that are not text are rejected. */
  | "eml"
  /** A Word document, of which the text comes out. */
  | "docx"
  /** A workbook of Excel, which comes out as CSV. */
  | "xlsx"
  /** A presentation of PowerPoint, of which the text comes out. */
  | "pptx"
  /** A document of OpenDocument (`.odt`, `.ods`), of which the text comes out, tables as CSV. */
  | "odf";

const FORMATS: readonly string[] = [
  "text", "csv", "json", "ndjson", "sql", "yaml", "toml", "ini", "ipynb", "vcard", "srt", "html", "xml", "eml", "docx", "xlsx", "pptx", "odf",
] satisfies Format[];

/** The extension of what comes out of an Office document. */
const WRITTEN: Readonly<Partial<Record<Format, "txt" | "csv">>> = { docx: "txt", xlsx: "csv", pptx: "txt", odf: "txt" };

/** The caller's format, checked. @internal */
export function knownFormat(format: Format): Format {
  if (FORMATS.includes(format)) return format;
  throw invalid("format", `must be ${FORMATS.slice(0, -1).join(", ")} or ${FORMATS.at(-1)}`);
}

/**
 * The format that a file's name or a media type tells; undefined where its content may tell it: the name has no extension, and
 * the type is absent. @internal
 */
export function formatOf(name: string, type: string): Format | undefined {
  const hasType = !/^(?:application\/octet-stream)?$/.test(essenceOf(type));
  return formatOfType(type) ?? formatOfName(name) ?? (hasType || name.includes(".") ? "text" : undefined);
}

/** The format that a file's name tells; undefined for plain text. @internal */
export function formatOfName(name: string): Format | undefined {
  // `.env.local` has settings, too
  const known = name.startsWith(".env.") ? ".env" : name;
  return of(EXTENSIONS, /\.([a-z0-9]+)$/i.exec(known)?.[1]?.toLowerCase());
}

/** The format of a media type; undefined for plain text and for what is no text. @internal */
export function formatOfType(type: string): Format | undefined {
  const essence = essenceOf(type);
  return of(MEDIA_TYPES, essence) ?? of(SUFFIXES, /\+[a-z]+$/.exec(essence)?.[0]);
}

function of(table: Readonly<Record<string, Format>>, key: string | undefined): Format | undefined {
  return key !== undefined && Object.hasOwn(table, key) ? table[key] : undefined;
}

/** Whether documents are bytes that are read as a whole, with encodings of their own. @internal */
export function isWhole(format: Format | undefined): boolean {
  return format === "eml" || extensionWritten(format) !== undefined;
}

/** The extension of what comes out of an Office document; undefined for a format that is kept. @internal */
export function extensionWritten(format: Format | undefined): string | undefined {
  return format === undefined ? undefined : WRITTEN[format];
}

/** The media type of a protected document: that of the document, in UTF-8, or of the text of an Office document. @internal */
export function typeWritten(type: string, format: Format | undefined = formatOfType(type)): string {
  const extension = extensionWritten(format);
  if (extension === undefined) return inUtf8(type);
  return `text/${extension === "csv" ? "csv" : "plain"};charset=utf-8`;
}

/** Whether content of this media type may be text; content without a type may be. @internal */
export function isText(type: string): boolean {
  const essence = essenceOf(type);
  return (
    essence === "" ||
    essence.startsWith("text/") ||
    formatOfType(type) !== undefined ||
    /^application\/(?:javascript|ecmascript|graphql|json-seq|x-sh|x-www-form-urlencoded|octet-stream)$/.test(essence)
  );
}

/** A media type without its parameters. @internal */
export function essenceOf(type: string): string {
  return type.split(";", 1)[0]?.trim().toLowerCase() ?? "";
}

/** Whether a text is JSON with something in it: an object or a list. JSON is often sent without saying so. @internal */
export function looksLikeJson(text: string): boolean {
  return /^\uFEFF?\s*[[{]/.test(text) && isJson(text);
}

/** Whether a text is JSON. @internal */
export function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
