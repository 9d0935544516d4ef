// The pages of the site and their code blocks.

import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

/** The folder of the site's sources. */
export const DOCS = fileURLToPath(new URL("..", import.meta.url));

/** The folder of the build's results; `DIST` in the environment names another one. */
export const DIST = process.env.DIST ?? join(DOCS, "../dist");

/** The program, which `TEXTVEIL` in the environment names, and its component, if they are built. */
export const program = [process.env.TEXTVEIL, resolve(DIST, "textveil")].find((path) => path && existsSync(path));
export const component = resolve(DIST, "textveil-engine.wasm");

/** Why the program cannot be run, or false. */
export const noProgram =
  program && existsSync(component) ? false : "dist/textveil is absent; run cargo xtask build --only host";

const isPage = (name) => name.endsWith(".md") && !/^(?:node_modules|\.generated|\.vitepress|reference\/(?:detectors|javascript))\//.test(name);

/** The paths of the pages that people write, and of the README. */
export const pages = ["../README.md", ...readdirSync(DOCS, { recursive: true }).filter(isPage).sort()];

/** The text of a page. */
export const text = (page) => readFileSync(join(DOCS, page), "utf8");

/**
 * The code blocks of the pages: language, marks and lines of each.
 *
 * A mark stands after the language: `run` for a block that a test runs.
 */
export function blocks() {
  return pages.flatMap((page) => {
    const found = [...text(page).matchAll(/^```(\w+)([^\n]*)\n([\s\S]*?)^```$/gm)];
    return found.map(({ 1: language, 2: marks, 3: lines, index }) => ({
      page,
      line: text(page).slice(0, index).split("\n").length,
      language,
      marks: marks.trim().split(" ").filter(Boolean),
      lines,
    }));
  });
}
