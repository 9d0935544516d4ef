// The policies of the console, in a real browser against the real service.

import assert from "node:assert/strict";
import { after, afterEach, before, describe, test } from "node:test";
import { SKIPPED } from "../../bindings-js/test/browser.mjs";
import { answers, eventually, goTo, hold, refuses, says, signIn, startConsole } from "./console.mjs";

const CARD = "4111 1111 1111 1111";
const THREE = [
  { name: "First", action: "MASK", priority: 30, conditions: [{ entity_types: ["email"] }] },
  { name: "Second", action: "REDACT", priority: 20, conditions: [{ categories: ["identity"] }] },
  { name: "Third", action: "BLOCK", priority: 10, conditions: [{ entity_types: ["credit_card"], confidence_min: 0.5 }] },
];

describe("the policies of the console", { skip: SKIPPED }, () => {
  let site, page, seen, workspace;
  let count = 0;

  before(async () => (site = await startConsole()));
  after(() => site?.stop());
  afterEach(() => site.closePages());

  const open = async (policies = [], options = {}) => {
    workspace = `policies-${++count}`;
    for (const policy of policies) await site.service.gateway("POST", `policies?workspace_id=${workspace}`, policy);
    ({ page, seen } = await site.open(options));
    await signIn(page, { service: site.service.serviceToken, workspace });
    await goTo(page, "Policies");
    await page.getByText("Otherwise the default action").waitFor();
    // the list is read beside the default action, and may come after it
    if (policies.length > 0) await page.locator(".reorder h3").first().waitFor();
  };
  const stored = async () => (await site.service.gateway("GET", `policies?workspace_id=${workspace}`)).policies;
  const storedOrder = async () =>
    (await stored()).sort((one, other) => other.priority - one.priority).map(({ name }) => name);
  const shownOrder = () => page.locator(".reorder h3").allTextContents();
  const save = () => page.getByRole("button", { name: "Save" }).click();
  const add = (key) => page.getByLabel("Add to this condition").selectOption({ label: key });

  test("a policy that blocks does so in the live test", async () => {
    await open();
    await page.getByLabel("Text to try").fill(`Charge ${CARD} today`);
    await says(page, "MASK → placeholder 1 finding");
    // as the model would see it
    const shown = await page.getByLabel("Protected text").textContent();
    assert.match(shown, /^Charge \[\[CREDIT_CARD_[0-9a-z]+\]\] today$/);

    await page.getByRole("button", { name: "Add a policy" }).click();
    await page.getByLabel("Name", { exact: true }).fill("Cards stay here");
    await page.getByLabel("Action", { exact: true }).selectOption("BLOCK");
    await page.getByRole("button", { name: "Add a condition" }).click();
    // nothing is wrong before a type is typed
    await says(page, "Fill in Entity types to test this draft.");
    assert.equal(await page.locator(".wrong, [aria-invalid=true]").count(), 0);
    await page.getByRole("textbox", { name: "Entity types", exact: true }).pressSequentially("credit_card, iban");
    // the draft is tried before it is saved
    await says(page, "BLOCK 1 finding");
    await page.getByLabel("as stored").check();
    await says(page, "MASK → placeholder 1 finding");

    await save();
    await says(page, "Cards stay here is saved.");
    await says(page, "BLOCK 1 finding");
    await page.getByText("Nothing: the request is blocked.").waitFor();
    const finding = page.getByRole("list", { name: "Findings" }).getByRole("listitem");
    assert.match(await finding.textContent(), /4111 1111 1111 1111.*BLOCK.*credit_card.*Cards stay here/i);
    const [policy] = await stored();
    assert.deepEqual([policy.action, policy.conditions[0].entity_types], ["BLOCK", ["credit_card", "iban"]]);
    assert.deepEqual(seen.errors, []);
  });

  test("every key of a condition can be set, and is stored as it was set", async () => {
    await open();
    await page.getByRole("button", { name: "Add a policy" }).click();
    await page.getByLabel("Name", { exact: true }).fill("All keys");
    await page.getByLabel("Description").fill("Of everything one.");
    await page.getByRole("button", { name: "Add a condition" }).click();
    await page.getByRole("textbox", { name: "Entity types", exact: true }).fill("email");
    for (const [key, value] of [
      ["Excluded entity types", "url"],
      ["Countries", "DE, PL"],
      ["Minimum confidence", "0.8"],
      ["Minimum findings of the type", "2"],
      ["Roles", "user, tool"],
      ["Providers", "openai"],
      ["Models", "gpt-*"],
    ]) {
      await add(key);
      // the field gets the focus, so a person types on
      await page.locator(".key").filter({ hasText: key }).locator("input:focus").waitFor();
      await page.keyboard.type(value);
    }
    await add("Categories");
    const categories = page.getByRole("group", { name: "Categories" });
    await page.getByText("Categories").first().click();
    assert.equal(await categories.getByRole("checkbox", { name: "identity", exact: true }).isChecked(), false);
    await categories.getByRole("checkbox", { name: "contact" }).check();
    await add("Minimum risk level");
    await page.getByRole("combobox", { name: "Minimum risk level" }).selectOption("LOW");
    await add("Validated");
    await page.getByRole("combobox", { name: "Validated" }).selectOption("no");
    await add("Direction");
    await page.getByRole("combobox", { name: "Direction" }).selectOption("output");
    await page.getByRole("button", { name: "Add an alternative" }).click();
    await page.getByRole("textbox", { name: "Entity types", exact: true }).last().fill("pesel");
    await save();
    await says(page, "All keys is saved.");

    const [{ conditions, description }] = await stored();
    assert.equal(description, "Of everything one.");
    assert.deepEqual(conditions, [
      {
        confidence_min: 0.8,
        entity_types: ["email"],
        exclude_entity_types: ["url"],
        countries: ["DE", "PL"],
        categories: ["contact"],
        risk_level_min: "LOW",
        validated: false,
        direction: "output",
        roles: ["user", "tool"],
        providers: ["openai"],
        models: ["gpt-*"],
        min_count: 2,
      },
      { entity_types: ["pesel"] },
    ]);
  });

  test("the action MASK is not taken for the mode mask", async () => {
    await open([THREE[0]]);
    await page.locator(".policy .tone", { hasText: /^MASK → placeholder$/ }).waitFor();
    await page.getByRole("button", { name: "Add a policy" }).click();
    const actions = await page.getByLabel("Action", { exact: true }).locator("option").allTextContents();
    assert.match(actions.find((one) => one.startsWith("MASK")), /^MASK → placeholder: sends \[\[EMAIL_/);
  });

  test("an empty list is refused at its field", async () => {
    await open();
    await page.getByRole("button", { name: "Add a policy" }).click();
    await page.getByLabel("Name", { exact: true }).fill("Nothing");
    await page.getByRole("button", { name: "Add a condition" }).click();
    await save();
    await refuses(page, "conditions[0].entity_types must");
    const field = page.getByRole("textbox", { name: "Entity types", exact: true });
    assert.equal(await field.getAttribute("aria-invalid"), "true");
    assert.ok(await field.evaluate((element) => element === document.activeElement));
    assert.deepEqual(await stored(), []);
  });

  test("a policy is changed and deleted, and a default one is separate", async () => {
    await open(THREE);
    await page.getByRole("button", { name: "Edit Second" }).click();
    await page.getByLabel("Name", { exact: true }).fill("The rest");
    await page.getByLabel(/^Default policy/).check();
    await page.getByRole("button", { name: "Remove the condition" }).click();
    await save();
    await says(page, "The rest is saved.");
    await page.getByRole("region", { name: "Default policies" }).getByRole("heading", { name: "The rest" }).waitFor();
    const rest = (await stored()).find(({ name }) => name === "The rest");
    assert.deepEqual([rest.is_default, rest.conditions, rest.priority], [true, [], 20]);

    await page.getByRole("button", { name: "Delete First" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
    await says(page, "First is deleted.");
    assert.deepEqual(await storedOrder(), ["The rest", "Third"]);
  });

  test("a request that was copied is said to be no longer than it is the same", async () => {
    await open();
    await page.getByRole("button", { name: "Add a policy" }).click();
    const request = page.locator(".panel", { has: page.getByRole("button", { name: "Save" }) }).locator(".curl");
    await request.locator("summary").click();
    await request.getByRole("button", { name: "Copy" }).click();
    await request.getByText("Copied").waitFor();
    await page.getByLabel("Name", { exact: true }).fill("Other");
    await request.getByText("Copied").waitFor({ state: "detached" });
    assert.match(await request.locator("pre").textContent(), /"name": "Other"/);
  });

  test("leaving a changed policy asks first", async () => {
    await open(THREE);
    await page.getByRole("button", { name: "Edit First" }).click();
    await page.getByLabel("Name", { exact: true }).fill("Other");
    const toAudit = () => page.getByRole("link", { name: "Audit" }).click();
    await answers(page, "dismiss", toAudit);
    assert.equal(await page.getByLabel("Name", { exact: true }).inputValue(), "Other");
    await answers(page, "accept", toAudit);
    await page.getByRole("heading", { level: 1, name: "Audit" }).waitFor();
  });

  test("a policy is saved once, and a user who left meanwhile is not called back", async () => {
    await open();
    const saving = await hold(page, "POST", /\/policies$/);
    await page.getByRole("button", { name: "Add a policy" }).click();
    await page.getByLabel("Name", { exact: true }).fill("Once");
    const button = page.getByRole("button", { name: "Save" });
    await button.dblclick();
    await button.and(page.locator("[aria-disabled]")).waitFor();
    await answers(page, "accept", () => goTo(page, "Routing"));
    saving.release();
    await says(page, "Once is saved.");
    await page.getByRole("heading", { level: 1, name: "Routing" }).waitFor();
    assert.equal(saving.sent(), 1);
    assert.deepEqual((await stored()).map(({ name }) => name), ["Once"]);
  });

  test("the order is changed by keyboard, and stays after signing in again", async () => {
    await open(THREE);
    assert.deepEqual(await shownOrder(), ["First", "Second", "Third"]);
    // as in browsers that cannot move an element without taking the focus from it
    await page.evaluate(() => delete Element.prototype.moveBefore);
    // the button that was pressed keeps the focus, so it can be pressed again
    const press = async (name, place) => {
      await page.locator(`button:focus[aria-label="${name}"]`).waitFor();
      await page.keyboard.press("Enter");
      await says(page, `${name.split(" ")[1]} is now ${place} of 3.`);
    };
    await page.getByRole("button", { name: "Move First down" }).focus();
    await press("Move First down", 2);
    await press("Move First down", 3);
    await page.getByRole("button", { name: "Move Third up" }).focus();
    await press("Move Third up", 1);
    await page.locator('button:focus[aria-label="Move Third up"]').press("Enter");
    const wanted = ["Third", "Second", "First"];
    assert.deepEqual(await eventually(storedOrder, wanted), wanted);
    await reopened(wanted);
  });

  test("the order is changed by dragging with the mouse", async () => {
    await open(THREE);
    await drag("First", "Third");
    await says(page, "First is now 3 of 3.");
    const wanted = ["Second", "Third", "First"];
    assert.deepEqual(await eventually(storedOrder, wanted), wanted);
    await reopened(wanted);
  });

  test("the order is changed by dragging with a finger", async () => {
    await open(THREE, { hasTouch: true, viewport: { width: 360, height: 1000 } });
    const [from, to] = await centres("Third", "First");
    const finger = await page.context().newCDPSession(page);
    const touch = (type, touchPoints) => finger.send("Input.dispatchTouchEvent", { type, touchPoints });
    await touch("touchStart", [from]);
    for (let step = 1; step <= 10; step++) {
      await touch("touchMove", [{ x: from.x, y: from.y + ((to.y - 20 - from.y) * step) / 10 }]);
    }
    await touch("touchEnd", []);
    const wanted = ["Third", "First", "Second"];
    assert.deepEqual(await eventually(storedOrder, wanted), wanted);
  });

  test("moves go to the workspace in which they were made", async () => {
    await open(THREE);
    const moving = await hold(page, "PATCH", /\/policies\/[^/]+$/);
    await page.getByRole("button", { name: "Move First down" }).click();
    await says(page, "First is now 2 of 3.");
    await page.getByRole("button", { name: "Move First down" }).click();
    await says(page, "First is now 3 of 3.");
    const isSecond = (request) => request.method() === "PATCH" && /"priority":0\b/.test(request.postData());
    const asked = page.waitForRequest(isSecond);
    await page.getByLabel("Workspace").fill("elsewhere");
    await page.getByRole("button", { name: "Open", exact: true }).click();
    await page.getByText("of workspace elsewhere").waitFor();
    moving.release();
    assert.equal(new URL((await asked).url()).searchParams.get("workspace_id"), workspace);
    const wanted = ["Second", "Third", "First"];
    assert.deepEqual(await eventually(storedOrder, wanted), wanted);
  });

  test("where there is no room between two priorities, all are written at once", async () => {
    await open(THREE.map((policy) => ({ ...policy, priority: 5 })));
    // equal priorities: the stricter action decides
    assert.deepEqual(await shownOrder(), ["Third", "Second", "First"]);
    const sent = [];
    page.on("request", (request) => request.method() !== "GET" && sent.push(new URL(request.url()).pathname));
    await page.getByRole("button", { name: "Move First up" }).click();
    const wanted = ["Third", "First", "Second"];
    assert.deepEqual(await eventually(storedOrder, wanted), wanted);
    assert.deepEqual(
      (await stored()).map(({ priority }) => priority).sort((one, other) => one - other),
      [10, 20, 30],
    );
    assert.deepEqual(sent.filter((path) => !path.endsWith("/test")), ["/api/v1/gateway/config/import"]);
  });

  /** Forgets everything by a reload, signs in again, and looks. */
  async function reopened(wanted) {
    await page.reload();
    await page.getByLabel("Service token").waitFor();
    await signIn(page, { service: site.service.serviceToken, workspace });
    await page.getByRole("heading", { name: "First" }).waitFor();
    assert.deepEqual(await shownOrder(), wanted);
  }

  async function drag(name, onto) {
    const [from, to] = await centres(name, onto);
    await page.mouse.move(from.x, from.y);
    await page.mouse.down();
    await page.mouse.move(to.x, to.y + 20, { steps: 10 });
    await page.mouse.up();
  }

  async function centres(...names) {
    const boxes = [];
    for (const name of names) {
      const row = page.locator(".reorder > li").filter({ has: page.getByRole("heading", { name }) });
      const { x, y, width, height } = await row.locator(".handle").boundingBox();
      boxes.push({ x: x + width / 2, y: y + height / 2 });
    }
    return boxes;
  }
});
