// Settings of a workspace in the console, in a real browser against the real service: detectors, lists, scopes.

import assert from "node:assert/strict";
import { after, afterEach, before, describe, test } from "node:test";
import { SKIPPED } from "../../bindings-js/test/browser.mjs";
import { announces, goTo, refuses, says, signIn, startConsole } from "./console.mjs";
import { keyWith } from "./console-seed.mjs";

describe("settings in the console", { skip: SKIPPED }, () => {
  let site, service, page, seen, key;

  before(async () => {
    site = await startConsole();
    service = site.service;
    key = await keyWith(service, ["settings.read", "settings.write", "settings.allow", "detect"]);
  });
  after(() => site?.stop());
  afterEach(() => site.closePages());

  const open = async (title, tokens = { key }) => {
    ({ page, seen } = await site.open());
    await signIn(page, tokens);
    await goTo(page, title);
  };
  const button = (name) => page.getByRole("button", { name, exact: true });
  /** Returns the answer to a call with the key. */
  const call = async (path, body) => {
    const headers = { "content-type": "application/json", "x-api-key": key };
    const response = await fetch(`${service.address}/api/v1/${path}`, {
      headers,
      ...(body && { method: "POST", body: JSON.stringify(body) }),
    });
    return response.json();
  };
  const confirm = (name, verb, said) =>
    announces(page, said, async () => {
      await button(name).click();
      await page.getByRole("dialog").getByRole("button", { name: verb, exact: true }).click();
    });

  test("a detector is tried, stored, used and deleted", async () => {
    await open("Custom detectors");
    await page.getByText("No detector yet.").waitFor();
    await button("Add a detector").click();
    await page.getByLabel("Name", { exact: true }).fill("employee_id");
    await page.getByLabel("Regular expression").fill("x*");
    await page.getByLabel("Text to try").fill("Ask EMP-004711 today.");
    await says(page, "matches the empty text");
    await button("Save").click();
    await refuses(page, "matches the empty text");
    assert.equal(await page.getByLabel("Regular expression").getAttribute("aria-invalid"), "true");
    await page.getByLabel("Regular expression").fill("EMP-[0-9]{6}");
    await page.getByLabel("Context words").fill("employee, staff number");
    await page.getByLabel("Base confidence").fill("0.8");
    await page.getByLabel("Category").selectOption("business");
    await says(page, "1 finding");
    await page.getByRole("list", { name: "Findings" }).getByText("EMP-004711").waitFor();
    await announces(page, "employee_id is saved.", () => button("Save").click());
    const card = page.getByRole("list", { name: "Custom detectors" }).getByRole("listitem");
    assert.match(await card.innerText(), /employee_id[^]*business[^]*EMP-\[0-9\]\{6\}[^]*employee, staff number[^]*0\.8/);
    const { custom_detectors } = await call("custom-detectors");
    assert.deepEqual(custom_detectors, [
      { name: "employee_id", pattern: "EMP-[0-9]{6}", context: ["employee", "staff number"], confidence: 0.8, category: "business" },
    ]);
    await confirm("Delete employee_id", "Delete", "employee_id is deleted.");
    await page.getByText("No detector yet.").waitFor();
    assert.equal((await call("custom-detectors")).count, 0);
    assert.deepEqual(seen.errors.filter((error) => !/status of 400/.test(error)), []);
  });

  test("a detector has shapes with check digits", async () => {
    await open("Custom detectors");
    await button("Add a detector").click();
    await page.getByLabel("Name", { exact: true }).fill("member_number");
    await page.getByLabel("Shapes", { exact: true }).fill("d8, d4-d4");
    await page.getByLabel("Check digits of the shapes").selectOption("luhn");
    await announces(page, "member_number is saved.", () => button("Save").click());
    const [{ shapes, check }] = (await call("custom-detectors")).custom_detectors;
    assert.deepEqual([shapes, check.rule], [["d8", "d4-d4"], "luhn"]);
    await confirm("Delete member_number", "Delete", "member_number is deleted.");
  });

  test("a detector has labels, and shapes that need one, and parts", async () => {
    await call("custom-detectors", { name: "bin", shapes: ["d2-d2"], parts: [{ at: 2, len: 2, min: 1, max: 12 }] });
    await open("Custom detectors");
    const card = (name) => page.getByRole("list", { name: "Custom detectors" }).getByRole("listitem").filter({ hasText: name });
    assert.match(await card("bin").innerText(), /Parts[^]*at 2, len 2[^]*min 1, max 12/);
    await button("Add a detector").click();
    await page.getByLabel("Name", { exact: true }).fill("locker");
    await page.getByLabel("Labelled shapes").fill("d3");
    await page.getByLabel("Text to try").fill("Room 311, locker number: 482");
    await button("Save").click();
    await refuses(page, "the shapes of labelled need them");
    assert.equal(await page.getByLabel("Labels", { exact: true }).getAttribute("aria-invalid"), "true");
    await page.getByLabel("Labels", { exact: true }).fill("locker number, skříňka");
    await says(page, "1 finding");
    await page.getByRole("list", { name: "Findings" }).getByText("482").waitFor();
    await announces(page, "locker is saved.", () => button("Save").click());
    assert.match(await card("locker").innerText(), /locker number, skříňka[^]*Labelled shapes[^]*d3/);
    await confirm("Delete locker", "Delete", "locker is deleted.");
    await confirm("Delete bin", "Delete", "bin is deleted.");
  });

  test("entries of the lists are added and removed, and one that allows everything is rejected", async () => {
    await open("Allow and deny lists");
    const allow = page.getByRole("region", { name: "Allow list" });
    await allow.getByText("No entry yet.").waitFor();
    await allow.getByLabel("Kind of entry").selectOption("regex");
    await allow.getByLabel("Allowed text").fill(".+");
    await allow.getByRole("button", { name: "Add", exact: true }).click();
    await refuses(page, "allows too much");
    assert.equal(await allow.getByLabel("Allowed text").getAttribute("aria-invalid"), "true");
    await allow.getByLabel("Kind of entry").selectOption("domain");
    await allow.getByLabel("Allowed text").fill("example.com");
    await announces(page, "example.com is added.", () => allow.getByRole("button", { name: "Add", exact: true }).click());
    await allow.getByRole("row", { name: /domain example\.com/ }).waitFor();
    assert.equal(await allow.getByLabel("Allowed text").inputValue(), "");

    const deny = page.getByRole("region", { name: "Deny list" });
    await deny.getByLabel("Denied text").fill("Project Falcon");
    await deny.getByLabel("Entity type").fill("project");
    await announces(page, "Project Falcon is added.", () => deny.getByRole("button", { name: "Add", exact: true }).click());
    await deny.getByRole("row", { name: /project Project Falcon/ }).waitFor();
    const { entities } = await call("detect", { text: "Project Falcon, write to a@example.com" });
    assert.deepEqual(entities.map(({ type }) => type), ["project"]);

    await confirm("Remove example.com", "Remove", "example.com is removed.");
    await confirm("Remove Project Falcon", "Remove", "Project Falcon is removed.");
    await allow.getByText("No entry yet.").waitFor();
    await deny.getByText("No entry yet.").waitFor();
  });

  test("a key without the scope may look and not change", async () => {
    await open("Allow and deny lists", { key: await keyWith(service, ["settings.read"]) });
    const deny = page.getByRole("region", { name: "Deny list" });
    await deny.getByLabel("Denied text").fill("Falcon");
    await deny.getByRole("button", { name: "Add", exact: true }).click();
    await refuses(page, "settings.write");
    assert.equal((await call("deny-list")).count, 0);
  });

  test("a key is created with scopes, which are shown and explained", async () => {
    await open("API keys", { user: service.userToken });
    await page.getByText("user access token (admin)").waitFor();
    await button("Create a key").click();
    await page.getByLabel("Name", { exact: true }).fill("reader");
    assert.equal(await page.getByLabel(/^settings\.write:/).isChecked(), false);
    for (const scope of ["protect", "restore"]) await page.getByLabel(new RegExp(`^${scope}:`)).uncheck();
    await page.getByLabel(/^settings\.write:/).check();
    await button("Create").click();
    await page.getByRole("heading", { name: "The new key" }).waitFor();
    const card = page.getByRole("listitem").filter({ has: page.getByRole("heading", { name: "reader" }) });
    assert.match(await card.innerText(), /detect, settings\.read, settings\.write/);
    const { api_keys } = await service.user("GET", "api-keys");
    assert.deepEqual(api_keys.find(({ name }) => name === "reader").scopes, ["detect", "settings.read", "settings.write"]);
    await page.getByText("Scopes of keys and tokens").click();
    const rows = await page.getByRole("region", { name: "Scopes" }).locator("tbody tr").allInnerTexts();
    const table = Object.fromEntries(rows.map((row) => row.split("\t")).map(([scope, , ...who]) => [scope.trim(), who.map((one) => one.trim())]));
    assert.deepEqual(table["settings.write"], ["yes", "no"]);
    assert.deepEqual(table["audit.read"], ["no", "yes"]);
    assert.deepEqual(table["gateway.admin"], ["no", "no"]);
    assert.equal(rows.length, 12);
  });
});
