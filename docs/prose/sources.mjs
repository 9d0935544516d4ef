// A plugin of textlint for sources. Texts that users read are nodes of the type `Paragraph`, paragraphs of comments nodes of
// the type `Comment`.
//
// All rules read comments, with two exceptions: the passive with “by” (`rules/riddles.mjs`), and enumerations
// (`rules/sentence-length.mjs`). The rule `openings` reads comments only.

import { parse as parseScript } from "@babel/parser";
import { parser as rustParser } from "@lezer/rust";

import { paragraphs, unmarked } from "./comments.mjs";

/** Readers of files by their extension: each gives the ranges of `texts`, of `comments`, or of both. */
const READERS = {
  ".rs": rust,
  ".js": script,
  ".mjs": script,
  ".ts": script,
  ".mts": script,
  ".tsx": script,
  ".py": python,
  ".toml": (text) => ({ comments: hashes(text) }),
  ".yml": (text) => ({ comments: matches(text, /(?:^|(?<=\s))(?<text>#.*)/dgm) }),
  ".yaml": (text) => READERS[".yml"](text),
  ".json": (text) => ({ texts: matches(text, /"(?:description|summary)": "(?<text>(?:[^"\\]|\\.)*)"/dg) }),
  ".html": (text) => ({ texts: matches(text, />(?!\s*<)(?<text>[^<]+)</dg) }),
  ".wit": (text) => ({ texts: matches(text, /(?<text>(?:^ *\/\/\/.*\n)+)/dgm) }),
};

/** Files of which only the comments are ours to check: their texts are inputs of tests and benchmarks, or samples. */
const COMMENTS_ONLY = /(?:^|\/)(?:tests?|bench|benches)\/|\.test\.mjs$|^web\/playground\/sample\.ts$/;

/** The first line of a generated file. The comments in it are those of its sources. */
const GENERATED = /^\/\/ Written by /;

class Processor {
  availableExtensions() {
    return Object.keys(READERS);
  }

  processor(extension) {
    return {
      preProcess(text, path) {
        const { texts = [], comments = [] } = READERS[extension](text, path);
        const isGenerated = GENERATED.test(text);
        return document(text, COMMENTS_ONLY.test(path) ? [] : texts, isGenerated ? [] : paragraphs(text, comments));
      },
      postProcess: (messages, filePath) => ({ messages, filePath }),
    };
  }
}

export default { Processor };

/** The ranges of the group `text` of a pattern. */
const matches = (text, pattern) => [...text.matchAll(pattern)].map(({ indices }) => indices.groups.text);

/**
 * The strings and the comments of Rust. Strings in attributes and in tests are not texts.
 *
 * Doc comments of types that derive a JSON schema or arguments of the command line are descriptions and help. They are
 * checked in `openapi.json` and in the reference of the command line.
 */
function rust(text) {
  const texts = [];
  const comments = [];
  const described = [];
  let item = [0, 0];
  let testEnd = 0;
  rustParser.parse(text).iterate({
    enter({ name, from, to }) {
      if (name === "AttributeItem") item = [from, to];
      if (name.endsWith("Comment")) comments.push([from, to]);
      if (name === "Attribute") {
        const attribute = text.slice(from, to);
        if (/^#\[(?:cfg\(test\)|test\b)/.test(attribute)) testEnd = Math.max(testEnd, item[1]);
        if (/\bderive\([^)]*\b(?:JsonSchema|Args|Parser|Subcommand|ValueEnum)\b/.test(attribute)) described.push(item);
      }
      if (name === "Attribute" || name === "InnerAttribute" || name.endsWith("Comment")) return false;
      if (name !== "String" && name !== "RawString") return true;
      const literal = text.slice(from, to);
      if (from >= testEnd) texts.push([from + literal.indexOf('"') + 1, from + literal.lastIndexOf('"')]);
      return false;
    },
  });
  for (const range of described) {
    for (const [start, end] of comments.toReversed()) if (end <= range[0] && !text.slice(end, range[0]).trim()) range[0] = start;
  }
  return { texts, comments: comments.filter(([at]) => !described.some(([start, end]) => start <= at && at < end)) };
}

/** The strings of JavaScript or TypeScript, templates between their fields, texts in JSX, and the comments. */
function script(text, path) {
  const dts = /\.d\.m?ts$/.test(path);
  const plugins = /\.m?tsx?$/.test(path) ? [["typescript", { dts }]] : [];
  if (!/\.m?ts$/.test(path)) plugins.push("jsx");
  const texts = [];
  const visit = (node) => {
    if (node.type === "StringLiteral") texts.push([node.start + 1, node.end - 1]);
    if (node.type === "TemplateElement" || node.type === "JSXText") texts.push([node.start, node.end]);
    Object.values(node).flat().forEach((child) => typeof child?.type === "string" && visit(child));
  };
  const { program, comments } = parseScript(text, { sourceType: "module", plugins, attachComment: false });
  visit(program);
  return { texts, comments: comments.map(({ start, end }) => [start, end]) };
}

/** The comments of Python: docstrings, and what follows `#` outside of strings. */
function python(text) {
  const docstrings = matches(text, /(?:^|:\s*\n)[ \t]*(?<text>r?"""[\s\S]*?""")/dg);
  return { comments: [...hashes(text), ...docstrings].sort(([one], [other]) => one - other) };
}

/** The comments that begin with `#` in TOML and Python: those outside of strings. */
function hashes(text) {
  return matches(text, /"""[\s\S]*?"""|'''[\s\S]*?'''|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'|(?<text>#.*)/dg).filter(Boolean);
}

/** A document of textlint with a node for each text that is prose and each paragraph of a comment. Code is in backticks. */
function document(text, texts, comments) {
  const lines = [0, ...[...text.matchAll(/\n/g)].map(({ index }) => index + 1)];
  const position = (offset) => {
    const line = lines.findLastIndex((start) => start <= offset);
    return { line: line + 1, column: offset - lines[line] };
  };
  const node = (type, start, end, own) => ({
    type,
    raw: text.slice(start, end),
    range: [start, end],
    loc: { start: position(start), end: position(end) },
    ...own,
  });
  const block = (type, [start, end], readable) => {
    const parts = [...text.slice(start, end).matchAll(/`[^`]*`|[^`]+|`/g)];
    const children = parts.map(({ 0: part, index }) => {
      const type = /^`.+`$/s.test(part) ? "Code" : "Str";
      return node(type, start + index, start + index + part.length, { value: readable(part) });
    });
    return node(type, start, end, { children });
  };
  const prose = texts.filter(([start, end]) => isProse(readable(text.slice(start, end))));
  const children = [...prose.map((range) => block("Paragraph", range, readable)), ...comments.map((range) => block("Comment", range, unmarked))];
  return node("Document", 0, text.length, { children: children.sort(({ range: [one] }, { range: [other] }) => one - other) });
}

/** The text of a literal without its escapes, line ends and marks of comments, in as many characters. */
const readable = (raw) =>
  raw.replaceAll(/\\?\n\s*(?:\/\/\/)?|\\[nt]|^ *\/\/\//g, (space) => " ".repeat(space.length)).replaceAll(/(?<!\{)\{[^{}]*\}(?!\})/g, (field) => "x".repeat(field.length));

/** Whether a text is a sentence or a part of one, and not a name, a path, a pattern or a list of words. */
function isProse(text) {
  const words = text.split(/\s+/).filter((word) => /^[(“"'`]?\p{L}[\p{L}'’-]*[)”"'`.,;:!?]*$/u.test(word));
  const isList = words.length > 25 && !/[.,:;]/.test(text);
  const isCode = text.includes("{{");
  return !isCode && words.length >= 3 && words.filter((word) => /^\p{Ll}/u.test(word)).length >= 2 && !isList;
}
