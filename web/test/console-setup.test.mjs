// Set-up in the console, in a real browser against the real service: providers, routing, keys, transfer.

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { after, afterEach, before, describe, test } from "node:test";
import { SKIPPED } from "../../bindings-js/test/browser.mjs";
import { announces, eventually, goTo, hold, refuses, says, signIn, startConsole } from "./console.mjs";
import { ask } from "./console-seed.mjs";
import { startProvider } from "./provider.mjs";

describe("what the console sets up", { skip: SKIPPED }, () => {
  let site, service, provider, page, tokens;

  before(async () => {
    site = await startConsole();
    service = site.service;
    provider = await startProvider();
    tokens = { service: service.serviceToken, user: service.userToken };
  });
  after(async () => {
    await site?.stop();
    await provider?.stop();
  });
  afterEach(() => site.closePages());

  const open = async () => ({ page } = await site.open());
  const button = (name) => page.getByRole("button", { name, exact: true });

  test("the overview says what is missing, and leads there", async () => {
    await open();
    await signIn(page, { service: tokens.service });
    await says(page, "Missing: Route, Policy, Request to a model. Unknown: 2 of 5 steps.");
    const step = (title) => page.getByRole("list", { name: "First steps" }).getByRole("listitem").filter({ has: page.getByRole("heading", { name: title }) });
    await step("LLM provider").getByText("unknown").waitFor();
    await step("LLM provider").getByRole("link", { name: "Add the user access token" }).click();
    await page.getByLabel("User access token").fill(tokens.user);
    await button("Sign in").click();
    await button("Add a provider").waitFor();
    await goTo(page, "Overview");
    await says(page, /^Missing: LLM provider, Route, Policy, Request to a model\.$/);
    await step("API key").getByText("done").waitFor();

    const { id } = await service.user("POST", "llm-providers", PARROT(provider.address));
    await step("Policy").getByRole("link", { name: "Add a policy" }).click();
    await page.getByLabel("Name", { exact: true }).fill("First");
    await button("Save").click();
    await says(page, "First is saved.");
    await service.gateway("PUT", "config?workspace_id=default", { providers: { primary: { provider: id, model: "parrot" } } });
    await goTo(page, "Overview");
    await says(page, /^Missing: Request to a model\.$/);
    await ask(service, "Hello");
    await page.reload();
    await signIn(page, tokens);
    await says(page, "All steps are done.");
    await page.getByRole("region", { name: "Application" }).getByText(`${service.address}/v1`).waitFor();

    const [policy] = (await service.gateway("GET", "policies?workspace_id=default")).policies;
    await service.gateway("DELETE", `policies/${policy.id}?workspace_id=default`);
    await service.gateway("PUT", "config?workspace_id=default", { providers: { primary: null } });
    await service.user("DELETE", `llm-providers/${id}`);
  });

  test("a provider is added, validated, changed, kept while a route names it, and deleted", async () => {
    await open();
    await signIn(page, tokens);
    await goTo(page, "LLM providers");
    await button("Add a provider").click();
    await page.getByLabel("Name", { exact: true }).fill("Parrot");
    await page.getByLabel("Type", { exact: true }).selectOption("openai_compatible");
    await page.getByLabel("Address").fill(provider.address);
    await page.getByLabel("Default model").fill("parrot");
    await page.getByLabel("Reference of the credential").fill("sk-a-secret-key");
    await page.getByText("Write a reference: ${NAME}").waitFor();
    await button("Save").click();
    await refuses(page, "The credential must be a reference such as ${OPENAI_API_KEY}.");
    assert.ok(!(await page.content()).includes("sk-a-secret-key"), "the secret is shown in the request");
    await page.getByLabel("Credential", { exact: true }).selectOption("none");
    await button("Save").click();
    await says(page, "Parrot is saved.");
    await button("Validate Parrot").click();
    await says(page, "The provider answers, and takes the credential.");
    await page.getByText("valid", { exact: true }).waitFor();

    await button("Edit Parrot").click();
    await page.getByLabel("Allowed models (empty: all)").fill("other");
    await button("Save").click();
    await refuses(page, "default_model must be one of allowed_models");
    assert.equal(await page.getByLabel("Default model").getAttribute("aria-invalid"), "true");
    await page.getByLabel("Allowed models (empty: all)").fill("parrot, macaw");
    await button("Save").click();
    await page.getByText("parrot, macaw").waitFor();

    const [{ id }] = (await service.user("GET", "llm-providers")).providers;
    await service.gateway("PUT", "config?workspace_id=default", { providers: { primary: { provider: id, model: "parrot" } } });
    await button("Delete Parrot").click();
    const question = page.getByRole("dialog", { name: "Delete the provider Parrot?" });
    await question.getByRole("button", { name: "Delete" }).click();
    await question.getByRole("alert").waitFor();
    assert.match(await question.getByRole("alert").textContent(), /configuration/);
    await page.keyboard.press("Escape");
    await service.gateway("PUT", "config?workspace_id=default", { providers: { primary: null } });
    await button("Delete Parrot").click();
    await question.getByRole("button", { name: "Delete" }).click();
    await page.getByText("No provider yet.").waitFor();
  });

  test("the configuration is changed in part; changes are marked and undone; refusals land at their field", async () => {
    const made = await service.user("POST", "llm-providers", PARROT(provider.address));
    await open();
    await signIn(page, tokens);
    await goTo(page, "Routing");
    const burst = page.getByLabel("Burst", { exact: true });
    await burst.fill("0");
    await page.getByText("Not saved: rate_limits.burst.").waitFor();
    await button("Save").click();
    await refuses(page, "rate_limits.burst must");
    assert.equal(await burst.getAttribute("aria-invalid"), "true");
    assert.ok(await burst.evaluate((element) => element === document.activeElement));
    await page.getByRole("button", { name: "Undo Burst" }).click();
    await says(page, "No unsaved changes.");
    assert.equal(await burst.inputValue(), "10");
    assert.ok(await burst.evaluate((element) => element === document.activeElement));

    await page.getByLabel("Data residency label (optional)").fill("eu");
    const written = [];
    page.on("request", (request) => request.method() === "PUT" && written.push(request.url()));
    // by the keyboard, which saves nothing
    await page.getByLabel("New route").fill("primary");
    await page.keyboard.press("Enter");
    await page.getByText("Not saved: providers.primary, region.").waitFor();
    assert.deepEqual(written, []);
    await page.getByLabel("Model", { exact: true }).fill("parrot");
    await page.getByLabel("Default action").selectOption("REDACT");
    await page.getByLabel("Audit level").selectOption("full");
    await page.getByLabel("Audit retention (days)").fill("30");
    await page.getByLabel("Another type").fill("iban");
    await button("Add the type").click();
    await page.getByLabel("Stop uninspected streams").uncheck();
    const [request] = await Promise.all([page.waitForRequest(/gateway\/config/), button("Save").click()]);
    assert.deepEqual(request.postDataJSON(), {
      providers: { primary: { provider: made.id, model: "parrot" } },
      risk_levels: { iban: "HIGH" },
      default_action: "REDACT",
      streaming: { fail_closed: false },
      audit_retention_days: 30,
      audit_level: "full",
      region: "eu",
    });
    await says(page, "Saved: providers.primary");

    await button("Remove the route primary").click();
    await page.getByText("removed, not saved").waitFor();
    await announces(page, "Saved: providers.primary.", () => button("Save").click());
    const stored = await service.gateway("GET", "config?workspace_id=default");
    assert.deepEqual([stored.providers, stored.region], [{}, "eu"]);
    await service.user("DELETE", `llm-providers/${made.id}`);
  });

  test("what is typed while a change is on its way is kept", async () => {
    await open();
    await signIn(page, { service: tokens.service, workspace: "typing" });
    await goTo(page, "Routing");
    const saving = await hold(page, "PUT", /\/config$/);
    await page.getByRole("textbox", { name: "Data residency label (optional)" }).fill("eu");
    await button("Save").click();
    await button("Save").and(page.locator("[aria-disabled]")).waitFor();
    await page.getByRole("textbox", { name: "Data residency label (optional)" }).fill("eu-west");
    saving.release();
    await says(page, /^Saved: region\.$/);
    await says(page, "Not saved: region.");
    assert.equal(await page.getByRole("textbox", { name: "Data residency label (optional)" }).inputValue(), "eu-west");
    assert.equal((await service.gateway("GET", "config?workspace_id=typing")).region, "eu");
    await button("Save").click();
    await says(page, "No unsaved changes.");
    assert.equal((await service.gateway("GET", "config?workspace_id=typing")).region, "eu-west");
  });

  test("a key is shown once, copied, and revoked", async () => {
    await open();
    await signIn(page, tokens);
    await goTo(page, "API keys");
    await button("Create a key").click();
    await page.getByLabel("Name", { exact: true }).fill("billing");
    await page.getByLabel("Requests per minute").fill("0");
    await button("Create").click();
    await refuses(page, "Limits must be numbers above 0");
    assert.equal(await page.getByLabel("Requests per minute").getAttribute("aria-invalid"), "true");
    await page.getByLabel("Requests per minute").fill("30");
    await page.getByLabel("Expiry").fill("20261-01-01T00:00");
    await button("Create").click();
    await refuses(page, "expires_at must");
    assert.equal(await page.getByLabel("Expiry").getAttribute("aria-invalid"), "true");
    await page.getByLabel("Expiry").fill("");
    const creating = await hold(page, "POST", /\/api-keys$/);
    await button("Create").evaluate((element) => [element, element].forEach((twice) => twice.click()));
    assert.equal(await eventually(async () => creating.sent(), 1), 1);
    creating.release();
    await page.getByRole("heading", { name: "The new key" }).waitFor();
    const key = await page.locator(".secret").textContent();
    await button("Copy the key").click();
    await page.getByText("Copied", { exact: true }).waitFor();
    assert.equal(await page.evaluate("navigator.clipboard.readText()"), key);
    assert.equal(creating.sent(), 1);
    const health = () => fetch(`${service.address}/api/v1/health`, { headers: { "x-api-key": key } });
    assert.equal((await health()).status, 200);
    await button("Hide the key").click();
    assert.ok(!(await page.content()).includes(key));

    await button("Revoke billing").click();
    await page.getByRole("dialog").getByRole("button", { name: "Revoke" }).click();
    await says(page, "billing is revoked.");
    assert.equal((await health()).status, 401);
  });

  test("what is exported can be imported, once its changes were seen", async () => {
    await service.gateway("POST", "policies?workspace_id=origin", { name: "Mail", action: "MASK" });
    await open();
    await signIn(page, { service: tokens.service, workspace: "origin" });
    await goTo(page, "Export and import");
    const [download] = await Promise.all([page.waitForEvent("download"), button("Download").click()]);
    const exported = JSON.parse(await readFile(await download.path(), "utf8"));
    assert.deepEqual([exported.workspace_id, exported.policies.map(({ name }) => name)], ["origin", ["Mail"]]);

    const upload = async (text) =>
      page.getByLabel("File").setInputFiles({ name: "export.json", mimeType: "application/json", buffer: Buffer.from(text) });
    await upload("no JSON");
    await refuses(page, "This file is not JSON.");
    await upload(JSON.stringify({ policies: [{ name: "Mail", action: "MASK", conditions: "all" }] }));
    await refuses(page, "The conditions of each policy must be a list of JSON objects.");
    assert.ok(await button("Import").isDisabled());
    await upload(JSON.stringify(exported));
    await says(page, "Nothing changes.");

    // a type in another spelling is the same
    await service.gateway("PUT", "config?workspace_id=origin", { risk_levels: { IBAN: "HIGH" } });
    exported.configuration.risk_levels = { iban: "HIGH" };
    await upload(JSON.stringify(exported));
    await says(page, "Nothing changes.");
    exported.configuration.region = "eu";
    exported.policies[0].action = "BLOCK";
    exported.policies.push({ name: "Cards", action: "REDACT" });
    await upload(JSON.stringify(exported));
    await says(page, "3 changes, if you import the file:");
    const changes = await page.getByRole("region", { name: "Changes", exact: true }).innerText();
    assert.match(changes, /region\s+none\s+eu[^]*New policies\s+Cards[^]*Replaced policies\s+Mail/);
    const before = await service.gateway("GET", "policies?workspace_id=origin");
    assert.equal(before.total, 1, "nothing is sent before it is asked for");
    await button("Import").click();
    await says(page, "The file is imported. Policies: 1 added, 1 replaced, 0 removed.");
    const after = await service.gateway("GET", "config/export?workspace_id=origin");
    assert.deepEqual([after.configuration.region, after.policies.map(({ action }) => action)], ["eu", ["BLOCK", "REDACT"]]);

    await page.getByLabel("delete").check();
    await upload(JSON.stringify({ policies: [] }));
    await page.getByText("Removed policies").waitFor();
  });

  test("what is imported is what the file says that was chosen last", async () => {
    await open();
    await signIn(page, { service: tokens.service, workspace: "files" });
    await goTo(page, "Export and import");
    // the first file takes longer to read than the second
    await page.evaluate(() => {
      const { text } = Blob.prototype;
      Blob.prototype.text = async function () {
        const read = await text.call(this);
        if (read.includes("slow")) await new Promise((done) => (globalThis.goOn = done));
        return read;
      };
    });
    const choose = (name) => {
      const document = { policies: [{ name, action: "MASK" }] };
      const buffer = Buffer.from(JSON.stringify(document));
      return page.getByLabel("File").setInputFiles({ name: `${name}.json`, mimeType: "application/json", buffer });
    };
    const quick = page.getByRole("listitem").filter({ hasText: "quick" });
    await choose("quick");
    await quick.waitFor();
    await choose("slow");
    await page.waitForFunction(() => "goOn" in globalThis);
    await quick.waitFor({ state: "detached" });
    assert.ok(await button("Import").isDisabled());
    await choose("quick");
    await quick.waitFor();
    await page.evaluate("goOn()");
    await button("Import").click();
    await says(page, "The file is imported. Policies: 1 added");
    const { policies } = await service.gateway("GET", "policies?workspace_id=files");
    assert.deepEqual(policies.map(({ name }) => name), ["quick"]);
    assert.ok(await page.getByRole("heading", { level: 1 }).evaluate((heading) => heading === document.activeElement));
  });
});

const PARROT = (base_url) => ({
  provider_type: "openai_compatible",
  display_name: "Parrot",
  credential_source: "none",
  base_url,
  default_model: "parrot",
});
