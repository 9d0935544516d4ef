// Documents of each format: what changes in them, and what does not, however they are cut.

import assert from "node:assert/strict";
import { Readable } from "node:stream";
import { text as join } from "node:stream/consumers";
import { pipeline } from "node:stream/promises";
import { describe, test } from "node:test";
import { zipSync } from "fflate";
import { project } from "./project.mjs";

const installed = project();
const { protectFetch, protectFile, protectFormData, protectStream, restore, TextveilError } = await installed.import();
const { protectTransform } = await installed.import("textveil/node");

const KEY = "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f";
const R = "[REDACTED]";

const cut = (text, size) => Array.from({ length: Math.ceil(text.length / size) }, (_, at) => text.slice(at * size, (at + 1) * size));
const streamed = (pieces, options) => join(ReadableStream.from(pieces).pipeThrough(protectStream(options)));

/** Holds of a document in one piece, and cut anywhere. */
async function becomes(format, document, wanted, options = {}) {
  for (const size of [document.length + 1, 1, 2, 3, 7, 64]) {
    assert.equal(await streamed(cut(document, size), { format, ...options }), wanted, `in pieces of ${size}`);
  }
}

/** Fails, and says neither the text nor less than where. */
async function refused(format, document, message) {
  for (const size of [document.length + 1, 1, 5]) {
    await assert.rejects(streamed(cut(document, size), { format }), (error) => {
      assert.ok(error instanceof TextveilError, String(error));
      assert.deepEqual([error.code, error.field], ["invalid_request", "format"]);
      assert.match(error.message, message);
      return true;
    });
  }
}

describe("CSV", () => {
  for (const [name, document, wanted] of [
    ["nothing", "", ""],
    ["no finding", "a,b\n1,2\n", "a,b\n1,2\n"],
    ["a cell under its label", "id,PESEL\r\n7,44051401359\r\n", `id,PESEL\r\n7,${R}\r\n`],
    ["the last row without an end", "note;mail\nx;jan.novak@example.cz", `note;mail\nx;${R}`],
    ["quotes", '"id","note"\n"1","the PESEL ""44051401359"", he said"\n', `"id","note"\n"1","the PESEL ""${R}"", he said"\n`],
    ["a line break in a cell", 'a,b\n"x\njan.novak@example.cz",2\n3,4\n', `a,b\n"x\n${R}",2\n3,4\n`],
    ["tabs", "name\tphone\nx\t+420 601 123 456\n", `name\tphone\nx\t${R}\n`],
    ["a header that is personal data", "jan.novak@example.cz,x\n1,2\n", `${R},x\n1,2\n`],
    ["a byte order mark and empty rows", "\ufeffPESEL\n\n44051401359\n\n", `\ufeffPESEL\n\n${R}\n\n`],
    ["a number that the column's name makes one", "rodne_cislo,n\n800101/1238,1\n", `rodne_cislo,n\n${R},1\n`],
  ]) {
    test(name, () => becomes("csv", document, wanted));
  }

  test("a replacement that must be quoted", () =>
    becomes("csv", "a,mail\n1,jan.novak@example.cz\n", 'a,mail\n1,"<a, ""b"">"\n', {
      operators: { email: { mode: "replace", newValue: '<a, "b">' } },
    }));

  test("a quote that is never closed", () => refused("csv", 'a,b\n1,2\nc,"44051401359\ne\n', /^line 3 opens a quote/));
});

describe("JSON", () => {
  for (const [name, document, wanted] of [
    ["nothing found", '{ "a": [1, 2.50, true, null, "x"] }\n', '{ "a": [1, 2.50, true, null, "x"] }\n'],
    ["a value behind its key", '{"pesel": "44051401359", "n": 1.00}', `{"pesel": "${R}", "n": 1.00}`],
    ["a number becomes a string", '{"pesel": 44051401359}', `{"pesel": "${R}"}`],
    ["a key", '{"jan.novak@example.cz": {"visits": 3}}', `{"${R}": {"visits": 3}}`],
    ["escapes", '["mail \\"jan.novak\\u0040example.cz\\"\\n", "\\u010d"]', `["mail \\"${R}\\"\\n", "\\u010d"]`],
    ["lists and objects under a key", '{"phones": ["+420 601 123 456", {"note": "x"}], "end": "y"}', `{"phones": ["${R}", {"note": "x"}], "end": "y"}`],
    ["a bare value and a byte order mark", '\ufeff "jan.novak@example.cz" ', `\ufeff "${R}" `],
    ["an emoji before it", '["🙂", "🙂 jan.novak@example.cz"]', `["🙂", "🙂 ${R}"]`],
  ]) {
    test(name, () => becomes("json", document, wanted));
  }

  test("a long document", async () => {
    const rows = Array.from({ length: 3_000 }, (_, id) => ({ id, mail: `user${id}@example.com`, note: `row ${id} is fine` }));
    const out = JSON.parse(await streamed(cut(JSON.stringify(rows), 10_000), { format: "json" }));
    assert.deepEqual(out, rows.map((row) => ({ ...row, mail: R })));
  });

  test("a very long value", async () => {
    const text = `${"word ".repeat(30_000)}PESEL 44051401359 ${"word ".repeat(30_000)}`;
    assert.deepEqual(JSON.parse(await streamed(cut(JSON.stringify([text, "x"]), 65_536), { format: "json" })), [text.replace("44051401359", R), "x"]);
  });

  test("a long value is not cut within a finding", async () => {
    const iban = "DE89 3704 0044 0532 0130 00";
    const filler = "nobody knows ".repeat(3_845);
    for (const more of [0, 5, 10, 15, 20]) {
      const text = `${filler}${"x".repeat(more)} IBAN ${iban} ${filler}`;
      assert.deepEqual(JSON.parse(await streamed([JSON.stringify([text, "x"])], { format: "json" })), [text.replace(iban, R), "x"]);
    }
  });

  for (const [name, document, message] of [
    ["a string that is not closed", '["44051401359', /^line 1 is not valid JSON: a string/],
    ["a list that is not closed", '{"a": [1, 2]\n', /an object or a list/],
    ["a bracket too many", "[1]]", /a bracket/],
    ["plain text", "PESEL 44051401359", /^line 1 is not valid JSON: a value/],
    ["an unknown escape", '["\\x44051401359"]', /a string is not valid/],
  ]) {
    test(`refuses ${name}`, () => refused("json", document, message));
  }
});

test("NDJSON: each line by itself, and what is no JSON as text", () =>
  becomes(
    "ndjson",
    '{"level":30,"msg":"login of jan.novak@example.cz","pesel":44051401359}\r\n\nplain: jan.novak@example.cz\n{"broken": "jan.novak@example.cz\n"end"',
    `{"level":30,"msg":"login of ${R}","pesel":"${R}"}\r\n\nplain: ${R}\n{"broken": "${R}\n"end"`,
  ));

for (const [format, document, wanted] of [
  ["sql", "INSERT INTO t (mail) VALUES ('jan.novak@example.cz');\n", `INSERT INTO t (mail) VALUES ('${R}');\n`],
  ["yaml", "# jan.novak@example.cz\nmail: jan.novak@example.cz\nn: [1, jan.novak@example.cz]\n", `# ${R}\nmail: "${R}"\nn: [1, "${R}"]\n`],
  ["toml", 'mail = "jan.novak@example.cz" # x\nn = 1\n', `mail = "${R}" # x\nn = 1\n`],
  ["ini", "; x\nmail = jan.novak@example.cz\n", `; x\nmail = ${R}\n`],
  ["ipynb", '{"cells": [{"source": ["to jan.novak@example.cz\\n"]}]}', `{"cells": [{"source": ["to ${R}\\n"]}]}`],
  ["vcard", "BEGIN:VCARD\r\nEMAIL:jan.novak@example.cz\r\nEND:VCARD\r\n", `BEGIN:VCARD\r\nEMAIL:${R}\r\nEND:VCARD\r\n`],
  ["srt", "1\n00:00:01,000 --> 00:00:02,000\njan.novak@example.cz\n", `1\n00:00:01,000 --> 00:00:02,000\n${R}\n`],
]) {
  test(`${format}: only values change`, () => becomes(format, document, wanted));
}

test("workbooks come out as CSV", async () => {
  const xml = {
    "xl/workbook.xml": '<workbook><sheets><sheet name="a" id="1"/></sheets></workbook>',
    "xl/_rels/workbook.xml.rels": '<a><Relationship Id="1" Target="s.xml"/></a>',
    "xl/s.xml": '<row r="1"><c t="str"><v>mail</v></c><c t="str"><v>n</v></c></row><row r="2"><c t="str"><v>jan.novak@example.cz</v></c><c><v>1</v></c></row>',
  };
  const book = zipSync(Object.fromEntries(Object.entries(xml).map(([name, content]) => [name, new TextEncoder().encode(content)])));
  const { file, found } = await protectFile(new File([book], "people.xlsx"));
  assert.deepEqual([file.name, file.type, await file.text(), found], ["people.csv", "text/csv;charset=utf-8", `mail,n\n${R},1\n`, { email: 1 }]);
});

describe("HTML", () => {
  for (const [name, document, wanted] of [
    ["text", "<!doctype html><p class=a>mail jan.novak@example.cz</p>", `<!doctype html><p class=a>mail ${R}</p>`],
    ["text that tags part", "<p>PESEL <b>440514</b><i>01359</i>!</p>", `<p>PESEL <b>${R}</b><i>${R}</i>!</p>`],
    ["blocks are read apart", "<p>440514</p><p>01359</p>", "<p>440514</p><p>01359</p>"],
    ["a label in the cell before", "<tr><th>PESEL</th>\n<td>44051401359</td></tr>", `<tr><th>PESEL</th>\n<td>${R}</td></tr>`],
    ["references stay where nothing changes", "<p>&copy; Nov&aacute;k &amp; co: jan&#46;novak&commat;example.cz &eacute;</p>", `<p>&copy; Nov&aacute;k &amp; co: ${R} &eacute;</p>`],
    ["scripts", "<script>let pesel = '44051401359', a = '<b>';</script>x", `<script>let pesel = '${R}', a = '<b>';</script>x`],
    ["scripts without a finding", "<script>let a = '</b>' < 1 && b;</script>x", "<script>let a = '</b>' < 1 && b;</script>x"],
    ["styles", "<style>/* jan.novak@example.cz */ .a{}</style>x", `<style>/* ${R} */ .a{}</style>x`],
    ["event handlers", `<b onclick="call('jan.novak@example.cz')">x</b>`, `<b onclick="call('${R}')">x</b>`],
    ["a page in an attribute", `<iframe srcdoc="<p title='jan.novak@example.cz'>PESEL 440514<b>01359</b> &amp;amp; co"></iframe>`, `<iframe srcdoc="<p title='${R}'>PESEL ${R}<b>${R}</b> &amp;amp; co"></iframe>`],
    ["sets of addresses", '<img srcset="/jan.novak%40example.cz/a.png 1x, /b.png 2x">', `<img srcset="/${encodeURI(R)}/a.png 1x, /b.png 2x">`],
    ["names and ids", '<input name="jan.novak@example.cz" id=jan.novak@example.cz class="a jan.novak@example.cz">', `<input name="${R}" id=${R} class="a ${R}">`],
    ["a form that names its fields", '<form id="f1" name="login"><input name="user_id" type="text"></form>', '<form id="f1" name="login"><input name="user_id" type="text"></form>'],
    ["an address written like a tag", "Jan <jan.novak@example.cz> <b>x</b>", `Jan <${R}> <b>x</b>`],
    ["a name written like a tag", "<Emily Carter> wrote", `<${R}> wrote`],
    ["the name of an attribute", "<p jan.novak@example.cz>x", `<p ${R}>x`],
    ["an end tag and a declaration", '<p>x</p title="jan.novak@example.cz"><!doctype html "jan.novak@example.cz">', `<p>x</p title="${R}"><!doctype html "${R}">`],
    ["JSON in a script", '<script type="application/ld+json">{"email":"jan.novak@example.cz"}</script>', `<script type="application/ld+json">{"email":"${R}"}</script>`],
    ["titles and text areas", "<title>jan.novak@example.cz</title><textarea><b>jan.novak@example.cz</textarea>", `<title>${R}</title><textarea><b>${R}</textarea>`],
    ["comments", "<!-- ask jan.novak@example.cz > now --><p>x", `<!-- ask ${R} > now --><p>x`],
    ["attributes that people read", '<img alt="jan.novak@example.cz" src="a.png"><input name=pesel value=44051401359>', `<img alt="${R}" src="a.png"><input name=pesel value=${R}>`],
    ["links", '<a href="mailto:jan.novak@example.cz">write</a> <a href="https://example.com/a?x=1">read</a>', `<a href="mailto:${encodeURI(R)}">write</a> <a href="https://example.com/a?x=1">read</a>`],
    ["what a link carries", "<a href='https://example.com/stop?who=jan.novak%40example.cz'>stop</a>", `<a href='https://example.com/stop?who=${encodeURI(R)}'>stop</a>`],
    ["a quote in an address's host", `<a href='https://a"b.example/jan.novak@example.cz'>`, `<a href='https://a"b.example/${encodeURI(R)}'>`],
    ["a > in quotes, and a quote elsewhere", `<p title="a > b">it's <b don't>jan.novak@example.cz</b></p>`, `<p title="a > b">it's <b don't>${R}</b></p>`],
    ["a tag that is never closed", "a <b title='jan.novak@example.cz", `a <b title='${R}`],
    ["a < in text", "1 < 2 <3 jan.novak@example.cz <", `1 < 2 <3 ${R} <`],
  ]) {
    test(name, () => becomes("html", document, wanted));
  }

  test("a text longer than what is held", async () => {
    const text = `<pre>${"some words of a log line and more\n".repeat(5_000)}PESEL 44051401359\n</pre>`;
    for (const size of [text.length, 1_000, 32_768]) {
      assert.equal(await streamed(cut(text, size), { format: "html" }), text.replace("44051401359", R));
    }
  });
});

test("XML: elements label their texts, attributes are read apart", () =>
  becomes(
    "xml",
    '<?xml version="1.0"?>\n<people><pesel>44051401359</pesel><note mail="jan.novak@example.cz"><![CDATA[a <b> jan.novak@example.cz]]></note></people>\n',
    `<?xml version="1.0"?>\n<people><pesel>${R}</pesel><note mail="${R}"><![CDATA[a <b> ${R}]]></note></people>\n`,
  ));

describe("messages", () => {
  const message = [
    "From: Jan <jan.novak@example.cz>",
    "Subject: =?iso-8859-2?Q?=C8_PESEL_44051401359?=",
    "Content-Type: text/plain; charset=windows-1250",
    "Content-Transfer-Encoding: quoted-printable",
    "",
    "=C8au jan.novak=40example.cz",
    "",
  ].join("\r\n");

  test("come out in UTF-8", () =>
    becomes("eml", message, [
      `From: ${R} <${R}>`,
      `Subject: Č PESEL ${R}`,
      "Content-Type: text/plain; charset=utf-8",
      "Content-Transfer-Encoding: 8bit",
      "",
      `Čau ${R}`,
      "",
    ].join("\r\n")));

  test("with parts that cannot be read are rejected", async () => {
    for (const charset of ["shift_jis", "iso-2022-jp", "gb18030", "big5", "euc-kr", "x-own"]) {
      await refused("eml", message.replace("windows-1250", charset), /^the part on line 6, of type text\/plain, is in an unknown character set/);
      await refused("eml", message.replace("iso-8859-2", charset), /^the field on line 2 is in an unknown character set/);
    }
    for (const charset of ["iso-8859-1", "iso-8859-5", "iso-8859-8", "windows-1251", "windows-1256", "koi8-r", "macintosh", "tis-620", "iso-8859-15"]) {
      assert.match(await streamed([message.replaceAll(/windows-1250|iso-8859-2/g, charset).replaceAll("=C8", "=E8")], { format: "eml" }), /\[REDACTED\]/, charset);
    }
    await refused("eml", message.replace("text/plain", "image/png"), /^the part on line 6, of type image\/png, cannot be inspected/);
    assert.throws(() => protectStream({ format: "eml", encoding: "utf-8" }), { code: "invalid_request", field: "encoding" });
  });
});

test("Word documents: their text comes out", async () => {
  const xml = "<w:document><w:p><w:r><w:t>Dear Emily </w:t></w:r><w:r><w:t>Carter</w:t></w:r></w:p><w:p><w:t>PESEL 44051401359</w:t></w:p></w:document>";
  const word = zipSync({ "word/document.xml": new TextEncoder().encode(xml), "docProps/core.xml": new TextEncoder().encode("<creator>Jan</creator>") });
  const text = `Dear ${R}\nPESEL ${R}\n`;
  for (const size of [word.length, 7]) {
    const pieces = Array.from({ length: Math.ceil(word.length / size) }, (_, at) => word.subarray(at * size, (at + 1) * size));
    assert.equal(await streamed(pieces, { format: "docx" }), text);
  }
  const { file, found } = await protectFile(new File([word], "letter.docx"));
  assert.deepEqual([file.name, file.type, await file.text(), found], ["letter.txt", "text/plain;charset=utf-8", text, { name: 1, pesel: 1 }]);
  const form = new FormData();
  form.append("letter", new File([word], "letter.docx"));
  const sent = (await protectFormData(form)).get("letter");
  assert.deepEqual([sent.name, await sent.text()], ["letter.txt", text]);
  const type = "application/vnd.openxmlformats-officedocument.wordprocessingml.document";
  const send = protectFetch({ fetch: async (_, { headers, body }) => new Response(body, { headers }) });
  for (const body of [word, new Blob([word]), new Blob([word]).stream()]) {
    const answer = await send("https://example.com/", { method: "POST", headers: { "content-type": type }, body, duplex: "half" });
    assert.deepEqual([answer.headers.get("content-type"), await answer.text()], ["text/plain;charset=utf-8", text]);
  }
  await refused("docx", "PK", /^the file is not a Word document/);
});

/** Returns the most characters that had gone in and had not come out. */
async function held(format, pieces) {
  const stream = protectStream({ format });
  let [within, most] = [0, 0];
  const read = stream.readable.pipeTo(new WritableStream({ write: (text) => void (within -= text.length) }));
  const writer = stream.writable.getWriter();
  for (const piece of pieces) {
    within += piece.length;
    await writer.write(piece);
    // the output has been read by then
    await new Promise(setImmediate);
    most = Math.max(most, within);
  }
  await writer.close();
  await read;
  assert.equal(within, 0);
  return most;
}

describe("what waits stays small", () => {
  const words = "some words of a page <br>".repeat(2_000);
  const tags = "<b class=a></b>".repeat(4_000);
  for (const [name, format, first, more] of [
    ["behind a comment", "html", "<p><!-- a comment -->", words],
    ["behind a text", "html", "<p>a text", tags],
    ["behind a key", "json", '{"2026": "x", "list": [""', `,${JSON.stringify("a value of a list")}`.repeat(3_000)],
    ["behind a value", "json", '{"a": "x", "list": [0', ",true".repeat(10_000)],
  ]) {
    test(name, async () => {
      const end = format === "json" ? "]}" : "";
      const most = await held(format, [first, ...Array(80).fill(more), end]);
      assert.ok(most < 1.5 * 2 ** 20, `${most} of ${80 * more.length}`);
    });
  }
});

describe("a stream", () => {
  test("refuses unknown formats and encodings", () => {
    assert.throws(() => protectStream({ format: "pdf" }), { code: "invalid_request", field: "format" });
    assert.throws(() => protectStream({ encoding: "utf-9" }), { code: "invalid_request", field: "encoding" });
    assert.throws(() => protectStream({ format: "csv", mode: "shred" }), { code: "invalid_request", field: "mode" });
    assert.throws(() => protectStream("csv"), { code: "invalid_request", field: "options" });
  });

  test("fails with what a callback throws", async () => {
    for (const thrown of ["a string", new RangeError("x")]) {
      const replace = () => {
        throw thrown;
      };
      const failing = streamed(["mail\njan.novak@example.cz\n"], { format: "csv", replace });
      await assert.rejects(failing, (error) => error === thrown);
    }
  });

  test("reads another encoding", async () => {
    // "č: " in windows-1250
    const bytes = new Uint8Array([0xe8, 0x3a, 0x20, ...Buffer.from("jan.novak@example.cz")]);
    assert.equal(await streamed([bytes.subarray(0, 4), bytes.subarray(4)], { encoding: "windows-1250" }), `č: ${R}`);
  });

  test("tokenises cells that are restored elsewhere", async () => {
    const out = await streamed(["mail,n\n", "jan.novak@example.cz,1\n"], { format: "csv", mode: "tokenize", key: KEY });
    assert.match(out, /^mail,n\ntok_xx_email_\w+,1\n$/);
    assert.equal(restore(out, { key: KEY }).text, "mail,n\njan.novak@example.cz,1\n");
  });
});

describe("protectTransform", () => {
  const lines = '{"pesel":44051401359}\nčau jan.novak@example.cz\n';

  test("takes buffers and strings, cut anywhere", async () => {
    const bytes = Buffer.from(lines);
    for (const pieces of [[lines], cut(lines, 3), Array.from(bytes, (byte) => Buffer.from([byte]))]) {
      const out = [];
      await pipeline(Readable.from(pieces), protectTransform({ format: "ndjson" }), async (parts) => {
        for await (const part of parts) out.push(part);
      });
      assert.equal(out.join(""), `{"pesel":"${R}"}\nčau ${R}\n`);
    }
  });

  test("fails as a stream does", async () => {
    const failing = pipeline(Readable.from(["{"]), protectTransform({ format: "json" }), (parts) => join(parts));
    await assert.rejects(failing, { code: "invalid_request", field: "format" });
    assert.throws(() => protectTransform({ mode: "shred" }), { field: "mode" });
  });
});
