// A real Chromium for the tests, and a server on this machine for what it opens.

import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import { extname, join, normalize } from "node:path";
import { after } from "node:test";
import { chromium } from "playwright-core";
import puppeteer from "puppeteer-core";

const FLAGS = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];
const TYPES = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript",
  ".css": "text/css",
  ".svg": "image/svg+xml",
  ".png": "image/png",
  ".wasm": "application/wasm",
  ".webmanifest": "application/manifest+json",
};

/** Whether this is the long run of `cargo xtask test --full`. */
export const FULL = Boolean(process.env.TEXTVEIL_FULL);

/** The browser's program, or undefined. `CHROME` names another one than Debian's. */
export const PROGRAM = [process.env.CHROME, "/usr/bin/chromium", "/usr/bin/google-chrome"].find(
  (path) => path && existsSync(path),
);

/** Why the tests of a browser cannot run here, or false. */
export const SKIPPED = PROGRAM ? false : "NO BROWSER: install chromium, or set CHROME to the path of one";

/** The same of Firefox, which Playwright does not drive as it is installed; it speaks WebDriver BiDi with Puppeteer. */
export const FIREFOX = [process.env.FIREFOX, "/usr/bin/firefox-esr", "/usr/bin/firefox"].find(
  (path) => path && existsSync(path),
);
/** Why the tests in a second browser do not run, or false: a change must pass in one browser, a release in both. */
export const FIREFOX_SKIPPED = !FULL
  ? "of a full run: set TEXTVEIL_FULL"
  : FIREFOX
    ? false
    : "NO FIREFOX: install firefox-esr, or set FIREFOX to the path of one";

for (const reason of [SKIPPED, FULL && FIREFOX_SKIPPED].filter(Boolean)) {
  console.error(`\n*** browser tests are skipped: ${reason} ***\n`);
}

const started = new Map();

// registered here, since a hook that is made within a hook ends with that one
after(async () => {
  for (const browser of started.values()) await (await browser).close();
});

/** Starts a program once for all tests of this process, and returns what drives it. */
function once(program, start) {
  if (!started.has(program)) started.set(program, start());
  return started.get(program);
}

/**
 * Returns the browser of all tests of this process; each opens contexts of its own. `waitForFunction` needs a function
 * there: text would be evaluated at each turn, which the policy of our pages rejects from the second one on.
 */
export function launch() {
  return once(PROGRAM, () => chromium.launch({ executablePath: PROGRAM, args: FLAGS, headless: true }));
}

/** Returns Firefox, likewise. A large file takes minutes there while other programs use the processors. */
export function launchFirefox() {
  return once(FIREFOX, () => puppeteer.launch({ browser: "firefox", executablePath: FIREFOX, headless: true, protocolTimeout: 600_000 }));
}

/** Serves a folder on a free port of this machine, with `headers` in every answer. */
export async function serve(folder, headers = {}) {
  const server = createServer(async ({ method, url }, response) => {
    if (method !== "GET") return response.writeHead(405).end();
    const path = normalize(decodeURIComponent(new URL(url, "http://localhost").pathname));
    try {
      const file = join(folder, path.endsWith("/") ? `${path}index.html` : path);
      const body = await readFile(file);
      const type = TYPES[extname(file)] ?? "application/octet-stream";
      response.writeHead(200, { "content-type": type, ...headers }).end(body);
    } catch {
      response.writeHead(404).end();
    }
  });
  const listen = (port) => new Promise((done) => server.listen(port, "127.0.0.1", done));
  const close = () =>
    new Promise((done) => {
      server.close(done);
      server.closeAllConnections();
    });
  await listen(0);
  const { port } = server.address();
  return {
    address: `http://127.0.0.1:${port}/`,
    close,
    /** Answers nobody until `resume`, as if the network were gone. */
    pause: close,
    resume: () => listen(port),
  };
}

/**
 * Records everything that a page does wrong or asks of the network. `idle` waits until no request is in flight and none
 * follows those that were answered. Playwright's `networkidle` happens once, so that a later wait for it ends at once.
 */
export function record(page) {
  const seen = { requests: [], errors: [], idle };
  const inFlight = new Set();
  page.on("request", (request) => {
    seen.requests.push(request.url());
    inFlight.add(request);
  });
  let over = () => {};
  for (const end of ["requestfinished", "requestfailed"]) {
    page.on(end, (request) => {
      inFlight.delete(request);
      if (inFlight.size === 0) over();
    });
  }
  async function idle() {
    for (let known = -1; known !== seen.requests.length; ) {
      known = seen.requests.length;
      // drawings, and requests that follow from an answer, come in the next frames
      await page.evaluate(() => new Promise((done) => {
        requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done)));
        // for tests that hold the frames back
        setTimeout(done, 500);
      }));
      if (inFlight.size > 0) await new Promise((done) => (over = done));
    }
  }
  page.on("websocket", (socket) => seen.requests.push(socket.url()));
  page.on("pageerror", (error) => seen.errors.push(String(error)));
  page.on("console", (message) => {
    if (["error", "warning"].includes(message.type())) seen.errors.push(message.text());
  });
  return seen;
}
