// The Hono application, asked by clients.

import assert from "node:assert/strict";
import { before, describe, test } from "node:test";
import { project, start } from "./project.mjs";
import { assertProtected, SECRETS, TEXT } from "./specimens.mjs";

describe("the Hono application", () => {
  let app;

  before(async () => {
    app = await start(project("hono"), ["node", "app.mjs"]);
  });

  const post = (path, body, type) =>
    fetch(`${app.address}${path}`, { method: "POST", headers: type ? { "content-type": type } : {}, body });

  test("handles JSON without personal data, keyed values too", async () => {
    const body = JSON.stringify({ note: TEXT, customer: { mail: SECRETS[1] }, priority: 3 });
    const { received } = await (await post("/tickets", body, "application/json")).json();
    assertProtected(received.note);
    assert.deepEqual([received.customer, received.priority], [{ mail: "[REDACTED]" }, 3]);
  });

  test("handles texts, forms and files without personal data", async () => {
    assertProtected(await (await post("/notes", TEXT, "text/plain")).text());
    const form = new FormData();
    form.append("file", new File([TEXT], "note.txt", { type: "text/plain" }));
    const received = await (await post("/notes", form)).text();
    assertProtected(received);
    assert.match(received, /note\.txt/);
  });

  test("refuses what it cannot look at", async () => {
    assert.equal((await post("/notes", new Uint8Array([1, 2, 3]), "application/octet-stream")).status, 415);
  });

  test("protects what it answers, where it is told to", async () => {
    const answer = await (await fetch(`${app.address}/contact`)).json();
    assert.deepEqual(answer, { office: "room B-12", mail: "*".repeat(SECRETS[1].length) });
  });

  test("has logged no personal data", () => assertProtected(app.printed));
});
