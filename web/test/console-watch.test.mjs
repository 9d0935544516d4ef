// Audit and usage of the console, in a real browser against the real service.

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { after, afterEach, before, describe, test } from "node:test";
import { SKIPPED } from "../../bindings-js/test/browser.mjs";
import { eventually, goTo, hold, refuses, says, sentBefore, signIn, startConsole } from "./console.mjs";
import { ask, seed, SEEDED } from "./console-seed.mjs";
import { startProvider } from "./provider.mjs";

describe("audit and usage of the console", { skip: SKIPPED }, () => {
  let site, provider, page, seen;

  before(async () => {
    site = await startConsole();
    provider = await startProvider();
    await seed(site.service, provider);
    // counters are written a moment after the answer
    assert.equal(await eventually(counted, SEEDED), SEEDED);
  });
  after(async () => {
    await site?.stop();
    await provider?.stop();
  });
  afterEach(() => site.closePages());

  /** Requests to language models that the service has counted. */
  const counted = async () => {
    const headers = { "x-service-token": site.service.serviceToken };
    const text = await (await fetch(`${site.service.address}/metrics`, { headers })).text();
    const counts = [...text.matchAll(/^textveil_gateway_requests_total\{.*\} (\d+)$/gm)];
    return counts.reduce((sum, [, count]) => sum + Number(count), 0);
  };
  const open = async (title) => {
    ({ page, seen } = await site.open());
    await page.clock.install();
    await signIn(page, { service: site.service.serviceToken });
    await goTo(page, title);
  };
  const dryRun = async () => {
    await goTo(page, "Test");
    await page.getByRole("list", { name: "Tests" }).getByRole("link", { name: "Dry run" }).click();
  };
  const apply = () => page.getByRole("button", { name: "Apply" }).click();
  /** Shows all records again: what another filter shows next may have as many as the one before. */
  const clear = async () => {
    await page.getByRole("button", { name: "Clear" }).click();
    await says(page, /page 1 of 2/);
  };
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
    await clear();
    await field("Entity type").fill("pesel");
    await apply();
    await says(page, "3 records, page 1 of 1");
    await clear();
    await field("Event").selectOption("policy_create");
    await apply();
    await says(page, "3 records, page 1 of 1");

    const { records } = await site.service.gateway("GET", "audit?workspace_id=default&event=request&page_size=1");
    await clear();
    await field("Request id").fill(records[0].request_id);
    await apply();
    await says(page, "1 record, page 1 of 1");
    await rows().locator("summary").click();
    await rows().getByText(records[0].hash).waitFor();

    await clear();
    await field("Actor").fill("user:nobody");
    await apply();
    await says(page, "0 records, page 1 of 1");
    await clear();
    await field("From").fill("2099-01-01T00:00");
    await apply();
    await says(page, "0 records, page 1 of 1");
    assert.deepEqual(seen.errors, []);
  });

  test("each record names its actor, and its event in words and by its code", async () => {
    await open("Audit");
    await field("Event").selectOption({ label: "Policy added (policy_create)" });
    await apply();
    await says(page, "3 records, page 1 of 1");
    const { records } = await site.service.gateway("GET", "audit?workspace_id=default&event=policy_create");
    const heads = await page.locator(".records thead th").allTextContents();
    const column = (name) => page.locator(`.records tbody td:nth-child(${heads.indexOf(name) + 1})`).allInnerTexts();
    assert.deepEqual(await column("Actor"), records.map(({ actor }) => actor));
    for (const event of await column("Event")) assert.match(event, /^Policy added\s+policy_create$/);
    await field("Actor").fill(records[0].actor);
    await apply();
    await says(page, "3 records, page 1 of 1");
  });

  test("the records fit every width", async () => {
    await open("Audit");
    await says(page, /page 1 of 2/);
    await rows().first().locator("summary").click();
    for (const width of [320, 360, 640, 800, 896, 1024, 1279, 1280, 1407, 1408, 1600]) {
      await page.setViewportSize({ width, height: 800 });
      const { scrollWidth, clientWidth } = await page.locator(".scroll", { has: page.locator(".records") }).evaluate(({ scrollWidth, clientWidth }) => ({ scrollWidth, clientWidth }));
      assert.ok(scrollWidth <= clientWidth, `${scrollWidth} px in ${clientWidth} at ${width}`);
      assert.equal(await page.getByRole("table", { name: "Table of the records" }).getByRole("row").first().getByRole("columnheader").count(), 6, `at ${width}`);
    }
    assert.deepEqual(seen.errors, []);
  });

  test("a type has one spelling on every page", async () => {
    await open("Audit");
    const types = async () => (await page.locator("main").innerText()).match(/credit.card/gi);
    for (const [title, reach] of [
      ["Audit", async () => says(page, /page 1 of 2/)],
      ["Routing", async () => page.getByText("Risk levels").waitFor()],
      ["Policies", async () => page.locator(".conditions", { hasText: /card/i }).waitFor()],
      ["Usage", async () => figure("Types found in the workspace").getByText("As a table").click()],
    ]) {
      await goTo(page, title);
      await reach();
      assert.deepEqual([...new Set(await types())], ["credit_card"], title);
    }
    await dryRun();
    await page.getByLabel("Text of message 2").fill("Write to jan.novak@example.cz.");
    await page.getByRole("button", { name: "Show the request" }).click();
    assert.equal(await page.getByRole("list", { name: "Findings" }).locator("code").textContent(), "email");
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
    assert.ok(types.includes("pesel\t3"), types.join());
  });

  test("usage is read again while the page is open, and not while it is paused", async () => {
    await open("Usage");
    const requests = page.locator(".tiles > div").filter({ hasText: "to language models" }).locator("dd");
    assert.ok((await figures("Findings in the gateway by action")).some((row) => row.startsWith("MASK → placeholder\t")));
    const before = Number(await requests.textContent());
    assert.equal(before, await counted());
    await figure("Findings by type").locator("canvas").waitFor();
    await ask(site.service, "Hello");
    await page.clock.fastForward(5_000);
    assert.equal(await eventually(async () => Number(await requests.textContent()), before + 1), before + 1);
    await figure("Live requests").locator("canvas").waitFor();

    // the pause must not wait for the next frame: it may be late
    await page.evaluate(() => {
      globalThis.requestAnimationFrame = () => 0;
    });
    await page.getByRole("button", { name: "Pause" }).click();
    await page.getByText("Paused").waitFor();
    // the last one may be on its way
    await seen.idle();
    const readings = seen.requests.length;
    await page.clock.fastForward(60_000);
    await seen.idle();
    assert.equal(seen.requests.length, readings);
    assert.deepEqual(seen.errors, []);
  });

  test("usage is read once at a time", async () => {
    await open("Audit");
    const reading = await hold(page, "GET", /\/metrics$/);
    await goTo(page, "Usage");
    assert.equal(await eventually(async () => reading.sent(), 1), 1);
    await page.clock.fastForward(5_000);
    await page.clock.fastForward(5_000);
    await sentBefore(page);
    assert.equal(reading.sent(), 1);
    const answered = page.waitForResponse(/\/metrics$/);
    reading.release();
    await answered;
    await page.locator(".tiles", { hasText: "to language models" }).waitFor();
    await page.clock.fastForward(5_000);
    await figure("Live requests").locator("canvas").waitFor();
    // on a slow machine the interval has passed once more
    assert.ok(reading.sent() >= 2);
  });

  test("usage says that the service does not answer", async () => {
    await open("Policies");
    await page.route("**/metrics", (route) => route.abort());
    await goTo(page, "Usage");
    await refuses(page, "The service does not answer; try again.");
  });

  test("usage has the requests of the workspace, by period", async () => {
    await open("Usage");
    const usage = page.getByRole("region", { name: "Workspace default" });
    const tile = (name) => usage.locator(".tiles > div").filter({ hasText: name }).locator("dd");
    const { total } = await site.service.gateway("GET", "audit?workspace_id=default&event=request&page_size=1");
    assert.equal(Number(await tile("Requests").textContent()), total);
    assert.equal(await tile("Blocked").textContent(), "2");
    await figure("Requests by model").locator("canvas").waitFor();
    assert.deepEqual(await figures("Requests by model"), [`parrot\t${total}`]);
    const asked = page.waitForRequest(/\/gateway\/audit\?/);
    await usage.getByRole("radio", { name: "24 hours" }).check();
    const from = Date.parse(new URL((await asked).url()).searchParams.get("from"));
    const days = (Date.now() - from) / 86_400_000;
    assert.ok(days > 0.99 && days < 1.01, `${days} days`);
    // another workspace had no requests
    await page.getByLabel("Workspace", { exact: true }).fill("elsewhere");
    await page.getByRole("button", { name: "Open", exact: true }).click();
    await page.getByRole("region", { name: "Workspace elsewhere" }).locator("dd", { hasText: /^0$/ }).first().waitFor();
  });

  test("a chart shows the ten largest, and the rest on demand", async () => {
    await open("Policies");
    const types = Array.from({ length: 25 }, (_, n) => `textveil_entities_total{type="type_${n}"} ${100 - n}\n`);
    await page.route("**/metrics", (route) => route.fulfill({ contentType: "text/plain", body: types.join("") }));
    await goTo(page, "Usage");
    const chart = figure("Findings by type");
    const shown = async () => (await chart.getByRole("img").getAttribute("aria-label")).split(", ").length;
    await chart.getByRole("button", { name: "Show all 25" }).waitFor();
    assert.equal(await shown(), 10);
    await chart.getByRole("button", { name: "Show all 25" }).click();
    await chart.getByRole("button", { name: "Show the first 10" }).waitFor();
    assert.equal(await shown(), 25);
    assert.equal((await figures("Findings by type")).length, 25);
  });

  test("the links of the records are checked, with a head that was saved, and faults are named", async () => {
    await open("Verification");
    const check = () => page.getByRole("button", { name: "Check the records" }).click();
    await check();
    await says(page, /^\d+ records in \d+ chains?: every link is right\.$/);
    const [download] = await Promise.all([
      page.waitForEvent("download"),
      page.getByRole("button", { name: "Download the head" }).click(),
    ]);
    const head = JSON.parse(await readFile(await download.path(), "utf8"));
    assert.match(head.signature, /^[0-9a-f]{64}$/);
    const choose = (content) =>
      page.getByLabel("Saved head").setInputFiles({ name: "head.json", mimeType: "application/json", buffer: Buffer.from(content) });
    await choose("{}");
    await page.getByText("head.json is not a signed head.").waitFor();
    assert.ok(await page.getByRole("button", { name: "Check the records" }).isDisabled());
    await choose(JSON.stringify(head));
    await check();
    await says(page, "every link is right.");

    // changes that a writer of the store could make
    const [chain, { sequence }] = Object.entries(head.head.chains).find(([, { sequence }]) => sequence > 2);
    const own = (record) => record.chain === Number(chain);
    for (const [change, fault] of [
      [(records) => records.filter((record) => !(own(record) && record.sequence === 2)), `Chain ${chain} lacks the records between 1 and 3.`],
      [(records) => records.filter((record) => !(own(record) && record.sequence === sequence)), `Chain ${chain} ends before record ${sequence}, which the head names.`],
      [(records) => records.filter((record) => !own(record)), `Chain ${chain} is missing; the head has it up to record ${sequence}.`],
      [(records) => records.map((record) => (own(record) && record.sequence === 1 ? { ...record, hash: "0".repeat(64) } : record)), `Record 2 of chain ${chain} does not name the record before it.`],
      [(records) => records.map((record) => (own(record) && record.sequence === sequence ? { ...record, hash: "0".repeat(64) } : record)), `Record ${sequence} of chain ${chain} differs from the one in the head.`],
    ]) {
      await page.route(/\/gateway\/audit\?/, async (route) => {
        const response = await route.fetch();
        const list = await response.json();
        await route.fulfill({ json: { ...list, records: change(list.records) } });
      });
      await check();
      await page.getByRole("list", { name: "Faults" }).getByText(fault, { exact: true }).waitFor();
      await page.unroute(/\/gateway\/audit\?/);
    }
  });

  test("a dry run shows the request, and sends none", async () => {
    await open("Test");
    await dryRun();
    const sent = provider.asked();
    await page.getByLabel("Text of message 2").fill("Write to jan.novak@example.cz.");
    await page.getByRole("button", { name: "Show the request" }).click();
    await says(page, /MASK → placeholder 1 finding, to model parrot by route primary/);
    const shown = await page.getByLabel("Protected message 2").textContent();
    assert.match(shown, /^Write to \[\[EMAIL_\w+\]\]\.$/);
    await page.getByLabel("Text of message 2").fill("Charge 4111 1111 1111 1111.");
    await page.getByRole("button", { name: "Show the request" }).click();
    await refuses(page, /polic|block/i);
    assert.equal(await page.getByLabel("Protected message 2").count(), 0);
    await page.getByRole("button", { name: "Remove message 1" }).click();
    await page.getByLabel("Text of message 1").fill("Hello");
    await page.getByRole("button", { name: "Add a message" }).click();
    await page.getByLabel("Role").last().selectOption("assistant");
    await page.getByLabel("Text of message 2").fill("PESEL 44051401359");
    await page.getByLabel("Route or model").fill("macaw");
    await page.getByRole("button", { name: "Show the request" }).click();
    await says(page, /REDACT 1 finding, to model macaw/);
    assert.equal(await page.getByLabel("Protected message 2").textContent(), "PESEL [REDACTED]");
    assert.equal(provider.asked(), sent);
  });
});
