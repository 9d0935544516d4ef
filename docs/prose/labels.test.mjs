// The labels, buttons, hints and toasts of the pages follow CONTRIBUTING.md, "Language".

import assert from "node:assert/strict";
import { test } from "node:test";

import { source } from "../generate/files.mjs";
import { faults, faultsOf, labels, shapeFaults } from "./labels.mjs";
import { messages, pageTexts } from "./page-texts.mjs";

/** Texts of pages by their role: `planted`, each with a part of its fault, and `plain` without faults. */
const { planted, plain } = JSON.parse(source("docs/prose/labels.json"));

/** The faults of a component. */
const faultsIn = (tsx) => faults(pageTexts(tsx).map((text) => ({ path: "a.tsx", language: "en", ...text })));

test("the labels of the pages are nouns, the buttons verbs, and the hints sentences", () => {
  assert.deepEqual(faults(labels()), [], "CONTRIBUTING.md says how to write");
});

test("a planted fault is found in its role", () => {
  for (const { role, text, found } of planted) {
    const all = faultsOf(role, text).join("\n");
    assert.ok(all.includes(found), `${role} “${text}”: ${all}`);
  }
});

test("plain texts are left alone", () => {
  for (const { role, text } of plain) assert.deepEqual(faultsOf(role, text), [], text);
});

test("a planted fault is found wherever a page has such a text", () => {
  const CLAUSE = "Days that records are kept";
  for (const tsx of [
    `<TextField label="${CLAUSE}" />`,
    `<TextField label={isLong ? "Days" : "${CLAUSE}"} />`,
    `<Check>${CLAUSE}</Check>`,
    `<label><span>${CLAUSE}</span><input /></label>`,
    `<fieldset><legend>${CLAUSE}</legend></fieldset>`,
    `<h2>{isOpen ? "Days" : \`${CLAUSE}\`}</h2>`,
    `<Table heads={["Time", "${CLAUSE}"]} />`,
    `<input aria-label="${CLAUSE}" placeholder="text" />`,
    `<input aria-label="Text" placeholder="${CLAUSE}" />`,
    `<button>Save what is typed</button>`,
    `<button aria-label={\`Remove what \${name} has\`}>✕</button>`,
    `<Adding verb="Rate it" label="Type" />`,
    `<p class="hint">in which findings are looked for</p>`,
    `<TextField label="Key" hint={isEdited ? "Leave empty." : "the one that is stored"} />`,
    `<p>Keep <code>key</code>: where none is named</p>`,
  ]) {
    assert.notDeepEqual(faultsIn(`const a = ${tsx};`), [], tsx);
  }
  for (const ts of [
    `const FIELDS = { key: { label: "${CLAUSE}" } };`,
    `const PAGES = [{ path: "a", title: "${CLAUSE}" }];`,
    `const tiles = [["Requests", 1], ["Taken by providers", 2]];`,
    `const OPTIONS = [["merge", "stays"], ["replace", "goes"]];`,
    `const HINT = "those of the service"; const a = <TextField label="Key" hint={HINT} />;`,
    `const done = () => announce(\`\${name} goes with it\`);`,
  ]) {
    assert.notDeepEqual(faultsIn(ts), [], ts);
  }
});

test("code, parts of a sentence and marks of a change are no texts of their own", () => {
  for (const tsx of [
    `<p>A route is a model. <code>primary</code> is used {isFirst && <>by <a href="#/routes">default routes</a></>}.</p>`,
    `<label>Model <span class="changed">not saved <button>Undo</button></span></label>`,
    `<td>{count} found</td>`,
    `<input title="1 to 64 letters, digits, dots, hyphens and underscores" aria-label="Workspace" />`,
    `<p role="status">{count} records, page {page} of {pages}</p>`,
    `<p class="empty">No key yet.</p>`,
  ]) {
    assert.deepEqual(faultsIn(`const a = ${tsx};`), [], tsx);
  }
});

test("a message has the role that the page gives it, in each language", () => {
  const role = (key) => labels().filter(({ path, variants }) => path.includes("/i18n/") && variants?.length && key(path, variants)).map(({ role }) => role);
  const of = (key) => {
    const lines = ["en", "cs", "de", "fr", "pl"].map((language) => {
      const path = `web/playground/i18n/${language}.ts`;
      return [path, messages(source(path)).get(key).variants[0]];
    });
    return lines.flatMap(([path, text]) => role((own, [variant]) => own === path && variant === text));
  };
  assert.deepEqual(new Set(of("addPattern")), new Set(["button"]));
  assert.deepEqual(new Set(of("keyNote")), new Set(["hint"]));
  assert.deepEqual(new Set(of("minConfidence")), new Set(["label"]));
});

test("another language has a limit of words and its stops", () => {
  assert.deepEqual(shapeFaults("button", "Datei schützen und ihre Struktur erhalten wie sie war"), ["9 words: 7 are the most of a button"]);
  assert.deepEqual(shapeFaults("hint", "Der Schlüssel verschwindet"), ["a hint ends with a full stop"]);
});

test("the texts of every page are read", () => {
  const all = labels().flatMap(({ path, role, variants }) => variants.map((text) => `${path} ${role} ${text}`));
  for (const text of [
    "web/console/pages/provider-form.tsx label Supports streaming",
    "web/console/pages/provider-form.tsx hint Leave empty to keep the current reference.",
    "web/console/pages/usage.tsx label Provider latency",
    "web/console/pages/keys.tsx button Hide the key",
    "web/console/conditions.ts label Entity types",
    "web/console/pages/import.tsx toast The file is imported. Policies: x added, x replaced, x removed.",
    "web/playground/i18n/en.ts hint Closing this page deletes the key. Only a saved key restores the tokens later.",
    "web/playground/i18n/de.ts button Muster hinzufügen",
  ]) {
    assert.ok(all.includes(text), text);
  }
  assert.ok(all.length > 1000, `${all.length} texts`);
});
