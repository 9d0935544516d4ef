// A real Chromium for the tests.

import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { chromium } from "playwright-core";
import { atEnd } from "./ending.mjs";

const FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update", "--disable-sync"];

/** The browser's program, or undefined. `CHROME` names another one than Debian's. */
const PROGRAM = [process.env.CHROME, "/usr/bin/chromium", "/usr/bin/google-chrome"].find((path) => path && existsSync(path));

/** Why the tests of a browser cannot run here, or false. */
export const SKIPPED = PROGRAM ? false : "NO BROWSER: install chromium, or set CHROME to the path of one";

if (SKIPPED) console.error(`\n*** the browser tests are skipped: ${SKIPPED} ***\n`);

let plain;

/** Returns the browser without an extension, one for all tests of the file, in which each opens pages of its own. */
export function launch() {
  plain ??= start([], {});
  return plain;
}

/** Starts a browser with an extension. */
export function launchWith(extension) {
  const loading = [`--disable-extensions-except=${extension}`, `--load-extension=${extension}`];
  return start(loading, { ignoreDefaultArgs: ["--disable-extensions"] });
}

/** Starts a browser with a profile of its own; both go when the tests of the file are done. */
async function start(flags, options) {
  const profile = mkdtempSync(join(tmpdir(), "textveil-profile-"));
  const context = await chromium.launchPersistentContext(profile, {
    executablePath: PROGRAM,
    args: [...FLAGS, ...flags],
    headless: true,
    ...options,
  });
  // other programs may use the processors; a test waits as long as it must
  context.setDefaultTimeout(120_000);
  atEnd(async () => {
    await context.close();
    rmSync(profile, { recursive: true, force: true, maxRetries: 5 });
  });
  return context;
}
