// The worker under workerd, which is Cloudflare's runtime, between a client and a server that records.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { basename, join } from "node:path";
import { text } from "node:stream/consumers";
import { before, describe, test } from "node:test";
import { build } from "esbuild";
import workerd from "workerd";
import { atEnd } from "./ending.mjs";
import { project } from "./project.mjs";
import { assertProtected, SECRETS, TEXT } from "./specimens.mjs";

describe("the worker", () => {
  let address;
  const received = [];

  before(async () => {
    const upstream = createServer(async (request, response) => {
      received.push({ method: request.method, url: request.url, headers: request.headers, body: await text(request) });
      response.writeHead(201, { "content-type": "text/plain" }).end("taken");
    });
    await new Promise((done) => upstream.listen(0, "127.0.0.1", done));
    atEnd(() => upstream.close());

    const folder = project("edge-worker");
    await bundle(folder);
    writeFileSync(join(folder, "config.capnp"), config(`http://127.0.0.1:${upstream.address().port}`));
    address = await serve(folder);
  });

  const post = (path, type, body) => fetch(`${address}${path}`, { method: "POST", headers: { "content-type": type }, body });

  test("passes JSON on without personal data, and the rest as it is", async () => {
    const answer = await post("/v1/tickets?page=2", "application/json", JSON.stringify({ note: TEXT, mail: SECRETS[1], priority: 3 }));
    assert.deepEqual([answer.status, await answer.text()], [201, "taken"]);
    const { method, url, headers, body } = received.at(-1);
    assert.deepEqual([method, url, headers["content-type"]], ["POST", "/v1/tickets?page=2", "application/json"]);
    const { note, mail, priority } = JSON.parse(body);
    assertProtected(note);
    assert.deepEqual([mail, priority], ["[REDACTED]", 3]);
  });

  test("passes no name on", async () => {
    await post("/v1/tickets", "text/plain", "Dear Emily Carter, it is done.");
    assert.equal(received.at(-1).body, "Dear [REDACTED], it is done.");
  });

  test("passes requests without a body", async () => {
    assert.equal((await fetch(`${address}/v1/tickets`)).status, 201);
    assert.equal(received.at(-1).method, "GET");
  });

  test("passes requests to no other host, whatever their path looks like", async () => {
    assert.equal((await fetch(`${address}//elsewhere.example/v1?page=2`)).status, 201);
    assert.equal(received.at(-1).url, "//elsewhere.example/v1?page=2");
  });

  test("passes nothing that it cannot look at", async () => {
    const before = received.length;
    const answer = await post("/v1/scans", "image/png", new Uint8Array([1, 2, 3]));
    assert.equal(answer.status, 415);
    assert.equal(received.length, before);
  });
});

/** One module and the WebAssembly beside it, as wrangler makes them. */
async function bundle(folder) {
  const wasm = {
    name: "wasm",
    setup: ({ onResolve }) => onResolve({ filter: /\.wasm$/ }, ({ path }) => ({ path: `./${basename(path)}`, external: true })),
  };
  await build({
    absWorkingDir: folder,
    entryPoints: ["src/worker.mjs"],
    outfile: "worker.js",
    bundle: true,
    format: "esm",
    target: "es2022",
    conditions: ["workerd", "worker", "browser"],
    plugins: [wasm],
    logLevel: "error",
  });
}

function config(upstream) {
  return `using Workerd = import "/workerd/workerd.capnp";
    const config :Workerd.Config = (
      services = [
        (name = "worker", worker = (
          modules = [
            (name = "worker.js", esModule = embed "worker.js"),
            (name = "textveil_bg.wasm", wasm = embed "node_modules/textveil/wasm/textveil_bg.wasm"),
            (name = "documents_bg.wasm", wasm = embed "node_modules/textveil/wasm/documents_bg.wasm"),
            (name = "names_bg.wasm", wasm = embed "node_modules/textveil/wasm/names_bg.wasm"),
          ],
          compatibilityDate = "2026-01-01",
          bindings = [(name = "UPSTREAM", text = "${upstream}")],
        )),
        (name = "internet", network = (allow = ["private", "public", "local"])),
      ],
      sockets = [(name = "http", address = "127.0.0.1:0", http = (), service = "worker")],
    );`;
}

async function serve(folder) {
  const child = spawn(workerd.default ?? workerd, ["serve", "config.capnp", "--control-fd=3"], {
    cwd: folder,
    stdio: ["ignore", "inherit", "inherit", "pipe"],
  });
  const ended = new Promise((done) => child.once("exit", done));
  atEnd(() => {
    child.kill();
    return ended;
  });
  return new Promise((done, fail) => {
    let said = "";
    child.stdio[3].setEncoding("utf8").on("data", (piece) => {
      said += piece;
      const port = /"port":(\d+)/.exec(said)?.[1];
      if (port) done(`http://127.0.0.1:${port}`);
    });
    void ended.then((code) => fail(new Error(`workerd ended with ${code}`)));
  });
}
