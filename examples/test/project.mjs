// A copy of an example with the package installed.

import { execFileSync, spawn } from "node:child_process";
import { cpSync, mkdtempSync, rmSync } from "node:fs";
import { join } from "node:path";
import { installed } from "../../bindings-js/test/installed.mjs";
import { atEnd } from "./ending.mjs";

const EXAMPLES = join(import.meta.dirname, "..");

/**
 * Copies an example, with the package installed. Its other dependencies are installed above it, in examples/, once for
 * all of them. The copy goes when the tests of the file are done.
 */
export function project(example) {
  const { folder: user } = installed();
  const home = mkdtempSync(join(EXAMPLES, ".run-"));
  atEnd(() => rmSync(home, { recursive: true, force: true, maxRetries: 5 }));
  const folder = join(home, example);
  cpSync(join(EXAMPLES, example), folder, {
    recursive: true,
    filter: (path) => !["node_modules", "dist", ".next"].some((name) => path.endsWith(`/${name}`)),
  });
  cpSync(join(user, "node_modules"), join(folder, "node_modules"), { recursive: true });
  return folder;
}

/** Runs a program of an example to its end; what it prints. */
export function run(folder, words, options) {
  return execFileSync(words[0], words.slice(1), { cwd: folder, encoding: "utf8", stdio: ["pipe", "pipe", "pipe"], ...options });
}

/** Starts a program of an example that serves, on a free port; it ends with the tests of the file. */
export async function start(folder, words, env = {}) {
  const child = spawn(words[0], words.slice(1), {
    cwd: folder,
    env: { ...process.env, PORT: "0", ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const started = { printed: "", address: "" };
  const ended = new Promise((done) => child.once("exit", done));
  atEnd(() => {
    child.kill();
    return ended;
  });
  started.address = await new Promise((done, fail) => {
    const hear = (piece) => {
      started.printed += piece;
      const address = /http:\/\/(?:localhost|127\.0\.0\.1):\d+/.exec(started.printed);
      if (address) done(address[0]);
    };
    child.stdout.setEncoding("utf8").on("data", hear);
    child.stderr.setEncoding("utf8").on("data", hear);
    void ended.then((code) => fail(new Error(`${words.join(" ")} ended with ${code}:\n${started.printed}`)));
  });
  return started;
}
