// The hook and the text area for React, in a real browser and rendered on a server.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { build } from "vite";
import { launch, record, serve, SKIPPED } from "./browser.mjs";
import { guideExamples } from "./guides.mjs";
import { NODE_MODULES, project } from "./project.mjs";

const { folder, run } = project();
for (const name of ["react", "react-dom", "scheduler", "csstype"]) symlinkSync(join(NODE_MODULES, name), join(folder, "node_modules", name));
mkdirSync(join(folder, "node_modules/@types"), { recursive: true });
for (const name of ["react", "react-dom"]) symlinkSync(join(NODE_MODULES, "@types", name), join(folder, "node_modules/@types", name));

const PAGE = '<!doctype html><title>react</title><link rel="icon" href="data:," /><div id="root"></div><script type="module" src="./main.js"></script>';
const MAIN = `
  import { createElement as h, createRef, StrictMode, useState } from "react";
  import { flushSync } from "react-dom";
  import { createRoot } from "react-dom/client";
  import { openWorker } from "textveil/worker";
  import { ProtectedTextarea, useProtect } from "textveil/react";

  const told = { findings: [], responses: [], errors: [], renders: 0, workers: [] };
  const area = createRef();

  function Preview({ open, id }) {
    const { protector, error } = useProtect(open);
    const [text, setText] = useState("");
    const show = async () => setText((await protector.protect("Dear Emily Carter")).protectedText);
    const state = error ? error.code + " " + error.field : protector ? "ready" : "loading";
    return h("p", { id }, h("b", null, state), h("button", { onClick: show, disabled: !protector }, "protect"), h("i", null, text));
  }

  function Form() {
    told.renders += 1;
    return h("form", { id: "form" },
      h(ProtectedTextarea, {
        ref: area, name: "message", id: "message", defaultValue: "Dear Emily Carter", required: true, options: { mode: "mask" },
        onFindings: (findings) => told.findings.push(findings.map(({ type }) => type).join()),
        onProtected: ({ protectedText }) => told.responses.push(protectedText),
      }),
      h(ProtectedTextarea, { name: "message", disabled: true, defaultValue: "Emily Carter" }),
      h(ProtectedTextarea, { name: "broken", id: "broken", options: { key: "00" }, notReadyMessage: "wait", onProtectError: ({ field }) => told.errors.push(field) }));
  }

  const inWorker = async () => {
    const worker = await openWorker({ mode: "mask", names: false, denyList: [{ value: "Emily Carter" }] });
    told.workers.push(worker);
    return worker;
  };
  const options = { mode: "placeholder" };
  const wrong = { key: "00" };
  function App({ isThere }) {
    return h(StrictMode, null, isThere && [
      h(Preview, { key: 1, id: "page", open: options }),
      h(Preview, { key: 2, id: "worker", open: inWorker }),
      h(Preview, { key: 3, id: "wrong", open: wrong }),
      h(Form, { key: 4 })]);
  }
  const root = createRoot(document.getElementById("root"));
  flushSync(() => root.render(h(App, { isThere: true })));
  // before anything is loaded
  const form = document.getElementById("form");
  const early = [...new FormData(form)];
  const isValid = area.current.checkValidity();
  window.probe = { root, told, area, early, isValid, form, leave: () => root.render(h(App, { isThere: false })) };
`;

describe("in a page of Chromium", { skip: SKIPPED }, () => {
  let site, browser, page, seen;
  before(async () => {
    writeFileSync(join(folder, "index.html"), PAGE);
    writeFileSync(join(folder, "main.js"), MAIN);
    await build({ root: folder, logLevel: "error", build: { target: "es2022" }, define: { "process.env.NODE_ENV": '"development"' } });
    site = await serve(join(folder, "dist"));
    browser = await launch();
    page = await browser.newPage();
    seen = record(page);
    await page.goto(site.address);
    await page.waitForFunction(() => window.probe).catch((error) => assert.fail(`${error}\n${seen.errors.join("\n")}`));
  });
  after(async () => {
    await page?.close();
    await site?.close();
  });

  for (const [id, shown] of [["page", "Dear [[NAME_1]]"], ["worker", "Dear ************"]]) {
    test(`useProtect opens a protector of a ${id}`, async () => {
      await page.locator(`#${id} b`).getByText("ready").waitFor();
      await page.locator(`#${id} button`).click();
      await page.locator(`#${id} i`).getByText(shown).waitFor();
    });
  }

  test("useProtect says why it has no protector", async () => {
    await page.locator("#wrong b").getByText("invalid_request key").waitFor();
  });

  test("the form of ProtectedTextarea gets the protected text, and none before it is loaded", async () => {
    await page.waitForFunction(() => window.probe.area.current.checkValidity());
    const said = await page.evaluate(() => {
      const { early, isValid, form, told, area } = window.probe;
      const entries = [...new FormData(form)];
      const broken = document.getElementById("broken").validationMessage;
      return { early, isValid, entries, broken, errors: [...new Set(told.errors)], responses: told.responses, tag: area.current.tagName, named: form.elements.namedItem("message")?.id };
    });
    assert.deepEqual(said, {
      early: [],
      isValid: false,
      entries: [["message", "Dear ************"]],
      broken: "wait",
      errors: ["key"],
      responses: ["Dear ************"],
      tag: "TEXTAREA",
      named: "message",
    });
  });

  test("typing tells findings and renders nothing", async () => {
    const renders = await page.evaluate(() => window.probe.told.renders);
    await page.locator("#message").fill("mail jan.novak@example.cz");
    await page.waitForFunction(() => window.probe.told.findings.at(-1) === "email");
    await page.locator("#message").fill("");
    await page.waitForFunction(() => window.probe.told.findings.at(-1) === "");
    assert.equal(await page.evaluate(() => window.probe.told.renders), renders);
    assert.deepEqual(await page.evaluate(() => [...new FormData(window.probe.form)]), [["message", ""]]);
    // the text itself was there before
    assert.equal(await page.evaluate(() => window.probe.told.findings[0]), "name");
  });

  test("the guide's example gets a form protected", async () => {
    const [source] = guideExamples(folder, "tsx react");
    writeFileSync(join(folder, "contact.tsx"), source);
    writeFileSync(join(folder, "readme.js"), 'import { createElement } from "react"; import { createRoot } from "react-dom/client"; import { Contact } from "./contact.tsx"; createRoot(document.getElementById("root")).render(createElement(Contact));');
    writeFileSync(join(folder, "readme.html"), PAGE.replace("main.js", "readme.js"));
    await build({ root: folder, logLevel: "error", build: { target: "es2022", outDir: "readme", rollupOptions: { input: join(folder, "readme.html") } }, esbuild: { jsx: "automatic" } });
    const served = await serve(join(folder, "readme"));
    const example = await browser.newPage();
    const printed = [];
    example.on("console", (message) => printed.push(message.text()));
    await example.goto(`${served.address}readme.html`);
    await example.locator("p").getByText("for ************").waitFor();
    await example.waitForFunction(() => document.querySelector("textarea").checkValidity());
    await example.evaluate(() => document.querySelector("form").requestSubmit());
    await example.waitForFunction(() => document.querySelector("textarea").value === "Dear Emily Carter");
    await example.close();
    await served.close();
    assert.deepEqual(printed, ["Dear ************"]);
  });

  test("a protector ends with its component", async () => {
    await page.evaluate(() => window.probe.leave());
    // React removes the component later
    await page.waitForFunction(async () => {
      const { workers } = window.probe.told;
      const states = await Promise.all(workers.map((worker) => worker.detect("x").then(() => "alive", ({ name }) => name)));
      return states.length > 0 && states.every((state) => state === "AbortError");
    });
    assert.deepEqual(seen.errors, []);
  });
});

test("a server renders the text area", () => {
  const source = `
    import { createElement } from "react";
    import { renderToString } from "react-dom/server";
    import { ProtectedTextarea, useProtect } from "textveil/react";
    import { createRequire } from "node:module";
    const common = createRequire(import.meta.url)("textveil/react");
    const Page = () => createElement("p", null, String(useProtect().protector), createElement(ProtectedTextarea, { name: "a", id: "b", defaultValue: "c" }));
    console.log(renderToString(createElement(Page)), common.useProtect === useProtect);`;
  assert.equal(run("server.mjs", source), '<p>undefined<textarea id="b">c</textarea></p> true');
});

test("the types suit React's", () => {
  const source = `
    import { createElement, createRef } from "react";
    import { openWorker, type WorkerProtector } from "textveil/worker";
    import { ProtectedTextarea, useProtect, type ProtectedTextareaProps } from "textveil/react";
    const props: ProtectedTextareaProps = { name: "a", rows: 3, options: { mode: "mask" }, onFindings: (findings) => void findings.length };
    createElement(ProtectedTextarea, { ...props, ref: createRef<HTMLTextAreaElement>() });
    export function Page() {
      const { protector } = useProtect({ mode: "mask", names: false });
      const text: string | undefined = protector?.protect("x").protectedText;
      const worker: WorkerProtector | undefined = useProtect(() => openWorker()).protector;
      return createElement("p", null, text, worker === undefined);
    }
    // @ts-expect-error its text is not controlled
    createElement(ProtectedTextarea, { value: "x" });
  `;
  writeFileSync(join(folder, "react.mts"), source);
  const compilerOptions = { strict: true, noEmit: true, target: "es2022", module: "nodenext", lib: ["es2022", "dom", "dom.iterable"], types: [] };
  writeFileSync(join(folder, "tsconfig.json"), JSON.stringify({ compilerOptions, files: ["react.mts"] }));
  try {
    execFileSync(process.execPath, [join(NODE_MODULES, "typescript/bin/tsc"), "-p", folder], { encoding: "utf8" });
  } catch (error) {
    assert.fail(error.stdout);
  }
});
