// The real service, `dist/textveil serve --dev`, on a free port with a state folder of its own.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { PROGRAM, ROOT } from "../../bindings-js/test/project.mjs";

/** Starts the service, with these variables beside its own. `stop` ends it and takes its state away. */
export async function startService(variables = {}) {
  assert.ok(existsSync(PROGRAM), `${PROGRAM} is absent; run \`cargo xtask build\` first`);
  const state = mkdtempSync(join(tmpdir(), "textveil-service-"));
  const given = Object.entries(variables).map(([name, value]) => `--variable=${name}=${value}`);
  const child = spawn(PROGRAM, ["serve", "--dev", "--listen", "127.0.0.1:0", "--state-dir", state, "--quiet", ...given], {
    cwd: ROOT,
    stdio: ["ignore", "pipe", "inherit"],
  });
  const ended = new Promise((done) => child.once("exit", done));
  const address = await firstLine(child).then((line) => line.replace("Serving ", ""));
  const file = readFileSync(join(state, "credentials.env"), "utf8");
  const credentials = Object.fromEntries([...file.matchAll(/^(\w+)=(.+)$/gm)].map(([, name, value]) => [name, value]));
  const serviceToken = credentials.TEXTVEIL_SERVICE_TOKEN;
  const userToken = credentials.TEXTVEIL_USER_TOKEN;

  return {
    address,
    serviceToken,
    userToken,
    apiKey: credentials.TEXTVEIL_API_KEY,

    /** Returns the answer of a call of the gateway; an error is a failure. */
    gateway: (method, path, body) =>
      call(`${address}/api/v1/gateway/${path}`, method, { "x-service-token": serviceToken }, body),

    /** Returns the answer of a call of a user. */
    user: (method, path, body) =>
      call(`${address}/api/v1/${path}`, method, { authorization: `Bearer ${userToken}` }, body),

    async stop() {
      child.kill();
      await ended;
      rmSync(state, { recursive: true, force: true });
    },
  };
}

async function call(url, method, headers, body) {
  const response = await fetch(url, {
    method,
    headers: { ...headers, ...(body && { "content-type": "application/json" }) },
    ...(body && { body: JSON.stringify(body) }),
  });
  assert.ok(response.ok, `${method} ${url} answered ${response.status}: ${await response.clone().text()}`);
  return response.json();
}

/** Returns the first line of the program's output; if it ends without one, that it did. */
function firstLine(child) {
  return new Promise((done, fail) => {
    createInterface(child.stdout).once("line", done);
    child.once("error", fail);
    child.once("exit", (code) => fail(new Error(`${PROGRAM} ended with ${code}`)));
  });
}
