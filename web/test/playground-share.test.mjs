// The playground's settings elsewhere: in a link, in a file, and as programs, which are run.

import assert from "node:assert/strict";
import { execFile, execFileSync } from "node:child_process";
import { createServer } from "node:http";
import { json } from "node:stream/consumers";
import { promisify } from "node:util";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { after, before, describe, test } from "node:test";
import { SKIPPED } from "../../bindings-js/test/browser.mjs";
import { playground, TEXT } from "./playground.mjs";
import { link as linkLibraries } from "../../bindings-js/test/compile.mjs";
import { PROGRAM, project } from "../../bindings-js/test/project.mjs";
import { startService } from "./service.mjs";

describe("the playground's settings", { skip: SKIPPED }, () => {
  const it = playground({ permissions: ["clipboard-read", "clipboard-write"] });
  const label = (name) => it.page.getByLabel(name, { exact: true });

  /** Chooses something of everything. */
  async function choose() {
    await it.paste(TEXT);
    await it.mode("Mask");
    await it.page.selectOption("select[name=privacy_preset]", "aggressive");
    await it.page.selectOption("select[name=country]", "PL");
    await it.byType("email").locator("select").selectOption("replace");
    await label("Replacement text").fill("<it's, mail>");
    await it.byType("pesel").locator("select").selectOption("mask");
    await label("Visible characters at the end").fill("4");
    await it.button("Add a pattern").click();
    await label("Name").fill("customer");
    await label("Regular expression").fill("KX-\\d{4}");
    await label("Context words (optional)").fill("customer, client");
    await it.button("Add a text").click();
    await label("Denied text").fill("Falcon");
    await it.button("Add an exception").click();
    await label("Allowed text").fill("eva@example.cz");
  }

  const SETTINGS = {
    mode: "mask",
    privacyPreset: "aggressive",
    country: "PL",
    operators: { email: { mode: "replace", newValue: "<it's, mail>" }, pesel: { mode: "mask", keepLast: 4 } },
    customDetectors: [{ name: "customer", pattern: "KX-\\d{4}", context: ["customer", "client"] }],
    allowList: [{ value: "eva@example.cz" }],
    denyList: [{ value: "Falcon" }],
  };

  async function link() {
    await it.button("Share…").click();
    const value = await it.page.inputValue("#link");
    await it.button("Close").click();
    return value;
  }

  async function settingsFile() {
    await it.button("Share…").click();
    const { name, text } = await it.saved(() => it.button("Download the settings").click());
    assert.equal(name, "textveil-settings.json");
    await it.button("Close").click();
    return JSON.parse(text);
  }

  test("a link has the settings, and neither text nor lists", async () => {
    await choose();
    const address = await link();
    const [page, fragment] = address.split("#v1.");
    assert.equal(page, it.site.address);
    const content = Buffer.from(fragment, "base64url").toString();
    for (const word of ["Falcon", "eva@example.cz", "44051401359", "jan.novak"]) assert.ok(!content.includes(word), word);
    await it.page.goto("about:blank");
    await it.page.goto(address);
    await it.ready();
    const { allowList: _allowed, denyList: _denied, ...others } = SETTINGS;
    assert.deepEqual(await settingsFile(), others);
    assert.ok(await it.page.getByRole("radio", { name: "Mask", exact: true }).isChecked());
    assert.equal(await label("Regular expression").inputValue(), "KX-\\d{4}");
    assert.match(await it.page.inputValue("#text"), /^Dear support/);
  });

  test("a link has text and lists where the reader says so, and is no part of the history", async () => {
    await choose();
    await it.button("Share…").click();
    await it.page.getByLabel("Include the text").check();
    await it.button("Copy the link").click();
    await it.button("Copied").waitFor();
    const address = await it.page.evaluate("navigator.clipboard.readText()");
    assert.equal(address, await it.page.inputValue("#link"));
    await it.page.goto("about:blank");
    await it.page.goto(address);
    await it.ready();
    assert.equal(it.page.url(), it.site.address);
    assert.equal(await it.page.inputValue("#text"), TEXT);
    assert.deepEqual(await settingsFile(), SETTINGS);
    assert.equal(await it.result("mask"), TEXT.replace("44051401359", "*******1359").replace("jan.novak@example.cz", "<it's, mail>"));
    assert.ok(it.seen.requests.every((url) => !url.includes("v1.")), "the fragment was sent");
  });

  test("a fragment without valid settings changes nothing", async () => {
    for (const fragment of ["#text", "#v1.", "#v1.!!!", `#v1.${btoa('{"settings":{"mode":"no"}}')}`, `#v1.${btoa("[]")}`]) {
      await it.page.goto("about:blank");
      await it.page.goto(it.site.address + fragment);
      await it.ready();
      assert.deepEqual(await settingsFile(), {});
    }
    assert.deepEqual(it.seen.errors, []);
  });

  test("a file with settings is opened; one that the engine rejects says why", async () => {
    await it.button("Share…").click();
    const open = (content) =>
      it.page.setInputFiles("#settings-file", { name: "s.json", mimeType: "application/json", buffer: Buffer.from(content) });
    await open(JSON.stringify({ operators: { no_such_type: { mode: "mask" } } }));
    const alert = it.page.getByRole("alert");
    await alert.waitFor();
    assert.match(await alert.textContent(), /The settings were rejected: operators names no known entity type/);
    await open("no JSON");
    await alert.filter({ hasText: "must be an object" }).waitFor();
    await open(JSON.stringify(SETTINGS));
    await alert.waitFor({ state: "detached" });
    await it.button("Close").click();
    assert.deepEqual(await settingsFile(), SETTINGS);
  });

  /** The program in a language, as the page shows it. */
  async function code(language) {
    await it.button("Code…").click();
    await it.page.getByRole("radio", { name: language, exact: true }).check();
    const text = await it.page.textContent("#code");
    await it.button("Copy the code").click();
    await it.button("Copied").waitFor();
    assert.equal(await it.page.evaluate("navigator.clipboard.readText()"), text);
    await it.button("Close").click();
    assert.ok(!text.includes("44051401359"), "the program has the reader's text");
    return text;
  }

  describe("as programs that ask a language model", () => {
    const user = project();

    test("are those of the tab of language models, and with placeholders", async () => {
      const shown = async () => {
        await it.button("Code…").click();
        const names = await it.page.locator(".segments input[name=code]").evaluateAll((inputs) => inputs.map(({ value }) => value));
        await it.button("Close").click();
        return names;
      };
      assert.deepEqual(await shown(), ["JavaScript", "curl", "CLI", "Python"]);
      await it.mode("Placeholders");
      assert.deepEqual(await shown(), ["JavaScript", "curl", "Python"]);
      await choose();
      await it.page.getByRole("tab", { name: "Language model" }).click();
      for (const [language, wanted] of [
        ["JavaScript", /new OpenAI\(\{ fetch: protector\.fetch\(\) \}\)[^]*jan\.novak@example\.cz/],
        ["curl", /\/v1\/chat\/completions[^]*"privacy_preset": "aggressive"/],
        ["Python", /base_url=os\.environ\["TEXTVEIL_URL"\] \+ "\/v1"[^]*"country": "PL"/],
      ]) {
        assert.match(await code(language), wanted);
      }
    });

    test("ask a language model, which reads placeholders", async () => {
      await it.page.getByRole("tab", { name: "Language model" }).click();
      await it.page.selectOption("select[name=country]", "CZ");
      const asked = [];
      const model = createServer(async (request, response) => {
        asked.push(await json(request));
        const message = { role: "assistant", content: `You wrote: ${asked.at(-1).messages.at(-1).content}` };
        response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify({ id: "1", object: "chat.completion", created: 0, model: "m", choices: [{ index: 0, message, finish_reason: "stop" }] }));
      });
      await new Promise((ready) => model.listen(0, "127.0.0.1", ready));
      const text = await code("JavaScript");
      linkLibraries(user.folder);
      writeFileSync(join(user.folder, "prompt.mjs"), text);
      const env = { ...process.env, OPENAI_BASE_URL: `http://127.0.0.1:${model.address().port}`, OPENAI_API_KEY: "none" };
      try {
        const { stdout } = await promisify(execFile)(process.execPath, ["prompt.mjs"], { cwd: user.folder, env });
        assert.equal(stdout, "You wrote: Write to jan.novak@example.cz.\n");
        assert.equal(asked[0].messages[0].content, "Write to [[EMAIL_1]].");
      } finally {
        model.close();
      }
    });
  });

  describe("as programs", () => {
    const user = project();
    let service, folder;

    before(async () => {
      service = await startService();
      folder = mkdtempSync(join(tmpdir(), "textveil-snippet-"));
    });
    after(async () => {
      await service?.stop();
      if (folder) rmSync(folder, { recursive: true, force: true });
    });

    const RUN = {
      JavaScript: (text) => user.run("snippet.mjs", text),
      curl: (text) => JSON.parse(shell(text)).protected_text,
      CLI: (text) => shell(text),
      Python(text) {
        writeFileSync(join(folder, "snippet.py"), text);
        return execFileSync("python3", ["snippet.py"], { cwd: folder, encoding: "utf8", env: environment() });
      },
    };

    const environment = () => ({
      ...process.env,
      PATH: `${dirname(PROGRAM)}:${process.env.PATH}`,
      TEXTVEIL_URL: service.address,
      TEXTVEIL_API_KEY: service.apiKey,
    });
    const shell = (text) => execFileSync("sh", ["-ec", text], { cwd: folder, encoding: "utf8", env: environment(), stdio: ["ignore", "pipe", "pipe"] });

    for (const [language, run] of Object.entries(RUN)) {
      test(`${language} does what the page does`, async () => {
        assert.equal(run(await code(language)).trim(), "Write to [REDACTED].");
        await choose();
        assert.equal(run(await code(language)).trim(), "Write to <it's, mail>.");
      });
    }

    test("hashes and tokens have a key", async () => {
      await it.mode("Tokenize");
      process.env.TEXTVEIL_KEY = "00".repeat(32);
      try {
        assert.match(RUN.JavaScript(await code("JavaScript")), /^Write to tok_xx_email_\w+\.$/);
      } finally {
        delete process.env.TEXTVEIL_KEY;
      }
      execFileSync(PROGRAM, ["key-file", "new", join(folder, "keys.txt")]);
      assert.match(RUN.CLI(await code("CLI")), /^Write to tok_xx_email_\w+\.$/m);
      assert.match(RUN.curl(await code("curl")), /^Write to tok_xx_email_\w+\.$/);
    });
  });
});
