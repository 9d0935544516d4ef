// The playground as a page: its privacy, its languages, its use without a network and by everybody.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { describe, test } from "node:test";
import { SKIPPED } from "../../bindings-js/test/browser.mjs";
import { playground, TEXT } from "./playground.mjs";

const SECRET = "44051401359";

describe("the playground as a page", { skip: SKIPPED }, () => {
  const it = playground({ permissions: ["clipboard-read", "clipboard-write"] });

  /** Does with the text all that the page offers. */
  async function useEverything() {
    await it.paste(TEXT);
    for (const mode of ["Mask", "Hash", "Tokenize", "Side by side", "Replace"]) await it.mode(mode);
    await it.page.selectOption("select[name=privacy_preset]", "aggressive");
    await it.page.selectOption("select[name=country]", "PL");
    await it.page.selectOption("select[name=language]", "cs");
    await it.page.selectOption("select[name=language]", "en");
    await it.page.locator("#findings summary").first().click();
    await it.page.getByLabel(`Protect ${SECRET}`).uncheck();
    await it.button("Add an exception").click();
    await it.page.getByLabel("Allowed text").fill(SECRET);
    await it.button("Copy").click();
    await it.saved(() => it.button("Download").click());
    await it.button("Restore tokens…").click();
    await it.page.getByLabel("Text with tokens").fill(`${SECRET} tok_pl_pesel_a`);
    await it.button("Close").click();
    await it.saved(() => it.button("Export findings as JSON").click());
    await it.button("Share…").click();
    await it.page.getByLabel("Include the text").check();
    await it.button("Copy the link").click();
    await it.button("Close").click();
    await it.button("Code…").click();
    await it.button("Copy the code").click();
    await it.button("Close").click();
    await it.page.getByRole("tab", { name: "Language model" }).click();
    await it.page.getByLabel("Message 2", { exact: true }).fill(TEXT);
    await it.page.getByRole("tab", { name: "Text and files" }).click();
  }

  test("leads to the documentation, the console and the source in other tabs", async () => {
    const links = await it.page.getByRole("contentinfo").getByRole("link").evaluateAll((found) =>
      found.map((link) => [link.textContent, link.getAttribute("href"), link.target, link.rel]),
    );
    const { repository } = JSON.parse(readFileSync(new URL("../../bindings-js/js/package.json", import.meta.url), "utf8"));
    assert.deepEqual(links.slice(0, 2), [
      ["Documentation", "/docs/", "_blank", "noreferrer"],
      ["Console of the gateway", "/console/", "_blank", "noreferrer"],
    ]);
    // the package has no repository before its first release
    assert.deepEqual(links.slice(2).map(([text]) => text), repository === undefined ? [] : ["Source code"]);
  });

  test("asks its own server alone, for its own files, and for nothing once they are kept", async () => {
    await it.kept();
    const { host } = new URL(it.site.address);
    for (const request of it.seen.all) {
      assert.equal(new URL(request.url()).host, host);
      assert.equal(request.method(), "GET");
    }
    assert.ok(it.seen.all.some((request) => request.serviceWorker()), "requests of the service worker are not seen");
    it.seen.all.length = 0;
    it.seen.requests.length = 0;
    await useEverything();
    await it.seen.idle();
    assert.deepEqual(it.seen.all.map((request) => request.url()), []);
    assert.deepEqual(it.seen.requests, []);
    assert.deepEqual(it.seen.errors, []);
  });

  test("puts nothing of the text into the address, the storage or the caches", async () => {
    await it.kept();
    await useEverything();
    assert.equal(it.page.url(), it.site.address);
    assert.equal(await it.page.evaluate("history.state"), null);
    const { cookies, origins } = await it.context.storageState({ indexedDB: true });
    assert.deepEqual(cookies, []);
    const [{ localStorage, indexedDB }] = origins;
    assert.deepEqual(localStorage, [{ name: "textveil-language", value: "en" }]);
    assert.deepEqual(indexedDB ?? [], []);
    assert.equal(await it.page.evaluate("sessionStorage.length"), 0);
    const kept = await it.page.evaluate(async () => {
      const found = [];
      for (const name of await caches.keys()) {
        const cache = await caches.open(name);
        for (const request of await cache.keys()) {
          found.push([request.url, await (await cache.match(request)).text()]);
        }
      }
      return found;
    });
    assert.ok(kept.some(([url]) => url.endsWith(".wasm")), "nothing is kept at all");
    for (const [url, content] of kept) {
      assert.match(url.slice(it.site.address.length), /^(app\/[\w.-]+)?$/);
      assert.ok(!content.includes("onerror=alert"), `${url} holds the text`);
    }
  });

  test("opens and works without a network, after it was opened once", async () => {
    await it.kept();
    await it.site.pause();
    try {
      await it.page.reload();
      await it.ready();
      await it.paste(`${TEXT} My name is Emily Carter.`);
      assert.match(await it.result(), /PESEL \[REDACTED\].* My name is \[REDACTED\]\./s);
      const elsewhere = await it.page.evaluate("fetch('./api/v1/health').then(() => 'answered', () => 'no network')");
      assert.equal(elsewhere, "no network");
    } finally {
      await it.site.resume();
    }
  });

  test("its service worker leaves every other address to the server", async () => {
    await it.kept();
    await it.page.reload();
    await it.ready();
    assert.ok(await it.page.evaluate("navigator.serviceWorker.controller !== null"));
    for (const path of ["api/v1/health", "v1/models", "docs/", "docs/api", "console", "app/other.js"]) {
      const url = it.site.address + path;
      const [response] = await Promise.all([
        it.page.waitForResponse(url),
        it.page.evaluate((url) => fetch(url).then(() => {}), url),
      ]);
      assert.equal(response.fromServiceWorker(), false, path);
      assert.equal(response.status(), 404);
    }
    const posted = await it.page.evaluate("fetch('./', { method: 'POST', body: 'x' }).then(({ status }) => status)");
    assert.equal(posted, 405);
  });

  test("can be installed", async () => {
    const manifest = await it.page.evaluate(async () => {
      const link = document.querySelector("link[rel=manifest]").href;
      const content = await (await fetch(link)).json();
      const at = (path) => new URL(path, link).href;
      const found = async ({ src, sizes }) => [sizes, (await fetch(at(src))).status];
      const icons = await Promise.all(content.icons.map(found));
      return { ...content, start: at(content.start_url), scope: at(content.scope), icons };
    });
    assert.equal(manifest.start, it.site.address);
    assert.equal(manifest.scope, it.site.address);
    assert.equal(manifest.display, "standalone");
    assert.deepEqual(manifest.icons, [["any", 200], ["192x192", 200], ["512x512", 200], ["512x512", 200]]);
    const { installabilityErrors } = await (await it.context.newCDPSession(it.page)).send("Page.getInstallabilityErrors");
    // a private profile, which a test has, installs nothing
    assert.deepEqual(installabilityErrors.filter(({ errorId }) => errorId !== "in-incognito"), []);
  });

  test("its policy lets nothing out", async () => {
    const blocked = await it.page.evaluate(async () => {
      const violation = new Promise((done) => {
        document.addEventListener("securitypolicyviolation", (event) => done(event.effectiveDirective));
      });
      await fetch("https://example.com/", { method: "POST", body: "text" }).catch(() => {});
      return violation;
    });
    assert.equal(blocked, "connect-src");
    const served = await (await it.context.request.get(it.site.address)).text();
    assert.doesNotMatch(served, /<script(?![^>]* src=)|<style|\sstyle=|\son\w+=/);
    const { repository } = JSON.parse(readFileSync(new URL("../../bindings-js/js/package.json", import.meta.url), "utf8"));
    if (repository === undefined) assert.doesNotMatch(await it.page.content(), /https?:\/\/(?!127\.0\.0\.1)/);
  });
});

describe("the playground in each language", { skip: SKIPPED }, () => {
  const it = playground({ viewport: { width: 360, height: 740 }, reducedMotion: "reduce" }, { opens: false });

  for (const [locale, lang, findings, counts] of [
    ["en-GB", "en", "Findings", ["1 finding", "2 findings", "5 findings"]],
    ["cs-CZ", "cs", "Nálezy", ["1 nález", "2 nálezy", "5 nálezů"]],
    ["de-AT", "de", "Funde", ["1 Fund", "2 Funde", "5 Funde"]],
    ["fr-FR", "fr", "Résultats", ["1 résultat", "2 résultats", "5 résultats"]],
    ["pl-PL", "pl", "Znalezione dane", ["1 wynik", "2 wyniki", "5 wyników"]],
    ["ja-JP", "en", "Findings", ["1 finding", "2 findings", "5 findings"]],
  ]) {
    test(`speaks to a reader of ${locale}, fits a narrow screen, and counts as the language does`, async () => {
      await it.open({ locale });
      assert.equal(await it.page.getAttribute("html", "lang"), lang);
      assert.equal(await it.page.textContent("#found-title"), findings);
      assert.doesNotMatch(await it.page.textContent("body"), /\{\w+\}/);
      await fits();
      for (const [index, n] of [1, 2, 5].entries()) {
        await it.paste(Array.from({ length: n }, (_, at) => `a${at}@example.cz`).join("\n"));
        assert.equal(await it.page.textContent("#summary"), counts[index]);
      }
    });
  }

  /** Opens what the page has, and finds nothing that is cut or wider than the screen. */
  async function fits() {
    // the text comes first: the options are behind a button here
    const { y } = await it.page.locator("#text").boundingBox();
    assert.ok(y < 480, `the text begins at ${y}`);
    assert.ok(!(await it.page.locator("#options").isVisible()));
    await it.page.locator(".options-toggle").click();
    await it.page.locator("#findings summary").first().click();
    await it.page.locator("input[value=compare]").check();
    assert.equal(await it.page.evaluate("document.documentElement.scrollWidth"), 360);
    const cut = await it.page.$$eval("button, h2, .segments span", (parts) =>
      parts.filter((part) => part.scrollWidth > part.clientWidth + 1).map((part) => part.textContent),
    );
    assert.deepEqual(cut, []);
    await it.page.getByRole("tab").last().click();
    await it.page.locator("#application-gets mark").first().waitFor();
    assert.equal(await it.page.evaluate("document.documentElement.scrollWidth"), 360, "the conversation");
    await it.page.getByRole("tab").first().click();
    for (const dialog of [1, 2]) {
      await it.page.locator(".tools > button").nth(dialog).click();
      const { width } = await it.page.locator("dialog[open]").boundingBox();
      assert.ok(width <= 360, "a dialog");
      const beyond = await it.page.locator("dialog[open]").evaluate((open) => open.scrollWidth - open.clientWidth);
      assert.equal(beyond, 0, "a dialog");
      await it.page.keyboard.press("Escape");
      await it.page.locator("dialog[open]").waitFor({ state: "detached" });
    }
  }

  test("keeps the language that is chosen, and moves for nobody who asked for rest", async () => {
    await it.page.selectOption("select[name=language]", "de");
    assert.equal(await it.page.textContent("#found-title"), "Funde");
    assert.match(await it.page.title(), /personenbezogene Daten/);
    await it.page.waitForFunction("matchMedia('(prefers-reduced-motion: reduce)').matches");
    const moving = await it.page.$$eval("*", (parts) =>
      parts.filter((part) => getComputedStyle(part).transitionDuration !== "0s").map((part) => part.outerHTML.slice(0, 80)),
    );
    assert.deepEqual(moving, []);
    await it.page.reload();
    await it.ready();
    assert.equal(await it.page.getAttribute("html", "lang"), "de");
    assert.match(await it.page.textContent("#countries"), /Deutschland/);
  });
});
