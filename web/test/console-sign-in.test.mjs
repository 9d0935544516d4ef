// Signing in to the console with an identity provider, a real one, in Chromium and in Firefox.

import assert from "node:assert/strict";
import { after, afterEach, before, describe, test } from "node:test";
import { setTimeout } from "node:timers/promises";
import { FIREFOX_SKIPPED, launchFirefox, record, SKIPPED } from "../../bindings-js/test/browser.mjs";
import { eventually, goTo, hold, refuses, signIn, startConsole } from "./console.mjs";
import { AUDIENCE, CLIENT, DESCRIPTION, startIdentityProvider } from "./identity-provider.mjs";
import { startService } from "./service.mjs";

/** The variables that the operator sets. */
const variables = (provider) => ({
  user_token_key: provider.jwks,
  user_token_issuer: provider.issuer,
  user_token_audience: AUDIENCE,
  sign_in_client_id: CLIENT,
});

describe("the console signs in with an identity provider", { skip: SKIPPED }, () => {
  let provider, site, service, page, seen, host;

  before(async () => {
    provider = await startIdentityProvider();
    host = new URL(provider.issuer).host;
    site = await startConsole(variables(provider));
    service = site.service;
    await provider.admit(`${service.address}/console/`);
  });
  after(() => provider?.stop());
  after(() => site?.stop());
  afterEach(async () => {
    Object.assign(provider.made, { audience: AUDIENCE });
    await site.closePages();
  });

  const open = async (hash = "") => {
    ({ page, seen } = await site.open());
    if (hash) await page.evaluate((hash) => (location.hash = hash), hash);
  };
  const button = (name) => page.getByRole("button", { name, exact: true });
  const leave = async () => {
    await button(`Sign in with ${host}`).click();
    await page.waitForURL(`${provider.issuer}/**`);
  };
  /** Types a name at the provider. */
  const admit = async () => {
    await page.getByLabel("Name").fill("jana");
    await page.getByRole("button", { name: "Continue" }).click();
    await page.waitForURL(`${service.address}/console/**`);
  };
  const kept = () =>
    page.evaluate(() => ({ local: { ...localStorage }, session: { ...sessionStorage }, cookie: document.cookie, state: history.state }));
  const NOTHING = { local: {}, session: {}, cookie: "", state: null };

  test("and opens the page that was asked for, with the token in memory only", async () => {
    await open("#/keys");
    const answers = [];
    page.on("response", (response) => response.url().startsWith(`${provider.issuer}/token`) && answers.push(response.json()));
    await leave();
    await admit();
    await page.getByRole("heading", { level: 1, name: "API keys" }).waitFor();
    await page.getByText("of workspace acme").waitFor();
    await page.getByText("user access token (admin)").waitFor();
    assert.equal(page.url(), `${service.address}/console/#/keys`);
    await goTo(page, "LLM providers");
    await button("Add a provider").waitFor();

    const [{ access_token, id_token }] = await Promise.all(answers);
    const everything = JSON.stringify([await kept(), await page.content(), await page.context().storageState()]);
    for (const token of [access_token, id_token]) assert.ok(token.length > 100 && !everything.includes(token));
    assert.deepEqual(await kept(), NOTHING);
    // the service gets the token, and the provider only its own requests
    assert.deepEqual(new Set(seen.requests.map((url) => new URL(url).origin)), new Set([service.address, provider.issuer]));
    assert.ok(seen.requests.every((url) => !url.includes(access_token)));
    assert.deepEqual(seen.errors, []);

    await button("Sign out").click();
    await button(`Sign in with ${host}`).waitFor();
    await page.reload();
    await button(`Sign in with ${host}`).waitFor();
    assert.deepEqual(await kept(), NOTHING);
  });

  test("with a challenge, a state and a nonce that are new each time", async () => {
    await open();
    const asked = [];
    page.on("request", (request) => request.url().startsWith(`${provider.issuer}/auth?`) && asked.push(new URL(request.url()).searchParams));
    for (let turn = 0; turn < 2; turn++) {
      await leave();
      await page.goto(`${service.address}/console/`);
    }
    for (const parameters of asked) {
      const { state, nonce, code_challenge, ...others } = Object.fromEntries(parameters);
      for (const random of [state, nonce, code_challenge]) assert.match(random, /^[\w-]{43}$/);
      assert.deepEqual(others, {
        client_id: CLIENT,
        redirect_uri: `${service.address}/console/`,
        response_type: "code",
        scope: "openid",
        code_challenge_method: "S256",
      });
    }
    for (const name of ["state", "nonce", "code_challenge"]) {
      assert.equal(new Set(asked.map((parameters) => parameters.get(name))).size, 2, name);
    }
    // a return without an answer ends the sign-in
    assert.deepEqual(await kept(), NOTHING);
  });

  test("and says that the provider denied access, in its own words", async () => {
    await open();
    await leave();
    await page.getByRole("button", { name: "Deny" }).click();
    await page.waitForURL(`${service.address}/console/**`);
    await refuses(page, "The identity provider denied access; ask its administrator to admit you to the console.");
    assert.equal(page.url(), `${service.address}/console/`);
    assert.deepEqual(await kept(), NOTHING);
    assert.equal(await page.getByText(DESCRIPTION).count(), 0);
    // it works afterwards
    await leave();
    await admit();
    await button("Sign out").waitFor();
  });

  test("and repeats nothing of an answer that somebody else wrote", async () => {
    await open();
    await leave();
    const forged = new URLSearchParams({ error: "call quokka +1 555 0100", error_description: "call quokka +1 555 0100", state: "guessed" });
    await page.goto(`${service.address}/console/?${forged}#/audit`);
    await refuses(page, "This answer belongs to another sign-in; sign in again.");
    assert.equal(await page.getByText("quokka").count(), 0);
    assert.deepEqual(await kept(), NOTHING);
  });

  test("and takes no code of another sign-in", async () => {
    let exchanged = 0;
    const count = (context) => context.on("request", (request) => request.url().startsWith(`${provider.issuer}/token`) && exchanged++);
    // a link of an attacker, whose account the victim would work with
    await open();
    count(page.context());
    await page.goto(`${service.address}/console/?code=theirs&state=theirs&iss=${encodeURIComponent(provider.issuer)}`);
    await refuses(page, "This answer belongs to no sign-in of this tab; sign in again.");
    assert.equal(page.url(), `${service.address}/console/`);
    // the same while one's own sign-in is under way, which it ends
    await leave();
    await page.goto(`${service.address}/console/?code=theirs&state=theirs&iss=${encodeURIComponent(provider.issuer)}`);
    await refuses(page, "This answer belongs to another sign-in; sign in again.");
    assert.deepEqual([page.url(), exchanged], [`${service.address}/console/`, 0]);
    assert.deepEqual(await kept(), NOTHING);
  });

  test("and takes no answer of another issuer, and no ID token with another nonce", async () => {
    await open();
    await leave();
    // a route sees no request that a redirect leads to, so it follows the redirects itself
    await page.route(`${provider.issuer}/interaction/*`, async (route) => {
      const resumed = await route.fetch({ maxRedirects: 0 });
      const returned = await page.request.get(resumed.headers().location, { maxRedirects: 0 });
      const url = new URL(returned.headers().location);
      url.searchParams.set("iss", "https://id.example");
      await route.fulfill({ status: 302, headers: { location: url.href } });
    });
    await admit();
    await refuses(page, "This answer belongs to another sign-in; sign in again.");

    await page.route(`${provider.issuer}/token`, async (route) => {
      const response = await route.fetch();
      const answer = await response.json();
      const [head, payload, signature] = answer.id_token.split(".");
      const claims = { ...JSON.parse(Buffer.from(payload, "base64url")), nonce: "another" };
      const changed = [head, Buffer.from(JSON.stringify(claims)).toString("base64url"), signature].join(".");
      await route.fulfill({ response, json: { ...answer, id_token: changed } });
    });
    await button(`Sign in with ${host}`).click();
    await refuses(page, "The identity provider issued no valid token; sign in again, or ask the operator to check the client there.");
    assert.deepEqual(await kept(), NOTHING);
    assert.equal(await button("Sign out").count(), 0);
  });

  test("and says what to do about a token for another audience", async () => {
    await open();
    provider.made.audience = "https://wiki.example/api";
    await leave();
    await admit();
    await refuses(page, "The service does not accept the token of the identity provider; ask the operator to compare its audience");
    assert.equal(await button("Sign out").count(), 0);
    assert.deepEqual(await kept(), NOTHING);
  });

  test("and may be reloaded in the middle", async () => {
    await open();
    await leave();
    await page.reload();
    const exchange = await hold(page, "POST", /^\/token$/);
    await admit();
    await page.getByText("Signing in with your identity provider…").waitFor();
    assert.equal(await eventually(async () => exchange.sent(), 1), 1);
    // the code is gone from the address already, and the verifier from the storage
    assert.equal(page.url(), `${service.address}/console/`);
    assert.deepEqual(await kept(), NOTHING);
    await page.reload();
    await button(`Sign in with ${host}`).waitFor();
    exchange.release();
    assert.equal(await page.getByRole("alert").count(), 0);
    await page.goBack();
    assert.ok(!page.url().includes("code="), page.url());
  });

  test("once more when the token is accepted no longer, and returns to the same page", async () => {
    await open("#/providers");
    await leave();
    await admit();
    await button("Add a provider").waitFor();
    await page.route("**/api/v1/api-keys", (route) => route.fulfill({ status: 401, json: {} }));
    await goTo(page, "API keys");
    await page.getByRole("heading", { name: "New user access token needed" }).waitFor();
    await page.unroute("**/api/v1/api-keys");
    await button(`Sign in with ${host}`).click();
    await button("Create a key").waitFor();
    assert.equal(page.url(), `${service.address}/console/#/keys`);
  });

  test("beside pasted tokens, which other pages need", async () => {
    await open();
    await page.goto(`${service.address}/console/?error=access_denied&state=old`);
    await refuses(page, "This answer belongs to no sign-in of this tab");
    await signIn(page, { service: service.serviceToken });
    await goTo(page, "API keys");
    assert.equal(await page.getByRole("alert").count(), 0);
    await page.getByText("It leaves this page, which forgets its other tokens.").waitFor();
    await goTo(page, "Audit");
    assert.equal(await button(`Sign in with ${host}`).count(), 0);
  });

  test("and its policy lets requests to the provider out, and to nobody else", async () => {
    await open();
    const asked = await page.evaluate(async (issuer) => {
      const violation = new Promise((done) =>
        document.addEventListener("securitypolicyviolation", ({ blockedURI, effectiveDirective }) => done([blockedURI, effectiveDirective])),
      );
      const { ok } = await fetch(`${issuer}/.well-known/openid-configuration`);
      await fetch("https://example.com/").catch(() => {});
      return [ok, ...(await violation)];
    }, provider.issuer);
    assert.deepEqual(asked, [true, "https://example.com/", "connect-src"]);
    const { headers } = await fetch(service.address);
    assert.ok(!headers.get("content-security-policy").includes(host));
  });
});

describe("with the ID token as the user token", { skip: SKIPPED }, () => {
  let provider, site;
  before(async () => {
    provider = await startIdentityProvider();
    const { user_token_audience: _unused, ...others } = variables(provider);
    site = await startConsole({ ...others, sign_in_token: "id" });
    await provider.admit(`${site.service.address}/console/`);
  });
  after(() => provider?.stop());
  after(() => site?.stop());

  test("the audience is the client id, and access tokens are rejected", async () => {
    const { page, seen } = await site.open();
    const answers = [];
    page.on("response", (response) => response.url().startsWith(`${provider.issuer}/token`) && answers.push(response.json()));
    await page.getByRole("button", { name: "Sign in with" }).click();
    await page.getByLabel("Name").fill("jana");
    await page.getByRole("button", { name: "Continue" }).click();
    await page.getByText("user access token (admin)").waitFor();
    assert.deepEqual(seen.errors, []);
    const [{ access_token, id_token }] = await Promise.all(answers);
    const status = async (token) =>
      (await fetch(`${site.service.address}/api/v1/api-keys`, { headers: { authorization: `Bearer ${token}` } })).status;
    assert.deepEqual([await status(id_token), await status(access_token)], [200, 401]);
    await page.context().close();
  });
});

describe("in Firefox the console signs in with an identity provider", { skip: FIREFOX_SKIPPED }, () => {
  let provider, service, browser, page, seen;

  before(async () => {
    provider = await startIdentityProvider();
    service = await startService(variables(provider));
    await provider.admit(`${service.address}/console/`);
    browser = await launchFirefox();
  });
  after(async () => {
    await page?.close();
    await service?.stop();
    await provider?.stop();
  });

  // `waitForFunction` compiles its function in the page, which the policy of the page forbids. Handles of elements get lost
  // when the page is left, so everything is one evaluation.
  const until = async (isSo, argument) => {
    // a page that is left meanwhile answers nothing
    while (!(await page.evaluate(isSo, argument).catch(() => false))) {
      assert.ok(!page.isClosed(), "the page was closed");
      await setTimeout(50);
    }
  };
  const shows = (text) => until((text) => document.body.textContent.includes(text), text);
  const press = async (selector) => {
    await until((selector) => document.querySelector(selector) !== null, selector);
    await page.evaluate((selector) => document.querySelector(selector).click(), selector);
  };

  test("also after a denial", async () => {
    page = await browser.newPage();
    seen = record(page);
    await page.goto(`${service.address}/console/#/keys`);
    await press(".provider button");
    await press("button[name=deny]");
    await shows("The identity provider denied access");
    await press(".provider button");
    await until(() => document.querySelector("input[name=name]") !== null);
    await page.evaluate(() => (document.querySelector("input[name=name]").value = "jana"));
    await press("button:not([name])");
    await shows("of workspace acme");
    assert.equal(page.url(), `${service.address}/console/#/keys`);
    assert.deepEqual(await page.evaluate(() => ({ ...sessionStorage })), {});
    assert.deepEqual(seen.errors, []);
  });
});
