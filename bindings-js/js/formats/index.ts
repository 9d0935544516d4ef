// The formats of documents, and what tells them.

import { invalid } from "../error.js";
import { Csv } from "./csv.js";
import { structured, type Document } from "./document.js";
import { formatOfName } from "./extensions.js";
import { Html } from "./html.js";
import { Json, JsonLines } from "./json.js";
import type { Judge } from "./passage.js";

/** What a document is, so that only its values change. */
export type Format =
  /** Plain text, Markdown, logs, source code: everything may change. */
  | "text"
  /** Comma-separated values or any other delimiter: only cells change. The first row labels the columns. */
  | "csv"
  /** One JSON document: keys, strings and numbers change; a number becomes a string. */
  | "json"
  /** A JSON document a line; lines that are none are plain text. */
  | "ndjson"
  /** A page: text, attributes, comments, addresses, scripts and styles. Code in which something changes may not run. */
  | "html";

const READERS = {
  csv: () => new Csv(),
  json: () => new Json(),
  ndjson: () => new JsonLines(),
  html: () => new Html(),
};

/** A document of a format of which only values change. @internal */
export function openDocument(format: Exclude<Format, "text">, judge: Judge): Document {
  return structured(READERS[format](), judge);
}

/** The caller's format, checked. @internal */
export function knownFormat(format: Format): Format {
  if (format === "text" || Object.hasOwn(READERS, format)) return format;
  throw invalid("format", "must be text, csv, json, ndjson or html");
}

/** The format that a file's name or a media type tells: plain text where they tell nothing. @internal */
export function formatOf(name: string, type: string): Format {
  return formatOfType(type) ?? formatOfName(name) ?? "text";
}

/** The format of a media type; undefined for plain text and for what is no text. @internal */
export function formatOfType(type: string): Format | undefined {
  const essence = essenceOf(type);
  if (/^application\/(?:x-)?(?:ndjson|jsonl|jsonlines|json-seq)$/.test(essence)) return "ndjson";
  if (/[/+]json$/.test(essence)) return "json";
  if (/^text\/(?:csv|tab-separated-values)$/.test(essence) || essence === "application/csv") return "csv";
  if (essence === "text/html" || essence === "application/xhtml+xml") return "html";
  return undefined;
}

/** Whether what has this media type may be text; what has none may be. @internal */
export function isText(type: string): boolean {
  const essence = essenceOf(type);
  return (
    essence === "" ||
    essence.startsWith("text/") ||
    formatOfType(type) !== undefined ||
    /^application\/(?:javascript|ecmascript|graphql|sql|toml|x-sh|xml|yaml|x-yaml|x-www-form-urlencoded|octet-stream)$/.test(essence) ||
    /\+(?:xml|yaml)$/.test(essence)
  );
}

/** A media type without its parameters. @internal */
export function essenceOf(type: string): string {
  return type.split(";", 1)[0]?.trim().toLowerCase() ?? "";
}
