// What the name of a file tells of its format.

import type { Format } from "./index.js";

const EXTENSIONS = new Map<string | undefined, Format>([
  ["csv", "csv"],
  ["htm", "html"],
  ["html", "html"],
  ["ipynb", "json"],
  ["geojson", "json"],
  ["json", "json"],
  ["jsonl", "ndjson"],
  ["ndjson", "ndjson"],
  ["tab", "csv"],
  ["tsv", "csv"],
  ["webmanifest", "json"],
  ["xhtml", "html"],
]);

/** The format that a file's name tells; undefined for plain text. @internal */
export function formatOfName(name: string): Format | undefined {
  return EXTENSIONS.get(/\.([a-z0-9]+)$/i.exec(name)?.[1]?.toLowerCase());
}
