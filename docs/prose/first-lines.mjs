// The check of doc comments of the public interfaces: those of the engine, of the host library and of the WIT package.

import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";

import { ROOT, source } from "../generate/files.mjs";
import { rustItems } from "./rust-items.mjs";
import { witItems } from "./wit-items.mjs";

/** The most words of a first sentence. Code is one word. */
export const MOST_WORDS = 12;

/** The items of the public interfaces. */
export function publicItems() {
  const read = (path) => (existsSync(join(ROOT, path)) ? source(path) : undefined);
  const wit = readdirSync(join(ROOT, "wit")).filter((name) => name.endsWith(".wit"));
  return [
    ...rustItems(read, "engine/src/lib.rs", {
      textveil_phrase: "engine/phrase/src/lib.rs",
      textveil_schema: "engine/schema/src/lib.rs",
    }),
    ...rustItems(read, "host-native/src/lib.rs"),
    ...wit.flatMap((name) => witItems(`wit/${name}`, source(`wit/${name}`))),
  ];
}

/** Returns the faults of the doc comments of items, each with the file and the line. */
export function faults(items) {
  const examples = new Map();
  return items.flatMap((item) => {
    const { path, line, name } = item;
    return [firstLine(item), path.endsWith(".rs") && example(item, examples)]
      .filter(Boolean)
      .map((fault) => `${path}:${line}: ${item.kind} ${item.owner ? `${item.owner.name}.${name}` : name} ${fault}`);
  });
}

function firstLine({ docs }) {
  const sentence = firstSentence(docs);
  if (!sentence) return "has no first sentence";
  const count = words(sentence);
  return count > MOST_WORDS && `has a first sentence of ${count} words: move the rest into a second paragraph, ${MOST_WORDS} are the most`;
}

/** The first sentence of a doc comment; nothing where it begins with a heading or with code. */
function firstSentence(docs) {
  const paragraph = docs.trim().split(/\n\s*\n/)[0].replaceAll(/\s+/g, " ");
  if (/^(?:#|```)/.test(paragraph)) return "";
  return /^.*?[.!?](?=\s|$)/.exec(paragraph)?.[0] ?? paragraph;
}

const words = (sentence) =>
  sentence
    .replaceAll(/`[^`]*`/g, "code")
    .split(" ")
    .filter((word) => /[\p{L}\p{N}]/u.test(word)).length;

/** A function has an example that calls it and asserts: its own, or that of its type. `examples` are those seen so far. */
function example(item, examples) {
  const own = code(item.docs);
  const seen = own && examples.get(own);
  examples.set(own, item.name);
  if (seen) return `has the example of ${seen}`;
  const shared = item.owner ? code(item.owner.docs) : "";
  const isShown = [own, shared].some((text) => /\bassert(?:_eq|_ne)?!/.test(text) && calls(text, item.name));
  return item.kind === "function" && !isShown && "has no example that calls it and asserts";
}

const calls = (text, name) => new RegExp(`\\b${name}(?:::<[^(]*>)?\\(`).test(text);

/** The code of the examples in a doc comment that rustdoc compiles. */
function code(docs) {
  const blocks = docs.matchAll(/^```(?<info>.*)\n(?<text>[^]*?)^```$/gm);
  const isCompiled = ({ groups }) => /^(?:rust|no_run|,)*$/.test(groups.info.trim());
  return [...blocks].filter(isCompiled).map(({ groups }) => groups.text).join("\n");
}
