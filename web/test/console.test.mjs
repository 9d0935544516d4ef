// The console, in a real browser against the real service: who is signed in, and where tokens are.

import assert from "node:assert/strict";
import { after, afterEach, before, describe, test } from "node:test";
import { SKIPPED } from "../../bindings-js/test/browser.mjs";
import { answers, eventually, goTo, hold, refuses, sentBefore, signIn, startConsole } from "./console.mjs";

describe("the console", { skip: SKIPPED }, () => {
  let site, service, page, seen, tokens;

  before(async () => {
    site = await startConsole();
    service = site.service;
    tokens = { service: service.serviceToken, user: service.userToken, key: service.apiKey };
  });
  after(() => site?.stop());
  afterEach(() => site.closePages());

  const open = async (options) => ({ page, seen } = await site.open(options));
  const button = (name) => page.getByRole("button", { name, exact: true });

  test("says which token is wrong, and lets nobody in", async () => {
    await open();
    await button("Sign in").click();
    await refuses(page, "Type a token.");
    await page.getByLabel("Service token").fill("tvs_wrong");
    await button("Sign in").click();
    await refuses(page, "The service token was not accepted.");
    assert.equal(await page.getByLabel("Service token").getAttribute("aria-invalid"), "true");
    await page.getByLabel("Service token").fill(tokens.service);
    await page.getByLabel("User access token").fill(service.apiKey);
    await button("Sign in").click();
    await refuses(page, "The user access token was not accepted.");
    assert.equal(await button("Sign out").count(), 0);
  });

  test("a page that needs the other token says so, and takes it", async () => {
    await open();
    await signIn(page, { user: tokens.user });
    await page.getByRole("heading", { name: "This page needs a service token" }).waitFor();
    await page.getByLabel("Service token").fill(tokens.service);
    await button("Sign in").click();
    await page.getByText("Otherwise the default action").waitFor();
    await goTo(page, "LLM providers");
    await button("Add a provider").waitFor();
    assert.deepEqual(seen.errors, []);
  });

  test("a token that is taken no longer is asked for again", async () => {
    await open();
    await signIn(page, tokens);
    await page.route("**/api/v1/api-keys", (route) => route.fulfill({ status: 401, json: {} }));
    await goTo(page, "API keys");
    await page.getByRole("heading", { name: "The user access token is not accepted any more" }).waitFor();
  });

  test("tokens are in memory only, and nothing goes to another host", async () => {
    await open();
    await signIn(page, tokens);
    for (const title of await page.getByRole("navigation").getByRole("link").allTextContents()) {
      await goTo(page, title);
      await seen.idle();
    }
    const kept = await page.evaluate(async () => ({
      local: { ...localStorage },
      session: { ...sessionStorage },
      cookie: document.cookie,
      address: location.href,
      history: history.state,
      name: window.name,
      databases: await indexedDB.databases(),
      caches: await caches.keys(),
      html: document.documentElement.outerHTML,
    }));
    const everything = JSON.stringify([kept, await page.context().storageState()]);
    for (const token of Object.values(tokens)) assert.ok(!everything.includes(token));
    assert.deepEqual([kept.local, kept.session, kept.cookie, kept.databases, kept.caches], [{}, {}, "", [], []]);
    const hosts = new Set(seen.requests.map((url) => new URL(url).host));
    assert.deepEqual([...hosts], [new URL(service.address).host]);
    assert.ok(seen.requests.every((url) => Object.values(tokens).every((token) => !url.includes(token))));
    assert.deepEqual(seen.errors, []);

    await page.reload();
    await page.getByLabel("Service token").waitFor();
    assert.equal(await page.getByLabel("Service token").inputValue(), "");
  });

  test("signing out forgets everything", async () => {
    await open();
    await signIn(page, { ...tokens, workspace: "elsewhere" });
    await button("Sign out").click();
    await page.getByLabel("Service token").waitFor();
    assert.equal(await page.getByLabel("Service token").inputValue(), "");
    await signIn(page, { service: tokens.service });
    await page.getByText("of workspace default").waitFor();
    const offered = await page.locator("#workspaces option").evaluateAll((options) => options.map(({ value }) => value));
    assert.deepEqual(offered, ["default"]);
  });

  test("what was on its way when somebody signs out asks for no token", async () => {
    await open();
    await signIn(page, { service: tokens.service });
    // the lists of the page that opens first are here, so that what is held is asked for later
    await seen.idle();
    const policies = [{ id: "1", name: "One", action: "MASK", conditions: [] }];
    const first = await hold(page, "GET", /\/policies$/, (route) => route.fulfill({ json: { policies, total: 2 } }));
    await goTo(page, "Audit");
    await goTo(page, "Policies");
    await button("Sign out").click();
    assert.equal(await eventually(async () => first.sent(), 1), 1);
    first.release();
    await seen.idle();
    await sentBefore(page);
    await page.getByRole("heading", { name: "Sign in to the gateway" }).waitFor();
    assert.equal(first.sent(), 1);
  });

  test("leads to the documentation in another tab", async () => {
    await open();
    const link = page.getByRole("banner").getByRole("link", { name: "Documentation" });
    assert.equal(await link.getAttribute("href"), "/docs/index.html");
    assert.equal(await link.getAttribute("target"), "_blank");
  });

  test("a changed form is asked about as long as it is there", async () => {
    await open();
    await signIn(page, tokens);
    await goTo(page, "LLM providers");
    await button("Add a provider").click();
    await page.getByLabel("Name", { exact: true }).fill("Parrot");
    // a provider is of the user's workspace, so its form stays
    await page.getByLabel("Workspace").fill("elsewhere");
    await answers(page, "accept", () => button("Open").click());
    await page.locator("#workspaces option[value=elsewhere]").waitFor({ state: "attached" });
    await answers(page, "dismiss", () => page.getByRole("link", { name: "Audit" }).click());
    assert.equal(await page.getByLabel("Name", { exact: true }).inputValue(), "Parrot");
  });

  test("opens at an address without a page", async () => {
    await open();
    await page.goto(`${service.address}/console/#/%`);
    await page.reload();
    await signIn(page, { service: tokens.service });
    await page.evaluate(() => (location.hash = "#/audit/%"));
    await page.getByRole("heading", { level: 1, name: "Audit" }).waitFor();
    assert.deepEqual(seen.errors, []);
  });

  test("its policy lets nothing out", async () => {
    await open();
    const blocked = await page.evaluate(async () => {
      const violation = new Promise((done) =>
        document.addEventListener("securitypolicyviolation", (event) => done(event.effectiveDirective)),
      );
      await fetch("https://example.com/", { method: "POST", body: "token" }).catch(() => {});
      return violation;
    });
    assert.equal(blocked, "connect-src");
  });

  test("each action is shown as a request without the token", async () => {
    await open();
    await signIn(page, tokens);
    await page.getByText("This list as curl").click();
    const command = await page.locator(".curl[open] pre").textContent();
    assert.ok(command.includes(`'${service.address}/api/v1/gateway/policies?workspace_id=default`));
    assert.ok(command.includes('-H "X-Service-Token: $TEXTVEIL_SERVICE_TOKEN"'));
    assert.ok(!command.includes(tokens.service));
  });
});
