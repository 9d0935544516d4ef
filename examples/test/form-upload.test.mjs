// The form in Chromium, and what its server receives.

import assert from "node:assert/strict";
import { before, describe, test } from "node:test";
import { launch, SKIPPED } from "./browser.mjs";
import { project, start } from "./project.mjs";
import { assertProtected, TEXT } from "./specimens.mjs";

describe("the form", { skip: SKIPPED }, () => {
  let server, page;

  before(async () => {
    server = await start(project("form-upload"), ["node", "server.mjs"]);
    page = await (await launch()).newPage();
  });

  const sent = async () => {
    await page.locator("button").click();
    await page.waitForFunction(() => document.querySelector("output").value !== "");
    return page.locator("output").textContent();
  };

  const fill = async (file) => {
    await page.goto(server.address);
    await page.locator("[name=subject]").fill("Order 4711");
    await page.locator("[name=message]").fill(TEXT);
    await page.locator("[name=file]").setInputFiles({ name: file.name, mimeType: file.type, buffer: Buffer.from(await file.arrayBuffer()) });
  };

  test("sends its fields and its file without personal data", async () => {
    await fill(new File([`note\n"${TEXT}"\n`], "notes.csv", { type: "text/csv" }));
    const { subject, message, file } = JSON.parse(await sent());
    assert.equal(subject, "Order 4711");
    assertProtected(message);
    assert.equal(file.name, "notes.csv");
    assertProtected(file.text);
    assertProtected(server.printed);
  });

  test("its server survives a malformed address", async () => {
    for (const path of ["/%", "//"]) assert.equal((await fetch(new URL(server.address).origin + path)).status, 404);
  });

  test("sends nothing if it cannot inspect the file", async () => {
    const before = server.printed;
    await fill(new File([TEXT], "scan.png", { type: "image/png" }));
    assert.match(await sent(), /^Nothing was sent: .*file/);
    assert.equal(server.printed, before);
  });
});
