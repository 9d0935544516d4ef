// The prose of the repository follows CONTRIBUTING.md, "Language".

import assert from "node:assert/strict";
import { test } from "node:test";

import { source } from "../generate/files.mjs";
import { check, files } from "./check.mjs";
import { entries } from "./glossary.mjs";

/** Findings that are known: paths and the beginnings of messages. Remove a line with its cause; add none. */
const known = new Set(source("docs/prose/known.txt").split("\n").filter((line) => line && !line.startsWith("#")));

test("documents, messages, help and page texts are plain", async () => {
  const found = [];
  for (const path of files()) {
    for (const { line, message } of await check(path, source(path))) found.push({ line, entry: `${path}: ${message}` });
  }
  const entriesFound = new Set(found.map(({ entry }) => entry));
  const fresh = found.filter(({ entry }) => !known.has(entry)).map(({ line, entry }) => entry.replace(":", `:${line}:`));
  assert.deepEqual(fresh, [], "CONTRIBUTING.md says how to write");
  const mended = [...known].filter((entry) => !entriesFound.has(entry));
  assert.deepEqual(mended, [], "no longer found: remove these lines from docs/prose/known.txt");
});

/** A text of each kind of file with one fault, and part of the message. */
const planted = [
  ["a.md", "The host keeps a record.\n\nWhat is longer than this goes to the next one.\n", "What is"],
  ["a.md", "- A number of eleven digits\n  is none without its label.\n", "is none"],
  ["a.md", "| key | meaning |\n| --- | --- |\n| `at` | what stands before the value |\n", "stands before"],
  ["a.md", "Whoever has the key can read the values.\n", "Whoever has"],
  ["a.md", "The limits are checked by the gateway.\n", "are checked by the"],
  ["a.md", "# The number is to be valid\n", "is to be"],
  ["a.md", "The service turns the tokens back.\n", "use “restore”"],
  ["a.md", "Requests in work count.\n", "use “in flight”"],
  ["a.md", `The service ${"reads the text and ".repeat(9)}stops.\n`, "a sentence of 39 words"],
  ["a.rs", 'fn f() -> &\'static str { "a body that cannot be looked at, \\\n  is left out" }', "use “inspect”"],
  ["a.rs", 'fn f(n: u8) { println!("{n} requests are in work"); }', "use “in flight”"],
  ["a.rs", 'const HELP: &str = r#"Whoever can read the "store" has all."#;', "Whoever can"],
  ["a.mjs", "throw new Error(`the value ${name} is none of this type`);", "is none"],
  ["a.tsx", "const page = <p>Requests in work: <b>{count}</b></p>;", "use “in flight”"],
  ["a.ts", 'export const en = { note: "The page turns tokens back." };', "use “restore”"],
  ["openapi.json", '{ "description": "What is absent becomes its default." }', "What is"],
  ["a.html", "<p>What cannot be read is left out.</p>", "What cannot"],
  ["a.wit", "/// The number of requests\n/// that are in work.\nrecord usage {}", "use “in flight”"],
];

/** Texts that are not prose of ours, or are plain. */
const plain = [
  ["a.md", "Send `what is none` as code, and:\n\n```text\nWhat is none stands before it.\n```\n"],
  ["a.md", "> What is none stands before it.\n"],
  ["a.md", "## What it does not do\n\nWhat is a token? It replaces a value. None of the values are stored.\n"],
  ["a.md", `Regions: ${"PL 11 · ".repeat(60)}ZW 1.\n`],
  ["a.md", `Types: ${"`one`, `two`, ".repeat(30)}and others.\n`],
  ["a.rs", '#[cfg(test)]\nmod tests { #[test] fn f() { assert!(true, "what is none stands before it"); } }'],
  ["a.rs", '#[arg(help = "the requests are in work")]\nstruct A; // what stands before it is none'],
  ["a.rs", `const WORDS: &str = "${"alpha beta gamma ".repeat(20)}";`],
  ["a.rs", 'fn f() { write!(out, "Entry {{ in work: {}, texts: {} }}", 1, 2); }'],
  ["a.mjs", "// what stands before it is none\nconst path = 'in work';"],
];

test("a planted fault is found", async () => {
  for (const [path, text, part] of planted) {
    const messages = (await check(path, text)).map(({ message }) => message).join("\n");
    assert.ok(messages.includes(part), `${text}\n${messages}`);
  }
});

test("code, tests, lists and plain sentences are left alone", async () => {
  for (const [path, text] of plain) assert.deepEqual(await check(path, text), [], text);
});

test("each phrase that the glossary replaces is found, with its term", async () => {
  const all = entries().flatMap(({ term, phrases }) => phrases.map((phrase) => ({ term, phrase })));
  assert.ok(all.length > 20, `${all.length} phrases`);
  for (const { term, phrase } of all) {
    const messages = await check("a.md", `Here, ${phrase.replace("…", "the words")} is a phrase.\n`);
    assert.ok(messages.some(({ message }) => message.includes(`use “${term}”`)), phrase);
  }
});

test("a finding names its line", async () => {
  assert.deepEqual((await check("a.md", "One.\nTwo.\nThe requests\nin work.\n")).map(({ line }) => line), [4]);
  assert.deepEqual((await check("a.rs", '\n\nconst A: &str = "first line of it \\\n  and requests in work";')).map(({ line }) => line), [4]);
});
