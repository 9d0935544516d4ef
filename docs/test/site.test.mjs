// The built site: every link leads somewhere, and a browser shows it under the policy that the service sends.

import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { createServer } from "node:http";
import { extname, join } from "node:path";
import { after, before, test } from "node:test";
import { chromium } from "playwright-core";

import { DIST } from "./pages.mjs";
import { QUESTIONS } from "./questions.mjs";

const SITE = join(DIST, "docs");
/** The policy of the component `pages`: spin-app/pages/src/site.rs. */
const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; style-src-attr 'unsafe-inline'; img-src 'self' data:; " +
  "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";
const TYPES = { ".html": "text/html; charset=utf-8", ".js": "text/javascript", ".css": "text/css", ".svg": "image/svg+xml", ".json": "application/json", ".png": "image/png" };

const skip = existsSync(join(SITE, "index.html")) ? false : `${SITE} is absent; run cargo xtask build --only docs`;
const files = skip ? [] : readdirSync(SITE, { recursive: true }).filter((name) => name.endsWith(".html"));
const read = (file) => readFileSync(join(SITE, file), "utf8");

/** The file of an address behind `/docs/`, as the service finds it. */
const fileOf = (path) => (path === "" ? "index.html" : /\.[^/]*$/.test(path) ? path : `${path}.html`);

test("the policy here is the one that the service sends", () => {
  const site = readFileSync(new URL("../../spin-app/pages/src/site.rs", import.meta.url), "utf8");
  const [, policy] = site.match(/const DOCS: Page = Page \{\s*folder: "docs",\s*policy: "((?:[^"\\]|\\\s*)*)"/) ?? [];
  assert.equal(policy?.replaceAll(/\\\n\s*/g, ""), POLICY);
});

test("no page has a script or an event handler in it", { skip }, () => {
  for (const file of files) {
    const inline = [...read(file).matchAll(/<script(?![^>]* src=)[^>]*>|<[^>]* on\w+="/g)].map(([tag]) => tag);
    assert.deepEqual(inline, [], file);
  }
});

test("every link leads to a page and to a heading that are there", { skip }, () => {
  const ids = new Map(files.map((file) => [file, new Set([...read(file).matchAll(/ id="([^"]+)"/g)].map(([, id]) => id))]));
  const dead = [];
  let count = 0;
  for (const file of files) {
    for (const [, href] of read(file).matchAll(/<a [^>]*?href="([^"]+)"/g)) {
      const url = new URL(href.replaceAll("&amp;", "&"), `http://site/docs/${file}`);
      // other hosts, and the pages of the service beside the site
      if (url.host !== "site" || !url.pathname.startsWith("/docs/") || url.pathname === "/docs/api") continue;
      count += 1;
      const path = fileOf(decodeURIComponent(url.pathname.slice("/docs/".length)));
      const id = decodeURIComponent(url.hash.slice(1));
      if (!ids.has(path) || (id && !ids.get(path).has(id))) dead.push(`${file}: ${href}`);
    }
  }
  assert.ok(count > 1_000, `${count} links`);
  assert.deepEqual([...new Set(dead)], []);
});

test("the API reference leads to pages of the site", { skip }, () => {
  const reference = readFileSync(new URL("../../spin-app/service/docs.html", import.meta.url), "utf8");
  const links = [...reference.matchAll(/ href="\/docs\/([^"#]*)/g)].map(([, path]) => path);
  assert.ok(links.includes(""), "the documentation");
  assert.deepEqual(links.filter((path) => !files.includes(fileOf(path))), []);
});

test("llms.txt leads to every page of the sidebar", { skip }, () => {
  const listed = [...read("llms.txt").matchAll(/^- \[.*?\]\(\/docs\/([^)]*)\)/gm)].map(([, path]) => path);
  assert.deepEqual(listed.filter((path) => !files.includes(fileOf(path))), []);
  const linked = [...read("index.html").matchAll(/<a class="[^"]*\blink\b[^"]*" href="\/docs\/([^"#.]+)"/g)].map(([, path]) => path);
  assert.ok(linked.length > 40, `${linked.length} links of the sidebar`);
  assert.deepEqual(linked.filter((path) => !listed.includes(path)), []);
});

test("names of files are ones that the service sends", { skip }, () => {
  const other = readdirSync(SITE, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !/^[A-Za-z0-9._-]+\.(?:css|html|js|json|png|svg|txt|br|gz)$/.test(entry.name))
    .map(({ name }) => name);
  assert.deepEqual(other, []);
});

const executablePath = [process.env.CHROME, "/usr/bin/chromium", "/usr/bin/google-chrome"].find((path) => path && existsSync(path));
const noBrowser = skip || (executablePath ? false : "no Chromium; set CHROME to its path");

let server;
let browser;
let origin;
before(async () => {
  if (noBrowser) return;
  server = createServer((request, response) => {
    const { pathname } = new URL(request.url, "http://site");
    const file = join(SITE, fileOf(pathname.replace(/^\/docs\/?/, "")));
    if (!existsSync(file)) {
      response.writeHead(404, { "content-type": TYPES[".html"], "content-security-policy": POLICY });
      return void response.end(readFileSync(join(SITE, "404.html")));
    }
    response.writeHead(200, { "content-type": TYPES[extname(file)] ?? "application/octet-stream", "content-security-policy": POLICY });
    response.end(readFileSync(file));
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  origin = `http://127.0.0.1:${server.address().port}`;
  browser = await chromium.launch({ executablePath, args: ["--no-sandbox"] });
});
after(async () => {
  await browser?.close();
  server?.close();
});

/** A page that fails where the browser reports an error or a request to another host. */
async function open(path) {
  const page = await browser.newPage();
  const faults = [];
  page.on("console", (message) => message.type() === "error" && faults.push(message.text()));
  page.on("pageerror", (error) => faults.push(error.message));
  page.on("request", (request) => request.url().startsWith(origin) || request.url().startsWith("data:") || faults.push(request.url()));
  await page.goto(`${origin}${path}`);
  return { page, faults };
}

test("navigation alone leads to the answers", { skip: noBrowser }, async () => {
  const { page, faults } = await open("/docs/");
  for (const [question, heading] of [
    ["Write your own detector", "Write your own detector"],
    ["Detection", "Detection"],
    ["Run several nodes with Redis", "Run several nodes with Redis"],
    ["Workspaces and scopes", "Workspaces and scopes"],
    ["Find out why a value was missed", "Find out why a value was missed"],
  ]) {
    await page.goto(`${origin}/docs/`);
    await page.getByRole("main").getByRole("link", { name: question, exact: true }).first().click();
    await page.getByRole("heading", { level: 1, name: heading }).waitFor();
  }
  assert.deepEqual(faults, []);
  await page.close();
});

test("the first hit of a search answers it", { skip: noBrowser }, async () => {
  const { page, faults } = await open("/docs/index.html");
  await page.getByRole("button", { name: /Search/ }).first().click();
  const first = page.locator("a.result").first();
  const hits = [];
  for (const [query] of QUESTIONS) {
    // an empty search has no hits: it removes the hits of the previous query
    await page.getByRole("searchbox").fill("");
    await first.waitFor({ state: "detached" });
    await page.getByRole("searchbox").fill(query);
    await first.waitFor({ timeout: 10_000 }).catch(() => {});
    hits.push([query, (await first.count()) && new URL(await first.getAttribute("href"), origin).href.replace(`${origin}/docs/`, "")]);
  }
  const wanted = QUESTIONS.map(([query, target]) => [query, target.replace(".md", "")]);
  // a hit on the page's own heading has the anchor of that heading
  const same = ([, hit], [, target]) => (target.includes("#") ? hit === target : String(hit).split("#")[0] === target && isHeadOf(hit));
  assert.deepEqual(hits.filter((hit, at) => !same(hit, wanted[at])), []);
  await first.click();
  await page.waitForURL(/detectors\/pl/);
  assert.deepEqual(faults, []);
  await page.close();
});

/** Whether an address is that of the first heading of its page. */
function isHeadOf(address) {
  const [file, id] = address.split("#");
  return new RegExp(`<h1 id="${id}"`).test(read(fileOf(file)));
}

test("an address with a suffix still has its page", { skip: noBrowser }, async () => {
  const { page, faults } = await open("/docs/start/web.html");
  await page.getByRole("heading", { level: 1, name: "Web developer" }).waitFor();
  assert.deepEqual(faults, []);
  await page.close();
});

test("an address without a page says so and leads to the first page", { skip: noBrowser }, async () => {
  const { page } = await open("/docs/none.html");
  await page.getByRole("heading", { name: "This page does not exist" }).waitFor();
  await page.getByRole("link", { name: "Go to the first page of the documentation" }).click();
  await page.getByRole("heading", { level: 1, name: "Textveil" }).waitFor();
  await page.close();
});

test("the link to the API reference leaves the site", { skip: noBrowser }, async () => {
  const { page } = await open("/docs/reference/rest.html");
  const link = page.getByRole("main").getByRole("link", { name: "API reference" });
  const [request] = await Promise.all([
    page.waitForRequest((request) => request.isNavigationRequest()),
    link.click(),
  ]);
  assert.equal(new URL(request.url()).pathname, "/docs/api");
  await page.close();
});
