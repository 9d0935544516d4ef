// Audit and usage of the console, in a real browser against the real service.

import assert from "node:assert/strict";
import { after, afterEach, before, describe, test } from "node:test";
import { SKIPPED } from "./browser.mjs";
import { eventually, goTo, hold, refuses, says, signIn, startConsole } from "./console.mjs";
import { ask, seed } from "./console-seed.mjs";
import { startProvider } from "./provider.mjs";

describe("audit and usage of the console", { skip: SKIPPED }, () => {
  let site, provider, page, seen;

  before(async () => {
    site = await startConsole();
    provider = await startProvider();
    await seed(site.service, provider);
  });
  after(async () => {
    await site?.stop();
    await provider?.stop();
  });
  afterEach(() => site.closePages());

  const open = async (title) => {
    ({ page, seen } = await site.open());
    await page.clock.install();
    await signIn(page, { service: site.service.serviceToken });
    await goTo(page, title);
  };
  const apply = () => page.getByRole("button", { name: "Apply" }).click();
  /** A field of the filter; charts have the same words in longer labels. */
  const field = (label) => page.getByLabel(label, { exact: true });
  const rows = () => page.locator(".records tbody tr");
  const figure = (title) => page.locator("figure").filter({ has: page.getByRole("heading", { name: title }) });
  /** The rows of a chart's table. */
  const figures = async (title) => {
    await figure(title).getByText("As a table").click();
    return figure(title).locator("tbody tr").allInnerTexts();
  };

  test("the audit is filtered", async () => {
    await open("Audit");
    await field("Action").selectOption("BLOCK");
    await apply();
    await says(page, "2 records, page 1 of 1");
    assert.equal(await rows().filter({ hasText: "BLOCK" }).count(), 2);
    await page.getByRole("button", { name: "Clear" }).click();
    await field("Entity type").fill("pesel");
    await apply();
    await says(page, "3 records, page 1 of 1");
    await page.getByRole("button", { name: "Clear" }).click();
    await field("Event").selectOption("policy_create");
    await apply();
    await says(page, "3 records, page 1 of 1");

    const { records } = await site.service.gateway("GET", "audit?workspace_id=default&event=request&page_size=1");
    await page.getByRole("button", { name: "Clear" }).click();
    await field("Request id").fill(records[0].request_id);
    await apply();
    await says(page, "1 record, page 1 of 1");
    await rows().locator("summary").click();
    await rows().getByText(records[0].hash).waitFor();

    await page.getByRole("button", { name: "Clear" }).click();
    await field("From").fill("2099-01-01T00:00");
    await apply();
    await says(page, "0 records, page 1 of 1");
    assert.deepEqual(seen.errors, []);
  });

  test("the audit goes by pages", async () => {
    await open("Audit");
    await says(page, /^\d+ records, page 1 of 2/);
    assert.equal(await rows().count(), 25);
    await page.getByRole("button", { name: "Older" }).click();
    await says(page, /page 2 of 2/);
    assert.ok(await page.getByRole("button", { name: "Older" }).isDisabled());
  });

  test("a search that is not complete goes on, and back", async () => {
    await open("Audit");
    let asked;
    // the service says so after 8 MiB of records
    await page.route(/\/gateway\/audit\?/, async (route) => {
      asked = new URL(route.request().url()).searchParams.get("cursor");
      const response = await route.fetch({ url: route.request().url().replace(/&cursor=\w+/, "") });
      const list = await response.json();
      await route.fulfill({ json: asked ? list : { ...list, total: 1, complete: false, next_cursor: "further" } });
    });
    await page.getByRole("button", { name: "Clear" }).click();
    await says(page, "; older ones follow");
    await page.getByRole("button", { name: "Older" }).click();
    await says(page, "further back, page 1");
    assert.equal(asked, "further");
    await page.getByRole("button", { name: "Newer" }).click();
    await says(page, "; older ones follow");
    assert.ok(await page.getByRole("button", { name: "Newer" }).isDisabled());
  });

  test("the charts of the audit show what the records add up to", async () => {
    await open("Audit");
    await figure("Requests by action").locator("canvas").waitFor();
    const described = await figure("Requests by action").getByRole("img").getAttribute("aria-label");
    const { records } = await site.service.gateway("GET", "audit?workspace_id=default&event=request&page_size=100");
    const blocked = records.filter(({ action }) => action === "BLOCK").length;
    assert.equal(blocked, 2);
    assert.match(described, /BLOCK 2/);
    const types = await figures("Findings by type");
    assert.ok(types.includes("PESEL\t3") || types.includes("pesel\t3"), types.join());
  });

  test("usage is read again while the page is open, and not while it is paused", async () => {
    await open("Usage");
    const requests = page.locator(".tiles > div").filter({ hasText: "to language models" }).locator("dd");
    const before = Number(await requests.textContent());
    assert.ok(before >= 25, `${before} requests`);
    await figure("Findings by type").locator("canvas").waitFor();
    await ask(site.service, "Hello");
    await page.clock.fastForward(5_000);
    assert.equal(await eventually(async () => Number(await requests.textContent()), before + 1), before + 1);
    await figure("Requests since this page was opened").locator("canvas").waitFor();

    // the pause must not wait for the next frame: it may be late
    await page.evaluate(() => {
      globalThis.requestAnimationFrame = () => 0;
    });
    await page.getByRole("button", { name: "Pause" }).click();
    await page.getByText("Paused").waitFor();
    // the last one may be on its way
    await page.waitForLoadState("networkidle");
    const readings = seen.requests.length;
    await page.clock.fastForward(60_000);
    await page.waitForLoadState("networkidle");
    assert.equal(seen.requests.length, readings);
    assert.deepEqual(seen.errors, []);
  });

  test("usage is read once at a time", async () => {
    await open("Audit");
    const reading = await hold(page, "GET", /\/metrics$/);
    await goTo(page, "Usage");
    await page.clock.fastForward(5_000);
    await page.clock.fastForward(5_000);
    assert.equal(reading.sent(), 1);
    const answered = page.waitForResponse(/\/metrics$/);
    reading.release();
    await answered;
    await page.locator(".tiles").waitFor();
    await page.clock.fastForward(5_000);
    await figure("Requests since this page was opened").locator("canvas").waitFor();
    assert.equal(reading.sent(), 2);
  });

  test("usage says that the service does not answer", async () => {
    await open("Policies");
    await page.route("**/metrics", (route) => route.abort());
    await goTo(page, "Usage");
    await refuses(page, "The service does not answer; try again.");
  });
});
