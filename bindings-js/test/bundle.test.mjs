// The package in a page that Vite built and in one that nobody built, in a real browser.

import assert from "node:assert/strict";
import { readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { build } from "vite";
import { launch, record, serve, SKIPPED } from "./browser.mjs";
import { project } from "./project.mjs";

const PAGE = '<!doctype html><title>bundle</title><link rel="icon" href="data:," /><script type="module" src="./main.js"></script>';
const MAIN = `
  import { detect, init, protect, protectStream, restore, TextveilError } from "textveil";
  const text = "🙂 PESEL 44051401359";
  let early;
  try { detect(text); } catch (error) { early = error instanceof TextveilError && error.code; }
  await init();
  const named = protect("Dear Emily Carter").protectedText;
  const { type, country, start, end, original, metadata } = detect(text).entities[0];
  const sealed = protect(text, { mode: "tokenize" }).protectedText;
  const stream = new Blob([text]).stream().pipeThrough(protectStream());
  let streamed = "";
  const reader = stream.getReader();
  for (let part = await reader.read(); !part.done; part = await reader.read()) streamed += part.value;
  window.answer = { early, named, type, country, metadata, slice: text.slice(start, end) === original, back: restore(sealed).text === text, streamed };
`;

test("a Vite build finds, protects and restores in Chromium", { skip: SKIPPED }, async () => {
  const { folder } = project();
  writeFileSync(join(folder, "index.html"), PAGE);
  writeFileSync(join(folder, "main.js"), MAIN);
  await build({ root: folder, logLevel: "warn", build: { target: "es2022" } });

  const site = await serve(join(folder, "dist"));
  const browser = await launch();
  try {
    const page = await browser.newPage();
    const seen = record(page);
    await page.goto(site.address);
    await page.waitForFunction(() => window.answer).catch((error) => assert.fail(`${error}\n${seen.errors.join("\n")}`));
    const answer = await page.evaluate("window.answer");
    assert.equal(answer.early, "not_loaded");
    assert.equal(answer.named, "Dear [REDACTED]");
    assert.deepEqual([answer.type, answer.country, answer.slice, answer.back], ["pesel", "PL", true, true]);
    assert.deepEqual([answer.metadata.birthDate, answer.metadata.gender], ["1944-05-14", "male"]);
    assert.equal(answer.streamed, "🙂 PESEL [REDACTED]");
    assert.deepEqual(seen.errors, []);
    assert.equal(seen.requests.filter((url) => url.endsWith(".wasm")).length, 2);
  } finally {
    await browser.close();
    await site.close();
  }
});

test("the examples of the README and of the types for browsers print what they say", { skip: SKIPPED }, async () => {
  const { folder } = project();
  const readme = readFileSync(join(folder, "node_modules/textveil/README.md"), "utf8");
  const examples = [...readme.matchAll(/^```js browser\n(.*?)^```/gms)].map(([, source]) => source);
  assert.ok(examples.length >= 2);
  const types = readFileSync(join(folder, "node_modules/textveil/esm/worker.d.ts"), "utf8");
  const [, ofWorker] = /@example\n((?: \*(?!\/).*\n)+)/.exec(types);
  const printing = ofWorker.replaceAll(/^ \* /gm, "").replace(/^(.*); \/\/ "(.*)"$/m, "console.log($1); // $2");
  assert.match(printing, /console\.log/);
  examples.push(`import { openWorker } from "textveil/worker";\n${printing}`);
  const site = { close: async () => {} };
  const browser = await launch();
  try {
    for (const [index, source] of examples.entries()) {
      writeFileSync(join(folder, "index.html"), PAGE);
      writeFileSync(join(folder, "main.js"), `${source}\nwindow.answer = true;`);
      await build({ root: folder, logLevel: "warn", build: { target: "es2022" } });
      const served = await serve(join(folder, "dist"));
      site.close = () => served.close();
      const page = await browser.newPage();
      const printed = [];
      page.on("console", (message) => printed.push(message.text().replaceAll("\n", " ").trim()));
      const seen = record(page);
      await page.goto(served.address);
      await page.waitForFunction(() => window.answer).catch((error) => assert.fail(`${index}: ${error}\n${seen.errors.join("\n")}`));
      for (const [, wanted] of source.matchAll(/console\.log\(.*\)\)?; \/\/ (.+)$/gm)) {
        assert.ok(printed.includes(wanted), `${wanted} is not in\n${printed.join("\n")}`);
      }
      await page.close();
      await served.close();
    }
  } finally {
    await browser.close();
    await site.close().catch(() => {});
  }
});

test("a page without a bundler loads it from the folder of the package", { skip: SKIPPED }, async () => {
  const { folder } = project();
  const readme = readFileSync(join(folder, "node_modules/textveil/README.md"), "utf8");
  const [, example] = /^```html\n(.*?)^```/ms.exec(readme);
  writeFileSync(join(folder, "index.html"), `<!doctype html><link rel="icon" href="data:," />${example}`);
  symlinkSync(join(folder, "node_modules/textveil"), join(folder, "textveil"));

  const site = await serve(folder);
  const browser = await launch();
  try {
    const page = await browser.newPage();
    const seen = record(page);
    await page.goto(site.address);
    await page.waitForFunction(() => document.title).catch((error) => assert.fail(`${error}\n${seen.errors.join("\n")}`));
    assert.equal(await page.title(), "My name is [REDACTED].");
    assert.deepEqual(seen.errors, []);
  } finally {
    await browser.close();
    await site.close();
  }
});
