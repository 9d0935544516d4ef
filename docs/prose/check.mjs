// The prose check: what it reads, and what it finds there. The rules are those of CONTRIBUTING.md, "Language".

import { execFileSync } from "node:child_process";
import { extname } from "node:path";
import { TextlintKernel } from "@textlint/kernel";
import markdown from "@textlint/textlint-plugin-markdown";
import terminology from "textlint-rule-terminology";

import { ROOT } from "../generate/files.mjs";
import { terms } from "./glossary.mjs";
import openings from "./rules/openings.mjs";
import riddles from "./rules/riddles.mjs";
import sentenceLength from "./rules/sentence-length.mjs";
import sources from "./sources.mjs";

/** The most words of a sentence. Aim at 25; above this number a reader loses the thread. */
const MOST_WORDS = 35;

/** Markdown everywhere; messages, help, page texts and comments in sources; descriptions of the API and of the WIT package. */
const READ = /\.(?:md|rs|js|mjs|m?ts|tsx|py|toml|ya?ml|html|wit)$|(?:^|\/)openapi\.json$/;

/** Files with texts that are not ours, or that are checked elsewhere. */
const SKIPPED = [
  /^(?:.*\/)?(?:tests?|bench|benches)\/.*\.(?:html|wit|json)$/, // inputs of tests and benchmarks
  /\/wit\/deps\//, // interfaces of WASI and Spin
  /^spin-app\/service\/docs\.html$/, // openapi.json as a page
];

/** The paths that are checked, from the root of the repository. */
export function files() {
  const list = ["ls-files", "--cached", "--others", "--exclude-standard", "-z"];
  const paths = execFileSync("git", list, { cwd: ROOT, encoding: "utf8" }).split("\0");
  return paths.filter((path) => READ.test(path) && !SKIPPED.some((pattern) => pattern.test(path)));
}

const kernel = new TextlintKernel();
const plugins = [
  { pluginId: "markdown", plugin: markdown.default },
  { pluginId: "sources", plugin: sources },
];
const rules = [
  { ruleId: "terminology", rule: terminology, options: { defaultTerms: false, terms: terms() } },
  { ruleId: "sentence-length", rule: sentenceLength, options: { max: MOST_WORDS } },
  { ruleId: "riddles", rule: riddles },
  { ruleId: "openings", rule: openings },
];

/** The findings in a text, as its path decides how it is read: the line and the message of each. */
export async function check(path, text) {
  const { messages } = await kernel.lintText(text, { filePath: path, ext: extname(path), plugins, rules });
  return messages.map(({ loc, message }) => ({ line: loc.start.line, message: message.replaceAll(/\s+/g, " ") }));
}
