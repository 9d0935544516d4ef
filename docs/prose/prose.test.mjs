// The prose of the repository follows CONTRIBUTING.md, "Language".

import assert from "node:assert/strict";
import { test } from "node:test";

import { source } from "../generate/files.mjs";
import { check, files } from "./check.mjs";
import { entries } from "./glossary.mjs";

/** Texts, each as a file: `planted` have one fault, with a part of its message; `plain` have none of them. */
const { planted, plain } = JSON.parse(source("docs/prose/cases.json"));

test("documents, messages, help, page texts and comments are plain", async () => {
  const found = [];
  for (const path of files()) {
    for (const { line, message } of await check(path, source(path))) found.push(`${path}:${line}: ${message}`);
  }
  assert.deepEqual(found, [], "CONTRIBUTING.md says how to write");
});

test("a planted fault is found", async () => {
  for (const { path, text, found } of planted) {
    const messages = (await check(path, text)).map(({ message }) => message).join("\n");
    assert.ok(messages.includes(found), `${text}\n${messages}`);
  }
});

test("code, tests, lists and plain sentences are left alone", async () => {
  for (const { path, text } of plain) assert.deepEqual(await check(path, text), [], text);
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
  assert.deepEqual((await check("a.rs", "/// One.\n/// Two is\n/// none.\nfn f() {}")).map(({ line }) => line), [2]);
  assert.deepEqual((await check("a.rs", '\n\nconst A: &str = "first line of it \\\n  and nobody refuses it";')).map(({ line }) => line), [4]);
});
