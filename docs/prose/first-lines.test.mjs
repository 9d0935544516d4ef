// The doc comments of the public interfaces begin with a short sentence, and their functions have examples.

import assert from "node:assert/strict";
import { test } from "node:test";

import { faults, publicItems } from "./first-lines.mjs";
import { rustItems } from "./rust-items.mjs";
import { witItems } from "./wit-items.mjs";

const THIRTEEN = "/// Finds one two three four five six seven eight nine ten eleven twelve.";
const TWELVE = THIRTEEN.replace(" one", "");
const EXAMPLE = "///\n/// # Examples\n/// ```\n/// assert_eq!(f(1), 2);\n/// ```";

/** The items of a crate with these files; a text alone is its `lib.rs`. */
function crate(files) {
  const all = typeof files === "string" ? { "lib.rs": files } : files;
  const read = (path) => Object.entries(all).find(([name]) => path === `a/src/${name}`)?.[1];
  return rustItems(read, "a/src/lib.rs", "other.rs" in all ? { other: "a/src/other.rs" } : {});
}

const ofCrate = (files) => faults(crate(files));
const ofWit = (text) => faults(witItems("a.wit", text));
const documented = (text) => `//! Finds.\n${text}`;

const items = publicItems();

test("the public items have a short first sentence, and the functions an example", () => {
  assert.deepEqual(faults(items), [], "CONTRIBUTING.md says how to write");
});

test("the items of every interface are read", () => {
  const names = new Set(items.map(({ path, name, owner }) => `${path} ${owner ? `${owner.name}.` : ""}${name}`));
  for (const name of [
    "engine/src/lib.rs the crate",
    "engine/src/api/error.rs Error.within",
    "engine/src/api/limits.rs MAX_BATCH",
    "engine/src/api/options.rs DetectOptions.explain",
    "engine/schema/src/check.rs Part.from",
    "engine/src/protect/keys.rs Keyring.with_previous",
    "engine/src/verbs/conversation.rs Finder.belief",
    "engine/phrase/src/work.rs Work.total",
    "host-native/src/engine.rs TextStream.push",
    "host-native/src/app/key_value/mod.rs KeyValueStore.get",
    "host-native/src/app/server.rs App.serve",
    "wit/world.wit engine",
    "wit/types.wit allow-list",
    "wit/streaming.wit push",
  ]) {
    assert.ok(names.has(name), name);
  }
  assert.ok(!names.has("engine/src/api/entity.rs Country.literal"), "an item of `pub(crate)`");
});

test("a planted fault of a crate is found", () => {
  for (const [text, found] of [
    ["pub struct A;", "a/src/lib.rs:1: module the crate has no first sentence"],
    [`//! ${THIRTEEN.slice(4)}\n`, "a/src/lib.rs:1: module the crate has a first sentence of 13 words"],
    [documented("pub struct A;"), "a/src/lib.rs:2: struct A has no first sentence"],
    [documented("// A comment.\n#[derive(Debug)]\npub enum A {}"), "a/src/lib.rs:4: enum A has no first sentence"],
    [documented("/// # Panics\npub trait A {}"), "trait A has no first sentence"],
    [documented(`${THIRTEEN}\npub type A = u8;`), "type A has a first sentence of 13 words"],
    [documented(`${THIRTEEN}\n#[cfg(unix)]\n#[deprecated]\npub const A: u8 = 1;`), "a/src/lib.rs:5: constant A has a first sentence of 13 words"],
    [documented(`${TWELVE.replace(".", "\n/// and goes on.")}\npub static A: u8 = 1;`), "static A has a first sentence of 15 words"],
    [documented("/// An a.\npub struct A {\n    pub b: u8,\n}"), "a/src/lib.rs:4: field A.b has no first sentence"],
    [documented(`/// An a.\npub enum A {\n    /// One.\n    One,\n    ${THIRTEEN}\n    Two(u8),\n}`), "variant A.Two has a first sentence of 13 words"],
    [documented("/// An a.\npub enum A {\n    /// One.\n    One { b: u8 },\n}"), "field One.b has no first sentence"],
    [documented("/// An a.\npub trait A {\n    type B;\n}"), "type A.B has no first sentence"],
    [documented("pub mod a {}"), "module a has no first sentence"],
    // functions
    [documented("/// Finds.\npub fn f() {}"), "a/src/lib.rs:3: function f has no example"],
    [documented("/// Finds.\npub const unsafe fn f() {}"), "function f has no example"],
    [documented("/// An a.\npub struct A;\nimpl A {\n    /// Finds.\n    pub async fn f(&self) {}\n}"), "a/src/lib.rs:6: function A.f has no example"],
    [documented("/// An a.\npub struct A<T>(T);\nimpl<T: Into<u8>> A<T> {\n    /// Finds.\n    pub fn f(&self) {}\n}"), "function A.f has no example"],
    [documented("/// An a.\npub trait A {\n    /// Finds.\n    fn f(&self);\n}"), "function A.f has no example"],
    [documented(`/// Finds.\n${EXAMPLE.replace("assert_eq!", "drop")}\npub fn f() {}`), "function f has no example"],
    [documented(`/// Finds.\n${EXAMPLE.replace("f(1)", "of(1)")}\npub fn f() {}`), "function f has no example"],
    [documented(`/// Finds.\n${EXAMPLE.replace("```", "```text")}\npub fn f() {}`), "function f has no example"],
    [documented(`/// Finds.\n${EXAMPLE}\npub fn f() {}\n/// Finds.\n${EXAMPLE.replace("f(1)", "of(1)")}\npub fn g() {}`), "function g has no example"],
    [documented(`/// Finds.\n${EXAMPLE.replace("f(1)", "g(f(1))")}\npub fn f() {}\n/// Finds.\n${EXAMPLE.replace("f(1)", "g(f(1))")}\npub fn g() {}`), "function g has the example of f"],
    [documented(`/// An a.\n${EXAMPLE}\npub struct A;\nimpl A {\n    /// Finds.\n    pub fn g(&self) {}\n}`), "function A.g has no example"],
  ]) {
    const all = ofCrate(text);
    assert.ok(all.some((fault) => fault.includes(found)), `${text}\n${all.join("\n")}`);
  }
});

test("a fault behind `pub mod` and `pub use` is found", () => {
  const item = "/// An a.\npub struct A {\n    pub b: u8,\n}\n";
  for (const [files, path] of [
    [{ "lib.rs": documented("pub mod a;"), "a.rs": documented(item) }, "a.rs"],
    [{ "lib.rs": documented("pub mod a;"), "a/mod.rs": documented("pub mod b;"), "a/b.rs": documented(item) }, "a/b.rs"],
    [{ "lib.rs": documented("mod a;\npub use a::A;"), "a.rs": item }, "a.rs"],
    [{ "lib.rs": documented("mod a;\npub use a::{b::{self}};"), "a.rs": "pub mod b;", "a/b.rs": documented(item) }, "a/b.rs"],
    [{ "lib.rs": documented("mod a;\npub use crate::a::{A as C};"), "a.rs": "mod b;\npub use b::A;", "a/b.rs": item }, "a/b.rs"],
    [{ "lib.rs": documented("mod a;\npub use a::*;"), "a.rs": documented(item) }, "a.rs"],
    [{ "lib.rs": documented("pub use other::A;"), "other.rs": item }, "other.rs"],
  ]) {
    const text = files[path];
    const line = text.slice(0, text.indexOf("pub b")).split("\n").length;
    assert.deepEqual(ofCrate(files), [`a/src/${path}:${line}: field A.b has no first sentence`], JSON.stringify(files));
  }
});

test("a crate without faults passes", () => {
  for (const files of [
    documented(`${TWELVE}\npub struct A(pub u8);`),
    documented(`${TWELVE} A second sentence of the paragraph may have as many words as it needs.\npub struct A;`),
    documented(`/// Finds\n/// it.\n///\n${THIRTEEN}\npub struct A;`),
    documented("/// Reads `one two three four five six seven eight nine ten eleven twelve thirteen`.\npub struct A;"),
    documented(`/// Finds.\n${EXAMPLE}\npub fn f() {}`),
    documented(`/// Finds.\n${EXAMPLE.replace("```", "```no_run").replace("f(1)", "f::<u8>(1)")}\npub fn f() {}`),
    // the example of a type and of a trait
    documented(`/// An a.\n${EXAMPLE}\n#[derive(Debug)]\npub struct A;\nimpl A {\n    /// Finds.\n    pub fn f(&self) {}\n}`),
    documented(`/// An a.\n${EXAMPLE}\npub trait A {\n    /// Finds.\n    fn f(&self);\n}`),
    // items that other crates cannot reach
    documented("mod a { pub fn f() {} }\npub(crate) fn g() {}\nfn h() {}"),
    documented("/// An a.\npub struct A { b: u8, pub(crate) c: u8 }\nimpl A { fn f() {} pub(super) fn g() {} }"),
    documented("/// An a.\npub struct A;\nimpl std::fmt::Display for A { fn fmt(&self) {} }"),
    documented("struct A;\nimpl A { pub fn f() {} }"),
    documented("#[cfg(test)]\nmod tests { pub fn f() {} }"),
    documented("pub use std::fmt::Debug;"),
    { "lib.rs": documented("mod b;\n/// An a.\npub struct A;"), "b.rs": "struct A; impl A { pub fn f() {} }" },
  ]) {
    assert.deepEqual(ofCrate(files), [], JSON.stringify(files));
  }
});

test("a planted fault of a WIT file is found", () => {
  const within = (text) => `/// An a.\ninterface a {\n${text}\n}`;
  for (const [text, found] of [
    ["package a:b@1.0.0;", "a.wit:1: package a has no first sentence"],
    ["/// An a.\npackage a:b;\n\ninterface a {}", "a.wit:4: interface a has no first sentence"],
    ["world a {\n    export b;\n}", "world a has no first sentence"],
    [within("// A comment.\nrecord b {}"), "a.wit:4: record b has no first sentence"],
    [within(`${THIRTEEN}\nenum b { }`), "enum b has a first sentence of 13 words"],
    [within("/// A b.\nrecord b {\n    /// A c.\n    c: list<tuple<string, u8>>,\n    %type: u8,\n}"), "a.wit:7: field type has no first sentence"],
    [within(`/// A b.\nenum b {\n    /// A c.\n    c,\n    ${THIRTEEN}\n    d,\n}`), "case d has a first sentence of 13 words"],
    [within("/// A b.\nvariant b { c(u8) }"), "case c has no first sentence"],
    [within("/// A b.\nflags b { c }"), "flag c has no first sentence"],
    [within("type b = list<u8>;"), "type b has no first sentence"],
    [within("use c.{d, e};\nb: func(c: u8, d: u8) -> result<string, e>;"), "function b has no first sentence"],
    [within("/// A b.\nresource b {\n    /// Opens.\n    open: static func(\n        c: u8,\n    ) -> b;\n    push: func();\n}"), "a.wit:9: method push has no first sentence"],
    [within("/// A b.\nb: func();\nc: func();"), "function c has no first sentence"],
  ]) {
    const all = ofWit(text);
    assert.ok(all.length === 1 && all[0].includes(found), `${text}\n${all.join("\n")}`);
  }
});

test("a WIT file without faults passes", () => {
  for (const text of [
    "/// An a.\npackage a:b@1.0.0;\n\n/// An a.\nworld a {\n    import b: interface {\n}\n    export c;\n}",
    `${TWELVE}\ninterface a {\n    use b.{c, d};\n\n    /// A b.\n    e: func(\n        f: option<c>,\n        g: list<u8>,\n    ) -> result<d, c>;\n}`,
    "/// An a.\ninterface a {\n    /// A b.\n    variant use-case {\n        /// A type.\n        %use(list<tuple<u8, u8>>),\n        /// A c.\n        c,\n    }\n}",
  ]) {
    assert.deepEqual(ofWit(text), [], text);
  }
});
