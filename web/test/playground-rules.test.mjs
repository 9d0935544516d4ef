// The reader's own rules, and the way back from tokens.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { SKIPPED } from "../../bindings-js/test/browser.mjs";
import { project } from "../../bindings-js/test/project.mjs";
import { playground, TEXT } from "./playground.mjs";

const { createProtector } = await project().import();

describe("the rules of the playground", { skip: SKIPPED }, () => {
  const it = playground();
  const label = (name) => it.page.getByLabel(name, { exact: true });

  test("a pattern of one's own is found, named and explained by its words", async () => {
    await it.paste("Our customer no. KX-4711 called.");
    assert.deepEqual(await it.marked(), []);
    await it.button("Add a pattern").click();
    assert.equal(await label("Name").inputValue(), "custom_1");
    assert.ok(await label("Regular expression").evaluate((field) => field === document.activeElement));
    await label("Name").fill("customer_number");
    await label("Regular expression").fill("KX-\\d{4}");
    await label("Context words (optional)").fill("customer, client");
    assert.deepEqual(await it.marked(), ["KX-4711"]);
    const item = it.finding("KX-4711");
    assert.equal(await item.locator(".type").textContent(), "customer number");
    assert.ok((await it.reasons(item)).includes("customer"));
    await it.button("Remove").click();
    assert.deepEqual(await it.marked(), []);
  });

  test("a pattern that the engine refuses says so at its field, and stops nothing else", async () => {
    await it.paste(TEXT);
    await it.button("Add a pattern").click();
    await label("Name").fill("mine");
    await label("Regular expression").fill("(");
    const refusal = it.page.getByRole("alert");
    assert.match(await refusal.textContent(), /^is not a regular expression/);
    const field = label("Regular expression");
    assert.equal(await field.getAttribute("aria-invalid"), "true");
    assert.equal(await field.getAttribute("aria-describedby"), await refusal.getAttribute("id"));
    assert.equal((await it.marked()).length, 2);
    await field.fill("x*");
    assert.match(await refusal.textContent(), /^matches the empty text/);
    await field.fill("onerror");
    assert.equal(await refusal.count(), 0);
    assert.deepEqual((await it.marked()).at(-1), "onerror");
    await label("Name").fill("Not A Name");
    assert.match(await refusal.textContent(), /lower-case letters/);
    assert.equal(await label("Name").getAttribute("aria-invalid"), "true");
    assert.equal((await it.marked()).length, 2);
  });

  test("what is allowed is not reported: a value, a domain, a pattern", async () => {
    await it.paste("eva@example.cz, jan@example.org, PESEL 44051401359");
    await it.button("Add an exception").click();
    await label("Allowed text").fill("EVA@example.cz");
    assert.deepEqual(await it.marked(), ["jan@example.org", "44051401359"]);
    await it.page.locator(".rule select").selectOption("domain");
    await label("Allowed text").fill("example.org");
    assert.deepEqual(await it.marked(), ["eva@example.cz", "44051401359"]);
    await it.page.locator(".rule select").selectOption("regex");
    await label("Allowed text").fill("4405\\d+");
    assert.deepEqual(await it.marked(), ["eva@example.cz", "jan@example.org"]);
    await label("Allowed text").fill("[");
    assert.match(await it.page.getByRole("alert").textContent(), /^is not a regular expression/);
    assert.equal((await it.marked()).length, 3);
  });

  test("tokens are restored", async () => {
    await it.paste(TEXT);
    await it.mode("Tokenize");
    const tokens = await it.result("tokenize");
    assert.doesNotMatch(tokens, /44051401359/);
    await it.button("Restore tokens…").click();
    await it.page.getByRole("dialog", { name: "Restore the originals" }).waitFor();
    await label("Text with tokens").fill(`${tokens} tok_pl_pesel_aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa`);
    await it.settled();
    assert.ok((await it.page.textContent("#restored")).startsWith(TEXT));
    assert.match(await it.page.textContent("#restored-count"), /^2 tokens restored · 1 of another key$/);
    await it.page.keyboard.press("Escape");
    await it.page.getByRole("dialog").waitFor({ state: "hidden" });
    await it.button("Restore tokens…").click();
    await it.button("Close").click();
    await it.page.getByRole("dialog").waitFor({ state: "hidden" });
  });

  test("a saved key restores its tokens later, in the page and in a program", async () => {
    await it.paste(TEXT);
    await it.mode("Tokenize");
    const tokens = await it.result("tokenize");
    const { name, text: key } = await it.saved(() => it.button("Save the key").click());
    assert.equal(name, "textveil.key");
    const [, version, hex] = /^(\d+):([0-9a-f]{64})\n$/.exec(key);
    // as the programs read it
    assert.equal(createProtector({ key: hex, keyVersion: Number(version) }).restore(tokens).text, TEXT);

    await it.page.reload();
    await it.ready();
    await it.mode("Tokenize");
    assert.notEqual(await it.result("tokenize"), tokens);
    await it.button("Restore tokens…").click();
    await label("Text with tokens").fill(tokens);
    const choose = (content) => it.page.setInputFiles("#key-file", { name, mimeType: "text/plain", buffer: Buffer.from(content) });
    for (const content of ["", "no key", "1:00ff", "300:" + "00".repeat(32), "x".repeat(20_000)]) {
      await choose(content);
      await it.page.getByRole("dialog").getByText("The file has no key of Textveil.").waitFor();
      assert.equal(await it.page.textContent("#restored"), tokens);
    }
    await choose(`# made by a page\n\n${key}`);
    await it.page.getByRole("dialog").getByText("The key was read.").waitFor();
    assert.equal(await it.page.textContent("#restored"), TEXT);
    await it.page.keyboard.press("Escape");
    // the page goes on with this key
    await it.paste("");
    await it.paste(TEXT);
    assert.equal(await it.result("tokenize"), tokens);
    assert.deepEqual(it.seen.errors, []);
  });

  test("tokens of another page's key stay as they are", async () => {
    await it.paste(TEXT);
    await it.mode("Tokenize");
    const tokens = await it.result("tokenize");
    await it.page.reload();
    await it.ready();
    await it.button("Restore tokens…").click();
    await label("Text with tokens").fill(tokens);
    assert.equal(await it.page.textContent("#restored"), tokens);
    assert.match(await it.page.textContent("#restored-count"), /^0 tokens restored · 2 of another key$/);
  });
});
