// Reads sources of the repository and writes what is generated.

import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

/** The root of the repository. */
export const ROOT = fileURLToPath(new URL("../..", import.meta.url));

/** The folder of the site's sources. */
export const DOCS = join(ROOT, "docs");

/** Reads a file of the repository. */
export const source = (path) => readFileSync(join(ROOT, path), "utf8");

/** Writes a file of the site. */
export function write(path, text) {
  const file = join(DOCS, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
}

/** Removes a generated folder. */
export const clear = (path) => rmSync(join(DOCS, path), { recursive: true, force: true });

/** A Markdown table. Cells are Markdown; line breaks and bars in them are escaped. */
export function table(heads, rows) {
  const cell = (text) => String(text).replaceAll("\n", " ").replaceAll("|", "\\|");
  const row = (cells) => `| ${cells.map(cell).join(" | ")} |`;
  return [row(heads), row(heads.map(() => "---")), ...rows.map(row)].join("\n") + "\n";
}

/** Text as code, or nothing. */
export const code = (text) => (text ? `\`${text}\`` : "");

/** Everything a pattern finds; fails where it finds fewer than `least`, since then the source has changed its form. */
export function all(text, pattern, least, what) {
  const found = [...text.matchAll(pattern)];
  if (found.length < least) throw new Error(`${what}: found ${found.length}, expected at least ${least}`);
  return found;
}

/** Escapes what Markdown in VitePress would read as HTML or as an expression of Vue. */
export const plain = (text) =>
  text
    .split(/(`[^`]*`)/)
    .map((part) => (part.startsWith("`") ? part : part.replaceAll("<", "&lt;").replaceAll("{{", "&#123;&#123;")))
    .join("");
