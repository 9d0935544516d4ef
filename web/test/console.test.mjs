// The console, in a real browser against the real service: who is signed in, and where tokens are.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { after, afterEach, before, describe, test } from "node:test";
import { SKIPPED } from "../../bindings-js/test/browser.mjs";
import { ROOT } from "../../bindings-js/test/project.mjs";
import { announces, answers, eventually, goTo, hold, refuses, sentBefore, signIn, startConsole } from "./console.mjs";

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

  test("says where each credential comes from, with links to pages of the documentation that exist", async () => {
    await open();
    const form = page.getByRole("form", { name: "Sign in" });
    for (const [label, variable, source] of [
      ["Service token", "TEXTVEIL_SERVICE_TOKEN", "service_tokens"],
      ["User access token", "TEXTVEIL_USER_TOKEN", "identity provider"],
      ["API key", "TEXTVEIL_API_KEY", "textveil keys create"],
    ]) {
      const described = (await form.getByLabel(label).getAttribute("aria-describedby")).split(" ");
      const hint = await page.locator(described.map((id) => `[id="${id}"]`).join(",")).innerText();
      for (const part of [variable, ".textveil/credentials.env", source]) assert.ok(hint.includes(part), `${label}: ${hint}`);
    }
    const links = await form.getByRole("link").evaluateAll((all) => all.map(({ pathname, hash, target }) => ({ pathname, hash, target })));
    assert.equal(links.length, 3);
    for (const { pathname, hash, target } of links) {
      const text = readFileSync(join(ROOT, pathname.replace(/\.html$/, ".md")), "utf8");
      const anchors = [...text.matchAll(/^#+ (.+)$/gm)].map(([, heading]) => heading.toLowerCase().replaceAll(/[^\w]+/g, "-"));
      assert.ok(anchors.includes(hash.slice(1)), `${pathname}${hash}: ${anchors}`);
      assert.equal(target, "_blank");
    }
    // the file that the page names has the variables that it names
    assert.ok(Object.values(tokens).every(Boolean));
  });

  test("a result covers no field, and goes by itself or by a click", async () => {
    for (const width of [360, 1280]) {
      await open({ viewport: { width, height: 800 } });
      await page.clock.install();
      await signIn(page, { service: tokens.service, workspace: `results-${width}` });
      await goTo(page, "Routing");
      const save = async (region) => {
        await page.getByLabel("Data residency label (optional)").fill(region);
        await announces(page, "Saved: region.", async () => {
          await button("Save").click();
          await page.locator(".save-bar").getByText("No unsaved changes.").waitFor();
          await page.clock.runFor(100);
        });
      };
      await save("eu");
      // on a narrow page, fields that are scrolled out of sight lie under the list of pages
      for (const at of width < 900 ? [0] : [0, 400]) {
        await page.evaluate((at) => scrollTo(0, at), at);
        const covered = await page.evaluate(() => {
          const { left, top, right, bottom } = document.querySelector(".announcer").getBoundingClientRect();
          const fields = [...document.querySelectorAll("input, select, textarea, main button")];
          const isUnder = (box) => box.left < right && box.right > left && box.top < bottom && box.bottom > top;
          return fields.filter((field) => isUnder(field.getBoundingClientRect())).map((field) => field.name || field.textContent);
        });
        assert.deepEqual(covered, [], `${width} pixels, ${at}`);
      }
      await page.getByRole("button", { name: "Close the message" }).click();
      await page.locator(".announcer p").waitFor({ state: "detached" });
      await save("us");
      await page.clock.runFor(5_000);
      await page.locator(".announcer p").waitFor({ state: "detached" });
    }
  });

  test("a page that needs the other token says so, and takes it", async () => {
    await open();
    await signIn(page, { user: tokens.user });
    await goTo(page, "Policies");
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
    await page.getByRole("heading", { name: "New user access token needed" }).waitFor();
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
    assert.equal(await link.getAttribute("href"), "/docs/");
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
    await goTo(page, "Policies");
    await page.getByText("This list as curl").click();
    const command = await page.locator(".curl[open] pre").textContent();
    assert.ok(command.includes(`'${service.address}/api/v1/gateway/policies?workspace_id=default`));
    assert.ok(command.includes('-H "X-Service-Token: $TEXTVEIL_SERVICE_TOKEN"'));
    assert.ok(!command.includes(tokens.service));
  });
});
