// Tests that need a page: the worker, large files, sessions that outlive the page.

import assert from "node:assert/strict";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { build } from "vite";
import { FIREFOX_SKIPPED, FULL, launch, launchFirefox, record, serve, SKIPPED } from "./browser.mjs";
import { HOSTS, TEXTS, TYPES, VALUES } from "./corpus.mjs";
import { project, ROOT } from "./project.mjs";
import { EXPECTED } from "./protector-body.mjs";

const PAGE = '<!doctype html><title>page</title><link rel="icon" href="data:," /><script type="module" src="./main.js"></script>';
const MAIN = `
  import { alive } from "./counting.mjs";
  import * as textveil from "textveil";
  import { openWorker } from "textveil/worker";
  import { contract } from "./protector-body.mjs";
  await textveil.init({ names: false });
  const counted = () => new Worker(new URL("./counted-worker.js", import.meta.url), { type: "module" });
  window.textveil = { ...textveil, openWorker, contract, counted, alive };`;
// a worker that tells how many objects of its WebAssembly are there
const COUNTED = `
  import { alive } from "./counting.mjs";
  import "textveil/worker-script";
  const channel = new BroadcastChannel("alive");
  channel.onmessage = ({ data }) => { if (data === "?") channel.postMessage(alive.size); };`;

const installed = project();
const { add, folder } = installed;

/** The documents with which the service and the program are compared, too: names, and content in base64. */
const DOCUMENTS = ["tests/conformance/documents", "documents/tests/office"].flatMap((path) =>
  readdirSync(join(ROOT, path))
    .filter((name) => !/\.(?:fod.|sh)$/.test(name))
    .map((name) => [name, readFileSync(join(ROOT, path, name)).toString("base64")]),
);

/** The size of the large file, in megabytes. Read whole, 30 take 279 MiB in Chromium, and by slices 81. */
const MEGABYTES = FULL ? 100 : 30;

const BROWSERS = [
  // it keeps large blobs elsewhere: neither the file nor what comes out counts
  { name: "Chromium", skip: SKIPPED, launch, process: "--type=renderer", bound: FULL ? 250 : 150 },
  // it keeps what comes out in the page's process, and collects garbage late; reading the file whole takes 950
  { name: "Firefox", skip: FIREFOX_SKIPPED, launch: launchFirefox, process: "-contentproc", bound: 500 },
];

for (const { name, skip, launch: start, process: kind, bound } of BROWSERS) describe(`in a page of ${name}`, { skip }, () => {
  let site, browser, page, seen;

  before(async () => {
    writeFileSync(join(folder, "index.html"), PAGE);
    writeFileSync(join(folder, "main.js"), MAIN);
    writeFileSync(join(folder, "counted-worker.js"), COUNTED);
    for (const file of ["counting.mjs", "protector-body.mjs"]) add(file);
    await build({ root: folder, logLevel: "error", build: { target: "es2022" } });
    site = await serve(join(folder, "dist"));
    browser = await start();
    page = await browser.newPage();
    seen = record(page);
    await open();
  });
  after(async () => {
    await page?.close();
    await site?.close();
  });

  async function open() {
    await page.goto(site.address);
    await page.waitForFunction(() => "textveil" in window);
  }

  for (const where of ["page", "worker"]) {
    test(`a protector of the ${where} has the verbs of every protector`, async () => {
      // as text: what drives the browser loses an object that is in an answer twice
      const done = await page.evaluate(async (where) => {
        const { alive, contract, counted, createProtector, openWorker } = textveil;
        if (where === "page") return JSON.stringify(await contract(async (options) => createProtector(options), async () => alive.size));
        const workers = [];
        const channel = new BroadcastChannel("alive");
        const open = async (options) => {
          // one of them counts: the one whose work is ended early
          const own = options.mode === "tokenize" ? { worker: counted() } : {};
          workers.push(await openWorker({ ...options, ...own, names: false }));
          return workers.at(-1);
        };
        const count = () => new Promise((done) => {
          channel.onmessage = ({ data }) => done(data);
          channel.postMessage("?");
        });
        const done = await contract(open, count);
        for (const worker of workers) worker.terminate();
        return JSON.stringify(done);
      }, where);
      assert.deepEqual(JSON.parse(done), JSON.parse(JSON.stringify(EXPECTED)));
      assert.deepEqual(seen.errors, []);
    });
  }

  test("a value is restored by its destination, as in Node and in the gateway", async () => {
    const given = { texts: TEXTS.map(([, text]) => text), values: VALUES, types: TYPES, restoreHosts: HOSTS };
    const got = await page.evaluate(({ texts, values, types, restoreHosts }) => {
      const protector = textveil.createProtector({ mode: "placeholder", restoreHosts });
      const made = Object.entries(values).map(([sign, value]) => [sign, protector.apply(value, [{ type: types[sign], start: 0, end: value.length }]).protectedText]);
      return texts.map((text) => {
        const restored = protector.restore(made.reduce((all, [sign, placeholder]) => all.replaceAll(sign, placeholder), text)).text;
        return made.reduce((all, [sign, placeholder]) => all.replaceAll(placeholder, sign), restored);
      });
    }, given);
    TEXTS.forEach(([name, , wanted], at) => assert.equal(got[at], wanted, name));
  });

  test("the worker does not begin what was aborted, and keeps sessions", async () => {
    const said = await page.evaluate(async () => {
      const why = (promise) => promise.then(() => "nothing", ({ name, code, field, message }) => [name, code ?? message, field].join(" "));
      const worker = await textveil.openWorker({ mode: "placeholder", session: "worker 1", names: false });
      const controller = new AbortController();
      const busy = worker.protect("PESEL 44051401359\n".repeat(5_000));
      const aborted = why(worker.protect("jan.novak@example.cz", { signal: controller.signal }));
      controller.abort(new Error("stopped"));
      await busy;
      const said = [await aborted, await worker.session.size];
      await worker.session.keep();
      worker.terminate();
      said.push(await why(worker.detect("x")), await why(worker.stream().writable.getWriter().write("x")));
      const again = await textveil.openWorker({ session: "worker 1", names: false });
      said.push((await again.restore("[[PESEL_1]]")).text);
      await again.session.forget();
      again.terminate();
      for (const name of ["keep", "replace", "store"]) said.push(await why(textveil.openWorker({ [name]: () => true })));
      said.push(await why(textveil.openWorker({ signal: AbortSignal.abort(new Error("stopped")) })));
      return said;
    });
    assert.deepEqual(said, [
      "Error stopped ",
      1,
      "AbortError 20 ",
      "AbortError 20 ",
      "44051401359",
      "TextveilError invalid_request keep",
      "TextveilError invalid_request replace",
      "TextveilError invalid_request store",
      "Error stopped ",
    ]);
    seen.errors.length = 0;
  });

  test("names can be loaded later, and are found by default in the worker", async () => {
    const said = await page.evaluate(async () => {
      const text = "My name is Oliver Bennett.";
      const found = ({ entities }) => entities.map(({ original }) => original).join();
      const own = [found(textveil.detect(text))];
      const failed = await textveil.initNames("/none.wasm").then(() => "loaded", () => "failed");
      await Promise.all([textveil.initNames(), textveil.initNames()]);
      own.push(failed, found(textveil.detect(text)));
      const wasm = performance.getEntriesByType("resource").map(({ name }) => name).find((name) => /names[^/]*\.wasm$/.test(name));
      const beside = [];
      for (const names of [undefined, false, true, new URL(wasm), await WebAssembly.compileStreaming(fetch(wasm))]) {
        const worker = await textveil.openWorker({ names });
        beside.push(found(await worker.detect(text)));
        worker.terminate();
      }
      return { own, beside };
    });
    const name = "Oliver Bennett";
    assert.deepEqual(said, { own: ["", "failed", name], beside: [name, "", name, name, name] });
    // of the address without a page
    seen.errors.length = 0;
  });

  test("documents of each format come out as in Node, here and in the worker", async () => {
    const { createProtector } = await installed.import();
    const node = createProtector({ mode: "mask" });
    const wanted = await Promise.all(DOCUMENTS.map(async ([name, content]) => (await node.file(new File([Buffer.from(content, "base64")], name))).file.text()));
    const got = await page.evaluate(async (documents) => {
      await textveil.initNames();
      const worker = await textveil.openWorker({ mode: "mask" });
      const protect = (protector) =>
        Promise.all(documents.map(async ([name, content]) => {
          const bytes = Uint8Array.from(atob(content), (letter) => letter.charCodeAt(0));
          return (await protector.file(new File([bytes], name))).file.text();
        }));
      const made = [await protect(textveil.createProtector({ mode: "mask" })), await protect(worker)];
      worker.terminate();
      return made;
    }, DOCUMENTS);
    DOCUMENTS.forEach(([name], at) => {
      assert.match(wanted[at], /\*{5}/, name);
      for (const made of got) assert.equal(made[at], wanted[at], name);
    });
  });

  test("the worker says what is wrong, ends early, and ends", async () => {
    const said = await page.evaluate(async () => {
      const why = (promise) => promise.then(() => "nothing", ({ name, code, field }) => [name, code, field].join(" "));
      const worker = await textveil.openWorker({ names: false });
      const large = new Blob(Array(200).fill("x jan.novak@example.cz\n".repeat(1_000)));
      const circle = {};
      circle.explain = circle;
      const controller = new AbortController();
      let calls = 0;
      const said = [
        await why(worker.detect("x", { entites: [] })),
        await why(worker.detect("x", circle)),
        await why(worker.detect("x", { explain: () => {} })),
        await why(worker.protect("x", { mode: "shred" })),
        await why(worker.file(large, { signal: AbortSignal.abort() })),
        await why(worker.file(large, { signal: controller.signal }, () => { calls += 1; controller.abort(); })),
        calls,
        (await worker.protect("jan.novak@example.cz")).protectedText,
        await why(textveil.openWorker({ key: "00" })),
        await why(textveil.openWorker({ wasm: "/none.wasm" })),
        await why(textveil.openWorker({ names: "/none.wasm" })),
        await why(worker.detect("x", { entities: ["name"] })),
      ];
      const waiting = worker.file(large);
      worker.terminate();
      return [...said, await why(waiting)];
    });
    assert.deepEqual(said, [
      "TextveilError invalid_request entites",
      "TextveilError internal_error ",
      "DataCloneError 25 ",
      "TextveilError invalid_request mode",
      "AbortError 20 ",
      "AbortError 20 ",
      1,
      "[REDACTED]",
      "TextveilError invalid_request key",
      "TextveilError not_loaded wasm",
      "TextveilError not_loaded names",
      "TextveilError not_loaded entities",
      "AbortError 20 ",
    ]);
    seen.errors.length = 0;
  });

  test("a worker that did not open keeps no later one from opening", async () => {
    const outcomes = await page.evaluate(async () => {
      const outcome = (promise) => promise.then(() => "opened", ({ name }) => name);
      const late = new Promise((done) => setTimeout(done, 60_000, "not in a minute"));
      const outcomes = [];
      for (let round = 0; round < 20; round += 1) {
        const controller = new AbortController();
        const aborted = outcome(textveil.openWorker({ signal: controller.signal }));
        setTimeout(() => controller.abort(), 2 * round);
        const failed = outcome(textveil.openWorker({ wasm: "/none.wasm" }));
        const open = textveil.openWorker().then((worker) => worker.terminate());
        outcomes.push(await failed, await Promise.race([outcome(open), late]));
        await aborted;
      }
      return [...new Set(outcomes)];
    });
    assert.deepEqual(outcomes, ["TextveilError", "opened"]);
    seen.errors.length = 0;
  });

  test(`a file of ${MEGABYTES} MB is protected in bounded memory, while the page stays awake`, async (context) => {
    const before = memory(kind);
    let peak = 0;
    const sampling = setInterval(() => (peak = Math.max(peak, memory(kind))), 200);
    // also after a failure, or the process of this file would never end
    context.after(() => clearInterval(sampling));
    const { size, found, frames, progress, tail } = await page.evaluate(async (megabytes) => {
      const line = "2026-11-22T08:00:00Z INFO the nightly import is done, and all is well in the office today\n";
      const block = new Blob([`${line.repeat(9)}login of jan.novak@example.cz from the office\n`.repeat(1_200)]);
      const file = new File(Array(megabytes).fill(block), "large.log");
      const worker = await textveil.openWorker({ mode: "mask", names: false });
      let frames = 0;
      let busy = true;
      const frame = () => { frames += 1; if (busy) requestAnimationFrame(frame); };
      requestAnimationFrame(frame);
      let progress = 0;
      const done = await worker.file(file, {}, ({ read, total }) => { progress = read / total; });
      busy = false;
      worker.terminate();
      return { size: [file.size, done.file.size], found: done.found, frames, progress, tail: await done.file.slice(-200).text() };
    }, MEGABYTES);
    assert.ok(size[0] > MEGABYTES * 1_000_000);
    assert.equal(size[1], size[0]);
    assert.equal(progress, 1);
    assert.deepEqual(found, { email: MEGABYTES * 1_200 });
    assert.match(tail, /login of \*{20} from the office/);
    assert.ok(frames >= 20, `${frames} frames`);
    const grown = (peak - before) / 2 ** 20;
    assert.ok(grown < bound, `the page took ${grown.toFixed(0)} MiB more`);
  });

  test("a session is kept for the next time, and nobody can read it", async () => {
    const text = "PESEL 44051401359, mail jan.novak@example.cz";
    const replaced = await page.evaluate(async (text) => {
      const protector = await textveil.openProtector({ session: "case 7" });
      const both = ["hash", "tokenize"].map((mode) => protector.protect(text, { mode }).protectedText);
      await protector.session.keep();
      return both;
    }, text);
    await open();
    const again = await page.evaluate(async (replaced) => {
      const protector = await textveil.openProtector({ session: "case 7" });
      const other = await textveil.openProtector({ session: "case 8" });
      return [...replaced.map((one) => protector.restore(one)), ...replaced.map((one) => other.restore(one))].map(({ text, restored }) => [text, restored]);
    }, replaced);
    assert.deepEqual(again, [[text, 2], [text, 2], [replaced[0], 0], [replaced[1], 0]]);

    const stored = await page.evaluate(async () => {
      const opened = indexedDB.open("textveil");
      const done = (request) => new Promise((resolve) => { request.onsuccess = () => resolve(request.result); });
      const database = await done(opened);
      const [key] = await done(database.transaction("keys").objectStore("keys").getAll());
      const [{ data }] = await done(database.transaction("sessions").objectStore("sessions").getAll());
      database.close();
      const taken = await crypto.subtle.exportKey("raw", key).then(() => "taken", ({ name }) => name);
      return { taken, text: new TextDecoder("latin1").decode(data) };
    });
    assert.equal(stored.taken, "InvalidAccessError");
    assert.ok(stored.text.length > 100 && !/44051401359|jan\.novak|originals/.test(stored.text));

    const left = await page.evaluate(async (replaced) => {
      const protector = await textveil.openProtector({ session: "case 7" });
      await protector.session.forget();
      const anew = await textveil.openProtector({ session: "case 7" });
      return replaced.map((one) => anew.restore(one).restored);
    }, replaced);
    assert.deepEqual(left, [0, 0]);
    assert.deepEqual(seen.errors, []);
  });
});

/** The memory of the largest of our browser's processes of a kind, in bytes: what is its own and not shared. */
function memory(kind) {
  const parents = new Map();
  const sizes = new Map();
  for (const id of readdirSync("/proc").filter((name) => /^\d+$/.test(name))) {
    try {
      const status = readFileSync(`/proc/${id}/status`, "utf8");
      const number = (name) => Number(new RegExp(`^${name}:\\s+(\\d+)`, "m").exec(status)?.[1] ?? 0);
      parents.set(Number(id), number("PPid"));
      if (readFileSync(`/proc/${id}/cmdline`, "utf8").includes(kind)) sizes.set(Number(id), number("RssAnon") * 1024);
    } catch {
      // it ended meanwhile
    }
  }
  const ours = (id) => id === process.pid || (parents.has(id) && ours(parents.get(id)));
  return Math.max(0, ...[...sizes].filter(([id]) => ours(id)).map(([, size]) => size));
}
