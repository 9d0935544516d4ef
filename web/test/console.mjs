// The base of the tests of the console: a service, a browser, and a person who signs in.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { launch, record } from "../../bindings-js/test/browser.mjs";
import { ROOT } from "../../bindings-js/test/project.mjs";
import { startService } from "./service.mjs";

const DOCUMENT = JSON.parse(readFileSync(join(ROOT, "spin-app/service/openapi.json"), "utf8"));

export async function startConsole(variables = {}) {
  const service = await startService(variables);
  const browser = await launch();
  const contexts = new Set();
  const undocumented = new Set();
  return {
    service,

    /** A page of its own, at the form for signing in. */
    async open(options = {}) {
      const context = await browser.newContext({ permissions: ["clipboard-read", "clipboard-write"], ...options });
      // other programs may use the processors; a test waits as long as it must
      context.setDefaultTimeout(120_000);
      contexts.add(context);
      const page = await context.newPage();
      const seen = record(page);
      page.on("request", (request) => {
        const { origin, pathname } = new URL(request.url());
        const call = `${request.method()} ${pathname}`;
        // the pages and endpoints of an identity provider are its own
        const isOfProvider = variables.user_token_issuer && origin === new URL(variables.user_token_issuer).origin;
        if (!isOfProvider && !isDocumented(call)) undocumented.add(call);
      });
      await page.goto(`${service.address}/console/`);
      return { page, seen };
    },

    /** Closes the pages that were opened. */
    async closePages() {
      for (const context of contexts) await context.close();
      contexts.clear();
    },

    /** Ends it all. Every request of the console must be in the document of the API, except for its own files. */
    async stop() {
      await this.closePages();
      await service.stop();
      assert.deepEqual([...undocumented], []);
    },
  };
}

function isDocumented(call) {
  if (/^GET \/console\//.test(call)) return true;
  return Object.entries(DOCUMENT.paths).some(([path, methods]) =>
    Object.keys(methods).some((method) =>
      new RegExp(`^${method.toUpperCase()} ${path.replaceAll(/\{\w+\}/g, "[^/]+")}$`).test(call),
    ),
  );
}

/** Signs in with the tokens and the key given, and opens a workspace. */
export async function signIn(page, { service, user, key, workspace }) {
  if (service) await page.getByLabel("Service token").fill(service);
  if (user) await page.getByLabel("User access token").fill(user);
  if (key) await page.getByLabel("API key").fill(key);
  await page.getByRole("button", { name: "Sign in", exact: true }).click();
  await page.getByRole("button", { name: "Sign out" }).waitFor();
  if (workspace) {
    await page.getByLabel("Workspace").fill(workspace);
    await page.getByRole("button", { name: "Open" }).click();
    await page.getByText(`of workspace ${workspace}`).waitFor();
  }
}

/** Goes to a page by its link. */
export async function goTo(page, title) {
  await page.getByRole("navigation").getByRole("link", { name: title }).click();
  await page.getByRole("heading", { level: 1, name: title, exact: true }).waitFor();
}

/** Waits until every request is sent that the page has begun by now: they arrive before this one. */
export function sentBefore(page) {
  return page.evaluate(() => fetch("./", { cache: "no-store" }).then(({ ok }) => ok));
}

/** Does what makes the page ask, and answers the question, which may come later than the click: `accept` or `dismiss`. */
export async function answers(page, answer, act) {
  const answered = page.waitForEvent("dialog").then((dialog) => dialog[answer]());
  await Promise.all([answered, act()]);
}

/** Holds back what the page sends to such paths; what is given lets it go on, and says how much was sent. */
export async function hold(page, method, paths, answer = (route) => route.continue()) {
  let release;
  const isReleased = new Promise((done) => (release = done));
  let sent = 0;
  await page.route(
    (url) => paths.test(url.pathname),
    async (route) => {
      if (route.request().method() !== method) return route.fallback();
      sent++;
      await isReleased;
      await answer(route);
    },
  );
  return { release, sent: () => sent };
}

/** Waits until the page says so. Where it may have said the same before, `announces` tells the two apart. */
export function says(page, text) {
  return page.getByRole("status").filter({ hasText: text }).first().waitFor();
}

/** Does something, and waits until the page says something anew that has the text. */
export async function announces(page, text, act) {
  const said = () => page.locator(".announcer").getAttribute("data-said");
  const before = await said();
  await act();
  await page.locator(`.announcer:not([data-said="${before}"])`).filter({ hasText: text }).waitFor();
}

/** Waits until a refusal is shown. */
export function refuses(page, text) {
  return page.getByRole("alert").filter({ hasText: text }).waitFor();
}

/** Asks again until the answer is the one wanted; what it was last, where it never is. */
export async function eventually(ask, wanted) {
  for (let turn = 0; turn < 1_200; turn++) {
    const answer = await ask();
    if (JSON.stringify(answer) === JSON.stringify(wanted)) return answer;
    await new Promise((done) => setTimeout(done, 100));
  }
  return ask();
}
