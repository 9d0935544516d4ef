// The review in the playground: by keys, by type, with a deny list, for screen readers, and as files.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { SKIPPED } from "../../bindings-js/test/browser.mjs";
import { playground, TEXT } from "./playground.mjs";

const CARD = "4111 1111 1111 1111";

describe("the review in the playground", { skip: SKIPPED }, () => {
  const it = playground();
  const reviewed = () => it.page.locator("#findings > li[aria-current] .value");
  const position = (text) => it.page.locator("#reviewed", { hasText: text }).waitFor();

  test("goes from finding to finding and decides by keys", async () => {
    await it.paste(`${TEXT} call +420 601 123 456`);
    await it.page.locator("#text").focus();
    await it.page.keyboard.press("Control+Home");
    await it.page.keyboard.press("F8");
    await position("1 of 3");
    assert.equal(await reviewed().textContent(), "44051401359");
    assert.equal(await it.page.locator("#marks mark[data-current]").textContent(), "44051401359");
    assert.ok(await it.page.locator("#findings > li[aria-current] summary").evaluate((own) => own === document.activeElement));
    await it.page.keyboard.press("r");
    await position("Rejected: 44051401359 · 2 of 3");
    assert.match(await it.result(), /PESEL 44051401359, mail \[REDACTED\]/);
    await it.page.keyboard.press("p");
    await position("1 of 3");
    await it.page.keyboard.press("a");
    await position("Accepted: 44051401359 · 2 of 3");
    assert.match(await it.result(), /PESEL \[REDACTED\], mail \[REDACTED\]/);
    await it.page.keyboard.press("n");
    await position("3 of 3");
    await it.page.keyboard.press("n");
    await position("1 of 3");
    await it.page.keyboard.press("Shift+F8");
    await position("3 of 3");
  });

  test("has a button for each key, and leaves letters to fields", async () => {
    await it.paste(TEXT);
    assert.ok(await it.button("Accept").isDisabled());
    await it.button("Next").click();
    await position("1 of 2");
    await it.button("Reject").click();
    await position("Rejected: 44051401359 · 2 of 2");
    await it.button("Previous").click();
    await position("1 of 2");
    await it.button("Accept").click();
    await position("Accepted: 44051401359");
    await it.page.locator("#text").focus();
    await it.page.keyboard.press("Control+End");
    await it.page.keyboard.type(" narrp");
    assert.ok((await it.page.inputValue("#text")).endsWith(" narrp"));
    assert.doesNotMatch(await it.result(), /44051401359/);
  });

  test("begins at the cursor, and reaches findings that are not listed yet", async () => {
    await it.paste(Array.from({ length: 150 }, (_, n) => `a${n}@example.cz`).join("\n"));
    await it.page.locator("#text").focus();
    await it.page.keyboard.press("Control+End");
    await it.page.keyboard.press("Shift+F8");
    await position("149 of 150");
    assert.equal(await reviewed().textContent(), "a148@example.cz");
  });

  test("replaces each type in its own way, in the text and in files", async () => {
    await it.paste(`${TEXT} card ${CARD}`);
    await it.byType("credit_card").locator("select").selectOption("mask");
    await it.page.getByLabel("Visible characters at the end").fill("4");
    await it.byType("email").locator("select").selectOption("replace");
    await it.page.getByLabel("Replacement text").fill("<mail>");
    const wanted = `🙂 PESEL [REDACTED], mail <mail>\n<img src=x onerror=alert(1)> card ***************1111`;
    assert.equal(await it.result(), wanted);
    await it.byType("pesel").locator("select").selectOption("off");
    assert.equal(await it.page.locator(".chip[data-type=pesel]").getAttribute("aria-pressed"), "false");
    assert.match(await it.result(), /PESEL 44051401359, mail <mail>/);
    const buffer = Buffer.from(`${TEXT} card ${CARD}`);
    const files = ["a.log", "b.log"].map((name) => ({ name, mimeType: "text/plain", buffer }));
    await it.page.setInputFiles("#file", files);
    const job = it.page.locator("#files > li[data-state=done]", { has: it.page.getByText("a.log", { exact: true }) });
    const { text } = await it.saved(() => job.getByRole("button", { name: "Download" }).click());
    assert.equal(text, wanted.replace("[REDACTED]", "44051401359"));
    await it.byType("pesel").locator("select").selectOption("all");
    await it.byType("email").locator("select").selectOption("all");
    assert.match(await it.result(), /PESEL \[REDACTED\], mail \[REDACTED\]/);
  });

  test("reports what the deny list says, and says what is wrong with an entry", async () => {
    await it.paste("Falcon is late, says nobody.");
    assert.deepEqual(await it.marked(), []);
    await it.button("Add a text").click();
    const text = it.page.getByLabel("Denied text");
    assert.ok(await text.evaluate((field) => field === document.activeElement));
    await text.fill("falcon");
    assert.deepEqual(await it.marked(), ["Falcon"]);
    await it.page.getByLabel("Type (optional)").fill("project");
    await it.finding("Falcon").locator(".type", { hasText: /^project$/ }).waitFor();
    await it.page.getByLabel("Type (optional)").fill("No Type");
    assert.match(await it.page.getByRole("alert").textContent(), /lower-case letters/);
    assert.deepEqual(await it.marked(), []);
    await it.button("Remove").click();
    assert.equal(await it.page.getByRole("alert").count(), 0);
  });

  test("tells a screen reader what is marked, and puts none of it into a copy", async () => {
    await it.paste(TEXT);
    const spoken = await it.page.locator("#result-replace mark").first().evaluate((mark) => getComputedStyle(mark, "::before").content);
    assert.match(spoken, /Polish ID number/);
    assert.doesNotMatch(await it.result(), /Polish ID number:/);
    const at = it.page.locator("#at-cursor");
    await it.page.locator("#text").focus();
    await it.page.keyboard.press("Control+Home");
    assert.equal(await at.textContent(), "");
    for (let step = 0; step < 10; step++) await it.page.keyboard.press("ArrowRight");
    await at.filter({ hasText: /^Polish ID number, protected$/ }).waitFor({ state: "attached" });
    await it.page.getByLabel("Protect 44051401359").uncheck();
    await it.page.locator("#text").focus();
    await at.filter({ hasText: /^Polish ID number, left as it is$/ }).waitFor({ state: "attached" });
    // an announcement is one where it is there before it is needed
    assert.equal(await at.getAttribute("role"), "status");
  });

  test("saves the findings as JSON and as CSV", async () => {
    await it.paste(`${TEXT}\n=1@example.cz`);
    await it.page.getByLabel("Protect 44051401359").uncheck();
    const json = await it.saved(() => it.button("Export findings as JSON").click());
    assert.equal(json.name, "text.findings.json");
    const [pesel, mail] = JSON.parse(json.text);
    assert.deepEqual([pesel.type, pesel.original, pesel.start, pesel.end, pesel.country], ["pesel", "44051401359", 9, 20, "PL"]);
    assert.deepEqual([pesel.protected, mail.protected, pesel.metadata.birthDate], [false, true, "1944-05-14"]);
    assert.ok(pesel.evidence.length > 0);
    const csv = await it.saved(() => it.button("Export findings as CSV").click());
    assert.equal(csv.name, "text.findings.csv");
    const [head, first] = csv.text.split("\n");
    assert.equal(head, "type,original,start,end,country,confidence,validated,protected");
    assert.match(first, /^pesel,44051401359,9,20,PL,0\.\d+,true,false$/);
  });

  test("has an example for each of several countries", async () => {
    const examples = await it.page.$$eval("select[name=example] option:not([hidden])", (options) =>
      options.map(({ value, textContent }) => [value, textContent]),
    );
    assert.deepEqual(examples[0], ["", "several countries"]);
    assert.ok(examples.length > 10);
    // the point of each example
    const wanted = {
      AT: ["svnr_at", "iban"], BR: ["cpf", "cnpj"], CZ: ["rodne_cislo", "cislo_op", "ico"], DE: ["steuer_id", "rvnr", "address"],
      ES: ["dni_es", "nuss"], FR: ["nir", "siret"], GB: ["nino", "nhs_number", "address"], IN: ["aadhaar", "pan"],
      IT: ["codice_fiscale", "partita_iva"], NL: ["bsn", "iban"], PL: ["pesel", "nip", "dowod_osobisty"], US: ["ssn", "credit_card", "ein"],
    };
    for (const [code] of examples.slice(1)) {
      await it.page.selectOption("select[name=example]", code);
      await it.settled();
      const types = await it.page.$$eval(".chip", (chips) => chips.map(({ dataset }) => dataset.type));
      for (const type of [...wanted[code], "name", "email"]) assert.ok(types.includes(type), `${code} has no ${type}: ${types}`);
      assert.equal(await it.page.locator("#countries > li").first().getAttribute("data-country"), code);
    }
    assert.deepEqual(examples.slice(1).map(([code]) => code).sort(), Object.keys(wanted));
    await it.paste("Something else.");
    assert.equal(await it.page.locator("select[name=example]").inputValue(), "none");
  });

  test("names types in the language of the page", async () => {
    const named = async (locale) => {
      await it.open({ locale });
      await it.page.selectOption("select[name=example]", "CZ");
      await it.settled();
      const names = await it.page.$$eval(".chip", (chips) =>
        chips.map(({ dataset, firstChild }) => [dataset.type, firstChild.textContent]),
      );
      return Object.fromEntries(names);
    };
    const [english, german] = [await named("en-GB"), await named("de-DE")];
    assert.equal(english.rodne_cislo, "Birth number");
    assert.equal(german.rodne_cislo, "Geburtsnummer");
    assert.equal(english.ico, "Company ID");
    assert.deepEqual([english.phone_number, german.phone_number], ["Telephone", "Telefon"]);
    await it.paste("Blutgruppe: A+, Passwort: Tr0ub4dor&3");
    assert.equal(await it.page.textContent(".chip[data-type=blood_type] .chip-name"), "Blutgruppe");
    await it.page.locator("#findings summary").first().click();
    assert.match(await it.page.textContent(".why .description"), /[Bb]lood/);
  });
});
