// The look of the console: accessible in both themes, and nothing wider than the screen.
// Pictures of every page go to dist/screenshots/; with BLESS set, one goes to docs/images/.

import assert from "node:assert/strict";
import { mkdirSync, readFileSync, statSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { SKIPPED } from "../../bindings-js/test/browser.mjs";
import { answers, goTo, refuses, says, signIn, startConsole } from "./console.mjs";
import { keyWith, seed, seedSettings } from "./console-seed.mjs";
import { looks } from "./looks.mjs";
import { ROOT } from "../../bindings-js/test/project.mjs";
import { startProvider } from "./provider.mjs";

const PICTURES = join(ROOT, "dist/screenshots");
const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const MAX_README_BYTES = 150_000;

describe("the look of the console", { skip: SKIPPED }, () => {
  let site, provider, page, seen, key;

  before(async () => {
    site = await startConsole();
    provider = await startProvider();
    await seed(site.service, provider);
    key = await keyWith(site.service, ["settings.read", "settings.write", "settings.allow", "detect"]);
    await seedSettings(site.service, key);
    mkdirSync(PICTURES, { recursive: true });
  });
  after(async () => {
    await site?.stop();
    await provider?.stop();
  });

  /** The steps from each state of the console to the next, by name; the page is opened once for all of them. */
  const STATES = {
    "sign-in": async () => {},
    "sign-in-refused": async () => {
      await page.getByLabel("Service token").fill("wrong");
      await page.getByRole("button", { name: "Sign in" }).click();
      await page.getByRole("alert").waitFor();
      await page.getByLabel("Service token").fill(site.service.serviceToken);
    },
    overview: async () => {
      await signIn(page, { service: site.service.serviceToken });
      await says(page, "Unknown: 2 of 5 steps.");
    },
    "needs-token": async () => {
      await goTo(page, "API keys");
      await page.getByLabel("User access token").fill(site.service.userToken);
    },
    policies: async () => {
      await page.getByRole("button", { name: "Sign in" }).click();
      await page.getByRole("button", { name: "Create a key" }).waitFor();
      await goTo(page, "Policies");
      await says(page, "3 findings");
    },
    "policy-form": async () => {
      await page.getByRole("button", { name: "Edit Cards stay here" }).click();
      await page.getByLabel("Add to this condition").selectOption("categories");
      await says(page, "Fill in Categories to test this draft.");
    },
    providers: async () => {
      await page.getByRole("button", { name: "Cancel" }).click();
      await goTo(page, "LLM providers");
      const validated = page.waitForResponse(/\/validate$/);
      await page.getByRole("button", { name: "Validate Parrot", exact: true }).click();
      await validated;
      await page.getByRole("button", { name: "Validate Parrot", exact: true }).waitFor();
      await says(page, "The provider answers");
    },
    "provider-delete": async () => {
      await page.getByRole("button", { name: "Delete Parrot" }).click();
      await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
      await page.getByRole("dialog").getByRole("alert").waitFor();
    },
    "provider-form": async () => {
      await page.keyboard.press("Escape");
      await page.getByRole("button", { name: "Add a provider" }).click();
      await page.getByLabel("Reference of the credential").fill("sk-secret");
    },
    routing: async () => {
      await page.getByRole("button", { name: "Cancel" }).click();
      await goTo(page, "Routing");
      await page.getByLabel("Burst").fill("0");
      await page.getByRole("button", { name: "Save" }).click();
      await page.getByRole("alert").waitFor();
    },
    audit: async () => {
      await page.getByRole("button", { name: "Undo all" }).click();
      await goTo(page, "Audit");
      await page.locator("canvas").last().waitFor();
      await page.getByText("As a table").first().click();
      await page.locator(".records summary").first().click();
    },
    usage: async () => {
      await goTo(page, "Usage");
      await page.locator("figure", { hasText: "Requests of the workspace" }).locator("canvas").waitFor();
      await page.locator("figure", { hasText: "Requests by route" }).locator("canvas").waitFor();
    },
    "live-test": async () => {
      await goTo(page, "Test");
      await says(page, "3 findings");
    },
    "dry-run": async () => {
      await page.getByRole("link", { name: "Dry run" }).click();
      await page.getByLabel("Text of message 2").fill("Write to Jan Novák, jan.novak@example.cz.");
      await page.getByRole("button", { name: "Show the request" }).click();
      await says(page, "by route primary");
    },
    verification: async () => {
      await goTo(page, "Verification");
      await page.getByRole("button", { name: "Check the records" }).click();
      await says(page, "every link is right.");
    },
    detectors: async () => {
      await goTo(page, "Custom detectors");
      await page.getByLabel("API key").fill(key);
      await page.getByRole("button", { name: "Sign in" }).click();
      await page.getByRole("heading", { name: "employee_id" }).waitFor();
    },
    "detector-form": async () => {
      await page.getByRole("button", { name: "Add a detector" }).click();
      await page.getByLabel("Name", { exact: true }).fill("project");
      await page.getByLabel("Regular expression").fill("PRJ-[0-9]{4}");
      await page.getByLabel("Text to try").fill("It is PRJ-4711, and PRJ-4712.");
      await says(page, "2 findings");
    },
    lists: async () => {
      await answers(page, "accept", () => page.getByRole("link", { name: "Allow and deny lists" }).click());
      await page.getByText("support@example.com").waitFor();
      await page.getByLabel("Kind of entry").selectOption("regex");
      await page.getByLabel("Allowed text").fill(".+");
      await page.getByRole("button", { name: "Add", exact: true }).first().click();
      await refuses(page, "allows too much");
    },
    "key-form": async () => {
      await answers(page, "accept", () => page.getByRole("link", { name: "API keys" }).click());
      await page.getByRole("button", { name: "Create a key" }).click();
    },
    keys: async () => {
      await page.getByLabel("Name", { exact: true }).fill("billing");
      await page.getByRole("button", { name: "Create", exact: true }).click();
      await page.getByRole("heading", { name: "The new key" }).waitFor();
      // a picture must not hold a key, though it opens nothing any more
      await page.locator(".secret").evaluate((secret) => (secret.textContent = `fpk_${"x".repeat(43)}`));
    },
    transfer: async () => {
      await goTo(page, "Export and import");
      const document = { configuration: { region: "de" }, policies: [{ name: "New", action: "HASH" }] };
      const buffer = Buffer.from(JSON.stringify(document));
      await page.getByLabel("File").setInputFiles({ name: "export.json", mimeType: "application/json", buffer });
      await says(page, "changes, if you import the file:");
    },
  };

  for (const [index, [name, reach]] of Object.entries(STATES).entries()) {
    test(name, async () => {
      // the contrast of an element cannot be measured while its colour changes
      if (index === 0) ({ page, seen } = await site.open({ reducedMotion: "reduce" }));
      await reach();
      for (const { theme, width } of looks(index)) {
        const look = `${width} pixels wide, ${theme}`;
        await page.emulateMedia({ colorScheme: theme });
        await page.setViewportSize({ width, height: 900 });
        await page.waitForFunction((wanted) => innerWidth === wanted, width);
        // charts are drawn anew in the next frame
        await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done()))));
        await page.screenshot({ path: join(PICTURES, `console-${name}-${width}-${theme}.png`), fullPage: true });
        assert.deepEqual(await violations(), [], look);
        const beyond = await page.evaluate("document.documentElement.scrollWidth - innerWidth");
        assert.ok(beyond <= 0, `${look}: it is ${beyond} pixels too wide`);
      }
      // the requests rejected on purpose, and nothing else
      assert.deepEqual(seen.errors.filter((error) => !/status of (400|401|409)/.test(error)), []);
    });
  }

  test("the picture of the README", { skip: process.env.BLESS ? false : "written with BLESS set" }, async () => {
    ({ page } = await site.open({ viewport: { width: 1200, height: 720 }, colorScheme: "light" }));
    await signIn(page, { service: site.service.serviceToken, user: site.service.userToken });
    await goTo(page, "Policies");
    await says(page, "3 findings");
    const path = join(ROOT, "docs/images/console.png");
    await page.screenshot({ path });
    assert.ok(statSync(path).size <= MAX_README_BYTES);
  });

  /** Returns the violations that axe finds, in a line each. */
  async function violations() {
    // as a tag, the page's policy would reject it
    if (!(await page.evaluate("'axe' in window"))) await page.evaluate(AXE);
    const found = await page.evaluate(() => axe.run(document, { resultTypes: ["violations"] }));
    return found.violations.flatMap(({ id, nodes }) =>
      nodes.map(({ target, failureSummary }) => `${id}: ${target} ${failureSummary}`),
    );
  }
});
