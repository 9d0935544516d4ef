// Serves the page and the package, and receives what the page sends.

import { createReadStream } from "node:fs";
import { stat } from "node:fs/promises";
import { createServer } from "node:http";
import { dirname, extname, join, normalize } from "node:path";
import { Readable } from "node:stream";
import { fileURLToPath } from "node:url";

const PAGE = join(import.meta.dirname, "public");
const PACKAGE = dirname(fileURLToPath(import.meta.resolve("textveil/package.json")));
const TYPES = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript",
  ".mjs": "text/javascript",
  ".wasm": "application/wasm", // or the browser cannot compile it while it arrives
};

const server = createServer(async (request, response) => {
  try {
    const path = normalize(decodeURIComponent(new URL(request.url, "http://localhost").pathname));
    if (request.method === "POST" && path === "/upload") await receive(request, response);
    else await send(path, response);
  } catch {
    response.writeHead(404).end();
  }
});

server.listen(process.env.PORT ?? 3000, () => console.log(`http://localhost:${server.address().port}`));

async function receive(request, response) {
  const body = Readable.toWeb(request);
  const form = await new Request("http://localhost", { method: "POST", headers: request.headers, body, duplex: "half" }).formData();
  const received = {};
  for (const [name, value] of form) {
    received[name] = typeof value === "string" ? value : { name: value.name, text: await value.text() };
  }
  const text = JSON.stringify(received, null, 2);
  console.log(text);
  response.writeHead(200, { "content-type": "application/json" }).end(text);
}

async function send(path, response) {
  const inPackage = path.startsWith("/textveil/");
  const file = inPackage ? join(PACKAGE, path.slice("/textveil/".length)) : join(PAGE, path === "/" ? "index.html" : path);
  if (!(await stat(file)).isFile()) throw new Error("no such file");
  response.writeHead(200, { "content-type": TYPES[extname(file)] ?? "application/octet-stream" });
  createReadStream(file).pipe(response);
}
