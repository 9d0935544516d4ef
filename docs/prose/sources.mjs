// A plugin of textlint for sources: each text in them that users read is a paragraph.

import { parse as parseScript } from "@babel/parser";
import { parser as rustParser } from "@lezer/rust";

/** How the ranges of texts are found, by the extension of a file. */
const READERS = {
  ".rs": rustStrings,
  ".js": scriptStrings,
  ".mjs": scriptStrings,
  ".ts": scriptStrings,
  ".tsx": scriptStrings,
  ".json": (text) => matches(text, /"(?:description|summary)": "(?<text>(?:[^"\\]|\\.)*)"/dg),
  ".html": (text) => matches(text, />(?!\s*<)(?<text>[^<]+)</dg),
  ".wit": (text) => matches(text, /(?<text>(?:^ *\/\/\/.*\n)+)/dgm),
};

class Processor {
  availableExtensions() {
    return Object.keys(READERS);
  }

  processor(extension) {
    return {
      preProcess: (text, path) => document(text, READERS[extension](text, path)),
      postProcess: (messages, filePath) => ({ messages, filePath }),
    };
  }
}

export default { Processor };

/** The ranges of the group `text` of a pattern. */
const matches = (text, pattern) => [...text.matchAll(pattern)].map(({ indices }) => indices.groups.text);

/** The ranges between the quotes of Rust's string literals, except in attributes and in tests. */
function rustStrings(text) {
  const found = [];
  let isTest = false;
  rustParser.parse(text).iterate({
    enter({ name, from, to }) {
      if (name === "AttributeItem") isTest ||= /^#\[(?:cfg\(test\)|test\b)/.test(text.slice(from, to));
      if (name.startsWith("Attribute") || name === "InnerAttribute" || name.endsWith("Comment")) return false;
      if (name.endsWith("Item") && isTest) {
        isTest = false;
        return false;
      }
      if (name !== "String" && name !== "RawString") return true;
      const literal = text.slice(from, to);
      found.push([from + literal.indexOf('"') + 1, from + literal.lastIndexOf('"')]);
      return false;
    },
  });
  return found;
}

/** The ranges of the strings of JavaScript or TypeScript, of templates between their fields, and of texts in JSX. */
function scriptStrings(text, path) {
  const dts = path?.endsWith(".d.ts");
  const plugins = /\.tsx?$/.test(path) ? [["typescript", { dts }]] : [];
  if (!/\.ts$/.test(path)) plugins.push("jsx");
  const found = [];
  const visit = (node) => {
    if (node.type === "StringLiteral") found.push([node.start + 1, node.end - 1]);
    if (node.type === "TemplateElement" || node.type === "JSXText") found.push([node.start, node.end]);
    Object.values(node).flat().forEach((child) => typeof child?.type === "string" && visit(child));
  };
  visit(parseScript(text, { sourceType: "module", plugins }).program);
  return found;
}

/** A document of textlint with a paragraph for each range that is prose. What is between backticks is code. */
function document(text, ranges) {
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
  const paragraph = ([start, end]) => {
    const parts = [...text.slice(start, end).matchAll(/`[^`]*`|[^`]+|`/g)];
    const children = parts.map(({ 0: part, index }) => {
      const type = /^`.+`$/s.test(part) ? "Code" : "Str";
      return node(type, start + index, start + index + part.length, { value: readable(part) });
    });
    return node("Paragraph", start, end, { children });
  };
  const children = ranges.filter(([start, end]) => isProse(readable(text.slice(start, end)))).map(paragraph);
  return node("Document", 0, text.length, { children });
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
