// The playground while what finds names is on its way, and where it does not arrive.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { SKIPPED } from "../../bindings-js/test/browser.mjs";
import { playground } from "./playground.mjs";

const TEXT = "PESEL 44051401359 is that of Emily Carter.";
const NAMES = /names_bg[^/]*\.wasm$/;

describe("the playground and names", { skip: SKIPPED }, () => {
  // requests of a service worker do not pass the test
  const it = playground({ serviceWorkers: "block" });

  /** Opens the page anew; what it asks for when it asks for names goes to `answer`. */
  async function reopen(answer) {
    await it.page.route(NAMES, answer);
    await it.page.reload();
    await it.page.waitForSelector("#marks mark");
    await it.paste(TEXT);
  }

  async function protectedFile(name) {
    const csv = { name, mimeType: "text/csv", buffer: Buffer.from("name,pesel\nEmily Carter,44051401359\n") };
    await it.page.setInputFiles("#file", [csv, { ...csv, name: `other-${name}` }]);
    const job = it.page.locator("#files > li[data-state=done]", { has: it.page.getByText(name, { exact: true }) });
    return (await it.saved(() => job.getByRole("button", { name: "Download" }).click())).text;
  }

  test("says that they are being loaded, and finds everything else meanwhile", async () => {
    let goOn;
    const held = new Promise((done) => (goOn = done));
    await reopen(async (route) => {
      await held;
      await route.continue();
    });
    assert.deepEqual(await it.marked(), ["44051401359"]);
    assert.equal(await it.page.textContent("#summary"), "1 finding · loading names and addresses…");
    goOn();
    await it.ready();
    assert.deepEqual(await it.marked(), ["44051401359", "Emily Carter"]);
    assert.equal(await it.page.textContent("#summary"), "2 findings");
  });

  test("says that they could not be loaded, works without them, and tries again", async () => {
    await reopen((route) => route.abort());
    const note = it.page.getByRole("alert");
    await note.waitFor();
    assert.match(await note.textContent(), /could not be loaded. Everything else is found/);
    assert.deepEqual(await it.marked(), ["44051401359"]);
    assert.equal(await protectedFile("before.csv"), "name,pesel\nEmily Carter,[REDACTED]\n");
    await it.page.unroute(NAMES);
    await it.button("Try again").click();
    await note.waitFor({ state: "detached" });
    // the button goes with the note, and leaves the focus to the findings
    assert.ok(await it.page.locator("#found-title").evaluate((own) => own === document.activeElement));
    await it.ready();
    assert.deepEqual(await it.marked(), ["44051401359", "Emily Carter"]);
    assert.equal(await protectedFile("after.csv"), "name,pesel\n[REDACTED],[REDACTED]\n");
  });
});
