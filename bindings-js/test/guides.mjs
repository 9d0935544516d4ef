// The code blocks of the README of the package and of the guides in docs/.

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { ROOT } from "./project.mjs";

/**
 * The marks of blocks that these tests run, in a guide behind the language. Blocks of the README without a mark run in Node; those
 * of guides, with the mark `run`, are run by the tests of the documentation.
 */
export const KINDS = ["ai", "browser", "edge", "langchain", "opencode", "react"];

/** The blocks of a page, each with its kind: the language and the marks. */
export const blocksOf = (text) => [...text.matchAll(/^```(\S[^\n]*)\n(.*?)^```/gms)].map(([, kind, source]) => ({ kind, source }));

/** The blocks of the README in a folder with the installed package, and of the guides. */
export function guides(folder) {
  const readme = readFileSync(join(folder, "node_modules/textveil/README.md"), "utf8");
  const pages = ["start", "how-to", "concepts"].flatMap((part) => {
    const own = join(ROOT, "docs", part);
    return readdirSync(own).sort().map((name) => readFileSync(join(own, name), "utf8"));
  });
  return [readme, ...pages].flatMap(blocksOf);
}

/** The sources of the blocks of a kind, at least one. */
export function guideExamples(folder, kind) {
  const found = guides(folder).filter((block) => block.kind === kind).map(({ source }) => source);
  if (found.length === 0) throw new Error(`no guide has a block \`${kind}\``);
  return found;
}
