// Written by `BLESS=1 cargo test -p textveil-documents`.

import type { Format } from "./format.js";

export const EXTENSIONS: Readonly<Record<string, Format>> = {
  "csv": "csv",
  "tsv": "csv",
  "tab": "csv",
  "json": "json",
  "geojson": "json",
  "ipynb": "json",
  "webmanifest": "json",
  "ndjson": "ndjson",
  "jsonl": "ndjson",
  "sql": "sql",
  "html": "html",
  "htm": "html",
  "xhtml": "html",
  "xml": "xml",
  "svg": "xml",
  "rss": "xml",
  "atom": "xml",
  "xsd": "xml",
  "xsl": "xml",
  "xslt": "xml",
  "kml": "xml",
  "gpx": "xml",
  "plist": "xml",
  "eml": "eml",
  "docx": "docx",
};

export const MEDIA_TYPES: Readonly<Record<string, Format>> = {
  "text/csv": "csv",
  "text/tab-separated-values": "csv",
  "application/csv": "csv",
  "application/json": "json",
  "text/json": "json",
  "application/ndjson": "ndjson",
  "application/x-ndjson": "ndjson",
  "application/jsonl": "ndjson",
  "application/x-jsonl": "ndjson",
  "application/jsonlines": "ndjson",
  "application/x-jsonlines": "ndjson",
  "application/sql": "sql",
  "text/sql": "sql",
  "text/html": "html",
  "application/xhtml+xml": "html",
  "application/xml": "xml",
  "text/xml": "xml",
  "message/rfc822": "eml",
  "application/vnd.openxmlformats-officedocument.wordprocessingml.document": "docx",
};

export const SUFFIXES: Readonly<Record<string, Format>> = {
  "+json": "json",
  "+xml": "xml",
};
