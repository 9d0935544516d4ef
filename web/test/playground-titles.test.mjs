// The titles of types in the playground, in each language of the page.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { types } from "../../bindings-js/generate/catalogue.mjs";
import { SKIPPED } from "../../bindings-js/test/browser.mjs";
import { playground } from "./playground.mjs";

const TYPES = [...types().keys()];

describe("the titles of types in the playground", { skip: SKIPPED }, () => {
  const it = playground();

  /** The titles that the page shows in a language, by type. */
  async function titlesIn(language) {
    await it.page.selectOption("select[name=language]", language);
    await it.page.locator(`html[lang=${language}]`).waitFor();
    await it.settled();
    const rows = await it.page.$$eval("#by-type > li", (items) =>
      items.map((item) => {
        const title = item.querySelector(".type");
        return [item.dataset.type, { text: title.textContent, lang: title.lang }];
      }),
    );
    return Object.fromEntries(rows);
  }

  test("every type has a title in every language, and no two types have the same", async () => {
    // a type that is switched off is listed, found or not; that of a deny list is listed where it is found
    await it.paste("Falcon");
    await it.button("Share…").click();
    const excludeEntities = TYPES.filter((type) => type !== "deny_list");
    const settings = { excludeEntities, denyList: [{ value: "Falcon" }] };
    const buffer = Buffer.from(JSON.stringify(settings));
    await it.page.setInputFiles("#settings-file", { name: "settings.json", mimeType: "application/json", buffer });
    await it.page.waitForFunction((n) => document.querySelectorAll("#by-type > li").length >= n, TYPES.length);
    await it.page.keyboard.press("Escape");
    const languages = await it.page.$$eval("select[name=language] option", (options) => options.map(({ value }) => value));
    assert.ok(languages.length >= 5);
    const titles = {};
    for (const language of languages) {
      titles[language] = await titlesIn(language);
      const byTitle = new Map();
      for (const type of TYPES) {
        const { text } = titles[language][type] ?? assert.fail(`${language}: ${type} is not listed`);
        assert.match(text, /^[\p{Lu}\p{N}].*[^.\s]\.?$/u, `${language}: ${type}`);
        assert.ok(text !== type && !text.includes("_"), `${language}: ${type} has no title`);
        byTitle.set(text, [...(byTitle.get(text) ?? []), type]);
      }
      // protection has another name for telephone numbers
      const same = [...byTitle.values()].filter((own) => own.length > 1 && own.join() !== "phone,phone_number");
      assert.deepEqual(same, [], language);
    }
    assert.deepEqual(TYPES.filter((type) => titles.en[type].lang !== ""), [], "English is the language of the page");
    // a label of the language, the name that several countries share, and the description where there is no label
    assert.deepEqual(
      ["en", "cs", "de", "fr"].map((language) => titles[language].rodne_cislo),
      ["Birth number", "Rodné číslo", "Geburtsnummer", "Rodné číslo"].map((text) => ({ text, lang: "" })),
    );
    assert.deepEqual(titles.pl.pesel, { text: "PESEL", lang: "" });
    assert.deepEqual(titles.de.pesel, { text: "Polish national identification number", lang: "en" });
    assert.deepEqual(titles.fr.openai_api_key, { text: "API key of OpenAI", lang: "en" });
    // many countries have one
    assert.equal(titles.en.uid_at.text, "VAT number (Austria)");
    assert.equal(titles.de.tva_fr.text, "USt-IdNr. (Frankreich)");
    assert.equal(titles.en.nhs_number.text, "NHS number");
    assert.equal(titles.en.crypto_address.text, "Cryptocurrency address");
  });
});
