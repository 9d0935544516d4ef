// The Express application, asked by clients.

import assert from "node:assert/strict";
import { before, describe, test } from "node:test";
import { project, start } from "./project.mjs";
import { assertProtected, SECRETS, TEXT } from "./specimens.mjs";

describe("the Express application", () => {
  let app;

  before(async () => {
    app = await start(project("express"), ["node", "app.mjs"]);
  });

  const post = (type, body) => fetch(`${app.address}/tickets`, { method: "POST", headers: { "content-type": type }, body });

  test("handles JSON without personal data, keyed values too", async () => {
    const answer = await post("application/json", JSON.stringify({ note: TEXT, customer: { mail: SECRETS[1] }, priority: 3 }));
    assert.equal(answer.status, 201);
    const { received } = await answer.json();
    assertProtected(received.note);
    assert.deepEqual([received.customer, received.priority], [{ mail: "[REDACTED]" }, 3]);
  });

  test("handles texts and forms without personal data", async () => {
    assertProtected((await (await post("text/plain", TEXT)).json()).received);
    const form = new URLSearchParams({ note: TEXT });
    assertProtected((await (await post("application/x-www-form-urlencoded", form)).json()).received.note);
  });

  test("refuses what it cannot look at", async () => {
    assert.equal((await post("application/octet-stream", new Uint8Array([1, 2, 3]))).status, 415);
  });

  test("protects what it answers, where it is told to", async () => {
    const answer = await (await fetch(`${app.address}/contact`)).json();
    assert.deepEqual(answer, { office: "room B-12", mail: "*".repeat(SECRETS[1].length) });
  });

  test("has logged no personal data", () => assertProtected(app.printed));
});
