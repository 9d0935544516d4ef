// The pages as the service sends them: their headers, and that they work under them.

import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { request } from "node:http";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { after, before, describe, test } from "node:test";
import { setTimeout } from "node:timers/promises";
import { FIREFOX_SKIPPED, launch, launchFirefox, record, SKIPPED } from "../../bindings-js/test/browser.mjs";
import { startService } from "./service.mjs";

describe("the service sends its pages", () => {
  let service;
  before(async () => {
    service = await startService();
  });
  after(() => service?.stop());

  /** As it comes, compressed or not. */
  const get = (path, headers = {}) =>
    new Promise((done, fail) => {
      const asked = request(new URL(path, service.address), { headers }, async (response) => {
        const parts = [];
        for await (const part of response) parts.push(part);
        done({ status: response.statusCode, headers: response.headers, body: Buffer.concat(parts) });
      });
      asked.once("error", fail).end();
    });
  const assets = (page) => [...page.toString().matchAll(/(?:src|href)="\.\/(app\/[^"]+)"/g)].map(([, path]) => path);

  for (const [path, wasm] of [["/", true], ["/console/", false]]) {
    test(`${path} and what it is made of, under a policy without a way out`, async () => {
      const page = await get(path);
      assert.equal(page.status, 200);
      assert.doesNotMatch(page.body.toString(), /<script(?![^>]*\bsrc=)|<style|\sstyle=|\son[a-z]+=/);
      const files = assets(page.body);
      assert.ok(files.length >= 2, files.join());
      for (const { status, headers } of [page, ...(await Promise.all(files.map((file) => get(path + file))))]) {
        assert.equal(status, 200);
        const policy = headers["content-security-policy"];
        assert.match(policy, /^default-src 'none'; script-src 'self'/);
        assert.doesNotMatch(policy, /unsafe-inline|'unsafe-eval'|https?:|\*/);
        assert.equal(policy.includes("'wasm-unsafe-eval'"), wasm);
        assert.equal(headers["x-content-type-options"], "nosniff");
        assert.equal(headers["referrer-policy"], "no-referrer");
      }
    });
  }

  test("files come compressed, once", async () => {
    const [script] = assets((await get("/")).body).filter((path) => path.endsWith(".js"));
    const plain = await get(`/${script}`);
    const packed = await get(`/${script}`, { "accept-encoding": "gzip, br" });
    assert.deepEqual([plain.headers["content-encoding"], packed.headers["content-encoding"]], [undefined, "br"]);
    assert.ok(packed.body.length < plain.body.length / 2);
    assert.match(packed.headers["cache-control"], /immutable/);
    const known = await get(`/${script}`, { "if-none-match": plain.headers.etag });
    assert.deepEqual([known.status, known.body.length], [304, 0]);
    assert.equal((await get("/sw.js")).headers["cache-control"], "no-cache");
    // the modules that the script loads when it runs: the engine, the lexicons, and the reader of documents
    const modules = new Set(plain.body.toString().match(/\w+_bg-[\w-]+\.wasm/g));
    assert.equal(modules.size, 3, [...modules].join());
    for (const module of modules) {
      const { status, headers } = await get(`/app/${module}`, { "accept-encoding": "gzip, br" });
      assert.deepEqual([status, headers["content-type"], headers["content-encoding"]], [200, "application/wasm", "br"]);
      assert.match(headers["cache-control"], /immutable/);
      assert.equal((await get(`/app/${module}`, { "if-none-match": headers.etag, "accept-encoding": "br" })).status, 304);
    }
  });

  test("the API is beside them", async () => {
    assert.equal((await get("/api/v1/health")).status, 401);
    assert.equal((await get("/healthz")).status, 200);
    const reference = await get("/docs/api");
    assert.deepEqual([reference.status, reference.headers["content-security-policy"].includes("default-src 'none'")], [200, true]);
    assert.match(reference.body.toString(), /<title>Textveil API<\/title>/);
    for (const [path, to] of [["/console", "/console/"], ["/docs", "/docs/"], ["/docs/api/", "/docs/api"]]) {
      const { status, headers } = await get(path);
      assert.deepEqual([status, headers.location], [308, to], path);
    }
  });

  test("the documentation is below one address, with a page for unknown ones", async () => {
    for (const [path, status, title] of [
      ["/docs/", 200, "Textveil"],
      ["/docs/index.html", 200, "Textveil"],
      ["/docs/reference/rest", 200, "REST operations"],
      ["/docs/none", 404, "404"],
      ["/docs/api/none", 404, "404"],
    ]) {
      const page = await get(path);
      assert.deepEqual([page.status, page.headers["content-type"]], [status, "text/html; charset=utf-8"], path);
      assert.ok(page.body.toString().includes(`<title>${title}`), path);
    }
    assert.deepEqual([(await get("/app/none.js")).status, (await get("/console/none.html")).status], [404, 404]);
  });

  describe("to a browser", { skip: SKIPPED }, () => {
    let browser, context, page, seen;
    before(async () => {
      browser = await launch();
      context = await browser.newContext();
      page = await context.newPage();
      seen = record(page);
    });
    after(() => context?.close());

    test("the playground works, also without the service", async () => {
      await page.goto(service.address);
      await page.waitForSelector("#marks mark");
      await page.evaluate(() => navigator.serviceWorker.ready);
      await page.waitForFunction(() => navigator.serviceWorker.controller !== null);
      await context.setOffline(true);
      await page.reload();
      await page.waitForSelector("#marks mark");
      assert.match(await page.textContent("#marks"), /44051401359/);
      await context.setOffline(false);
      assert.deepEqual(seen.errors, []);
    });

    test("the console opens, and the playground's service worker leaves it alone", async () => {
      await page.goto(new URL("console/", service.address).href);
      await page.getByRole("button", { name: /sign in/i }).waitFor();
      assert.deepEqual(seen.errors, []);
    });
  });

  describe("to Firefox", { skip: FIREFOX_SKIPPED }, () => {
    let browser, page, seen;
    before(async () => {
      browser = await launchFirefox();
      page = await browser.newPage();
      seen = record(page);
    });
    after(() => page?.close());
    const text = (selector) => page.$eval(selector, (element) => element.textContent);
    // `waitForFunction` compiles its function in the page, which the policy of the page forbids
    const until = async (pattern) => {
      while (!pattern.test(await text("body"))) await setTimeout(50);
    };

    test("the playground finds, protects and takes a large file", async () => {
      await page.goto(service.address);
      await page.waitForSelector("#marks mark");
      assert.match(await text("#marks"), /44051401359/);
      assert.doesNotMatch(await text("#result-replace"), /44051401359/);
      const large = join(mkdtempSync(join(tmpdir(), "textveil-page-")), "large.log");
      writeFileSync(large, "login of jan.novak@example.cz\n".repeat(20_000));
      await (await page.$("input[type=file]")).uploadFile(large);
      await until(/20,?000 findings/);
      rmSync(dirname(large), { recursive: true });
      assert.deepEqual(seen.errors, []);
    });

    test("the console opens a workspace", async () => {
      await page.goto(new URL("console/", service.address).href);
      await page.waitForSelector("form input");
      await page.type("input[name=service_token], form input", service.serviceToken);
      await page.keyboard.press("Enter");
      await until(/Add a policy/);
      assert.deepEqual(seen.errors, []);
    });
  });
});
