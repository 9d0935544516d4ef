// Files in the playground: opened, dropped, protected by the worker, cancelled and saved.

import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { SKIPPED } from "../../bindings-js/test/browser.mjs";
import { strFromU8, unzipSync, zipSync } from "fflate";
import { playground, TEXT } from "./playground.mjs";

const file = (name, content, mimeType = "text/plain") => ({ name, mimeType, buffer: Buffer.from(content) });

/** A log with one e-mail address a line. */
function log(lines) {
  return Array.from({ length: lines }, (_, n) => `2024-03-12 request ${n} of a${n}@example.cz is done\n`).join("");
}

describe("files in the playground", { skip: SKIPPED }, () => {
  const it = playground();
  const choose = (...files) => it.page.setInputFiles("#file", files);
  const named = (name) => it.page.getByText(name, { exact: true });
  const job = (name, state = "") => it.page.locator(`#files > li${state}`, { has: named(name) });
  const done = (name) => job(name, "[data-state=done]");

  /** The archive of all results: its name, and its files with their texts. */
  async function archive() {
    const [download] = await Promise.all([it.page.waitForEvent("download"), it.button("Download all").click()]);
    const parts = [];
    for await (const part of await download.createReadStream()) parts.push(part);
    const files = Object.entries(unzipSync(new Uint8Array(Buffer.concat(parts))));
    return { name: download.suggestedFilename(), files: Object.fromEntries(files.map(([path, bytes]) => [path, strFromU8(bytes)])) };
  }

  /** Drops files on the page, as a reader would. */
  async function drop(...files) {
    const data = await it.page.evaluateHandle((files) => {
      const transfer = new DataTransfer();
      for (const { name, content } of files) transfer.items.add(new File([content], name, { type: "text/plain" }));
      return transfer;
    }, files);
    await it.page.dispatchEvent("body", "dragover", { dataTransfer: data });
    await it.page.locator(".drop").waitFor();
    await it.page.dispatchEvent("body", "drop", { dataTransfer: data });
    assert.equal(await it.page.locator(".drop").count(), 0);
  }

  test("a small file is opened in the editor, and saved under its name", async () => {
    await choose(file("letter.md", TEXT));
    await named("letter.md").waitFor();
    assert.equal(await it.page.inputValue("#text"), TEXT);
    const { name, text } = await it.saved(() => it.button("Download").click());
    assert.equal(name, "letter.protected.md");
    assert.equal(text, await it.result());
    await it.button("Clear").click();
    assert.equal(await it.page.locator(".file-note").count(), 0);
  });

  test("the text of a Word document is saved", async () => {
    const xml = "<w:document><w:p><w:t>PESEL 44051401359</w:t></w:p></w:document>";
    await choose(file("letter.docx", zipSync({ "word/document.xml": new TextEncoder().encode(xml) })));
    await done("letter.docx").waitFor();
    const { name, text } = await it.saved(() => done("letter.docx").getByRole("button").first().click());
    assert.deepEqual([name, text], ["letter.protected.txt", "PESEL [REDACTED]\n"]);
  });

  test("the file that was opened last is shown, however long another one takes", async () => {
    await it.page.evaluate(() => {
      const { arrayBuffer } = Blob.prototype;
      Blob.prototype.arrayBuffer = async function () {
        if (this.name === "slow.txt") await new Promise((done) => (globalThis.goOn = done));
        return arrayBuffer.call(this);
      };
    });
    await choose(file("slow.txt", "slow"));
    await it.page.waitForFunction(() => "goOn" in globalThis);
    await choose(file("quick.txt", "quick"));
    await named("quick.txt").waitFor();
    await it.page.evaluate("goOn()");
    await it.settled();
    assert.equal(await it.page.inputValue("#text"), "quick");
  });

  test("a worker that cannot be started is not the last one", async () => {
    await it.open({ serviceWorkers: "block" });
    const worker = /\/app\/worker-script[^/]*\.js$/;
    let asked = 0;
    await it.context.route(worker, (route) => (asked++ === 0 ? route.abort() : route.continue()));
    await choose(file("a.log", log(1)), file("b.log", log(1)));
    await job("a.log", "[data-state=failed]").waitFor();
    await done("b.log").waitFor();
    assert.equal(asked, 2);
  });

  test("a file that is dropped is opened", async () => {
    await drop({ name: "note.txt", content: "PESEL 44051401359" });
    await named("note.txt").waitFor();
    assert.deepEqual(await it.marked(), ["44051401359"]);
  });

  test("what is no text is refused, and changes nothing", async () => {
    const before = await it.page.inputValue("#text");
    await choose(file("photo.png", Buffer.from([0x89, 0x50, 0x4e, 0x47, 0, 0, 0, 13]), "image/png"));
    await it.page.getByRole("alert").filter({ hasText: /^photo\.png is not a text file in UTF-8\.$/ }).waitFor();
    assert.equal(await it.page.inputValue("#text"), before);
    await choose(file("old.txt", Buffer.from([0x4e, 0x6f, 0x76, 0xe1, 0x6b])));
    await it.page.getByRole("alert").filter({ hasText: /^old\.txt is not a text file in UTF-8\.$/ }).waitFor();
    await choose(file("letter.txt", TEXT));
    await named("letter.txt").waitFor();
    assert.equal(await it.page.getByRole("alert").count(), 0);
  });

  test("a large file goes through the worker, and is saved whole", async () => {
    const content = log(20_000);
    await it.mode("Mask");
    await choose(file("server.log", content));
    await done("server.log").waitFor();
    assert.match(await job("server.log").locator(".file-state").textContent(), /^Done · 20,000 findings$/);
    assert.match(await job("server.log").locator(".chip").first().textContent(), /^E-mail 20,000$/);
    const { name, text } = await it.saved(() => job("server.log").getByRole("button", { name: "Download" }).click());
    assert.equal(name, "server.protected.log");
    assert.equal(text, content.replaceAll(/a\d+@example\.cz/g, (mail) => "*".repeat(mail.length)));
    assert.notEqual(await it.page.inputValue("#text"), content);
    assert.deepEqual(it.seen.errors, []);
  });

  test("a file that the worker refuses says why, and stops no other", async () => {
    await choose(file("photo.png", Buffer.from([0, 1]), "image/png"), file("call.txt", "call +420 601 123 456"));
    await done("call.txt").waitFor();
    assert.equal(await job("photo.png").locator(".file-state").textContent(), "photo.png is not a text file in UTF-8.");
    assert.equal(await job("photo.png").getByRole("button", { name: "Download" }).count(), 0);
    assert.equal(await job("call.txt").locator(".chip").textContent(), "Telephone 1");
    assert.equal(await job("call.txt").locator(".chip").getAttribute("data-category"), "contact");
  });

  test("shows how far it is, and stops when it is told to", async () => {
    await choose(file("huge.log", log(150_000)), file("next.log", TEXT));
    const bar = job("huge.log").getByRole("progressbar", { name: "Progress of huge.log" });
    await it.page.waitForFunction(() => document.querySelector("#files progress")?.value > 0);
    assert.equal(await bar.getAttribute("max"), String(Buffer.byteLength(log(150_000))));
    assert.match(await job("huge.log").locator(".file-state").textContent(), /^\d+% · [\d,]+ findings?$/);
    assert.equal(await job("next.log").locator(".file-state").textContent(), "Waiting");
    // one can go on working meanwhile
    await it.paste("PESEL 44051401359");
    assert.deepEqual(await it.marked(), ["44051401359"]);
    await job("huge.log").getByRole("button", { name: "Cancel" }).click();
    assert.equal(await job("huge.log").locator(".file-state").textContent(), "Cancelled");
    assert.equal(await job("huge.log").getByRole("button", { name: "Download" }).count(), 0);
    // and the next one has its turn
    await done("next.log").waitFor();
    assert.equal(await job("huge.log").locator(".file-state").textContent(), "Cancelled");
    await job("huge.log").getByRole("button", { name: "Remove" }).click();
    assert.equal(await job("huge.log").count(), 0);
    assert.deepEqual(it.seen.errors, []);
  });

  describe("in a folder", () => {
    let folder;

    before(() => {
      folder = mkdtempSync(join(tmpdir(), "textveil-folder-"));
      mkdirSync(join(folder, "inner/more"), { recursive: true });
      const files = { "a.txt": "eva@example.cz", ".hidden": "jan@example.cz", "inner/b.csv": "mail\neva@example.cz\n", "inner/more/c.png": "\0" };
      for (const [name, content] of Object.entries(files)) writeFileSync(join(folder, name), content);
    });
    after(() => rmSync(folder, { recursive: true, force: true }));

    /** Returns the protected files: those of text are protected, in their formats. */
    async function protectedFolder() {
      await done("a.txt").waitFor();
      await done("b.csv").waitFor();
      await job("c.png", "[data-state='no text']").waitFor();
      assert.equal(await it.page.locator("#files > li").count(), 3);
      const { name, files } = await archive();
      assert.equal(name, "textveil-files.zip");
      const paths = Object.keys(files).map((path) => path.replace(/^textveil-folder-\w+\//, ""));
      return { paths: paths.sort(), texts: Object.values(files).sort() };
    }

    test("that is opened", async () => {
      await it.page.setInputFiles("#folder", folder);
      const { paths, texts } = await protectedFolder();
      assert.deepEqual([paths, texts], [["a.protected.txt", "inner/b.protected.csv"], ["[REDACTED]", "mail\n[REDACTED]\n"]]);
    });

    test("that is dropped, with the folders in it", async () => {
      const driver = await it.context.newCDPSession(it.page);
      const data = { items: [], files: [folder], dragOperationsMask: 1 };
      for (const type of ["dragEnter", "dragOver", "drop"]) await driver.send("Input.dispatchDragEvent", { type, x: 300, y: 300, data });
      assert.equal((await protectedFolder()).texts.length, 2);
    });
  });

  test("all files are one download, also with the same name", async () => {
    await choose(file("a.txt", TEXT), file("a.txt", "nothing"));
    await it.page.locator("#files > li[data-state=done]").nth(1).waitFor();
    assert.deepEqual((await archive()).files, { "a.protected.txt": TEXT.replace("44051401359", "[REDACTED]").replace("jan.novak@example.cz", "[REDACTED]"), "a.protected (2).txt": "nothing" });
  });

  test("a value that was rejected in the text is left in files, too", async () => {
    await it.paste("eva@example.cz, PESEL 44051401359, jan.novak@example.cz");
    await it.finding("eva@example.cz").getByRole("checkbox").uncheck();
    await choose(file("a.txt", "to eva@example.cz and jan.novak@example.cz"), file("b.txt", "nothing"));
    await done("b.txt").waitFor();
    assert.equal((await archive()).files["a.protected.txt"], "to eva@example.cz and [REDACTED]");
  });

  for (const [name, content, wanted] of [
    ["people.csv", 'note;mail\n"a; b";eva@example.cz\n', /^note;mail\n"?a; b"?;\[REDACTED\]\n$/],
    ["people.json", '{"mail": "eva@example.cz", "n": 1}', /^\{"mail": ?"\[REDACTED\]", ?"n": ?1\}$/],
    ["people.ndjson", '{"mail": "eva@example.cz"}\n{"n": 1}\n', /^\{"mail": ?"\[REDACTED\]"\}\n\{"n": ?1\}\n$/],
    ["people.html", "<p title='x'>eva@example.cz</p>", /^<p title='x'>\[REDACTED\]<\/p>$/],
  ]) {
    test(`keeps the structure of ${name}`, async () => {
      await choose(file(name, content));
      await it.button("Protect the file").click();
      await done(name).waitFor();
      const { text } = await it.saved(() => job(name).getByRole("button", { name: "Download" }).click());
      assert.match(text, wanted);
    });
  }

  test("a file goes by the choices of the page, and its tokens are restored there", async () => {
    await it.mode("Tokenize");
    await it.paste("eva@example.cz, PESEL 44051401359");
    await it.page.locator(".chip[data-type=pesel]").click();
    await it.button("Add an exception").click();
    await it.page.getByLabel("Allowed text").fill("allowed@example.cz");
    const content = "allowed@example.cz eva@example.cz PESEL 44051401359";
    await choose(file("a.txt", content), file("b.txt", "nothing"));
    await done("b.txt").waitFor();
    const { text } = await it.saved(() => job("a.txt").getByRole("button", { name: "Download" }).click());
    assert.match(text, /^allowed@example\.cz tok_xx_email_\w+ PESEL 44051401359$/);
    await it.button("Restore tokens…").click();
    await it.page.getByLabel("Text with tokens").fill(text);
    assert.equal(await it.page.textContent("#restored"), content);
  });

  test("asks nothing of the network but the worker's own files", async () => {
    await it.kept();
    it.seen.all.length = 0;
    await choose(file("a.txt", TEXT), file("b.txt", TEXT));
    await done("b.txt").waitFor();
    for (const request of it.seen.all) {
      assert.equal(request.method(), "GET");
      assert.match(request.url().slice(it.site.address.length), /^app\/[\w.-]+\.(js|wasm)$/);
    }
    await it.site.pause();
    try {
      await it.page.reload();
      await it.ready();
      await choose(file("a.txt", TEXT), file("b.txt", TEXT));
      await done("b.txt").waitFor();
    } finally {
      await it.site.resume();
    }
  });
});
