// The package and the native program have the same readers of documents: what is around them must not differ.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { text as joined } from "node:stream/consumers";
import { test } from "node:test";
import { PROGRAM, project, ROOT } from "./project.mjs";

const { protectStream } = await project().import();
const env = { ...process.env, TEXTVEIL_COMPONENT: join(ROOT, "dist/textveil-engine.wasm") };

const line = (id) => `{"id":${id},"mail":"user${id}@example.com","tel":"+420 601 123 ${String(id % 900).padStart(3, "0")}","pesel":44051401359}`;
const lines = Array.from({ length: 300 }, (_, id) => line(id));

for (const [name, format, document] of [
  ["a table", "csv", `\ufeffid;"note";PESEL\r\n1;"mail ""jan.novak@example.cz""";44051401359\r\n2;"two\r\nlines, RČ 800101/1238";x\r\n`],
  ["tabs without a header", "csv", "jan.novak@example.cz\t1\nanna@example.com\t2\n"],
  ["a long table", "csv", `id,iban\n${Array.from({ length: 500 }, (_, id) => `${id},DE89 3704 0044 0532 0130 00`).join("\n")}`],
  ["a document", "json", `{ "people": [${lines.slice(0, 40).join(",\n  ")}], "jan.novak@example.cz": {"n": 1.50, "note": "\\u010d \\"44051401359\\""} }\n`],
  ["a document a line", "ndjson", `${lines.join("\n")}\n\n[]\n"anna@example.com"\n`],
  ["a page", "html", `<!doctype html><title>PESEL 44051401359</title><p class="a" title='jan.novak@example.cz'>PESEL 440514<b>01359</b> &amp; <a href="mailto:jan.novak%40example.cz">x</a>\n<script>let pesel = "44051401359", a = "</b>";</script><script type="application/json">{"mail": ["a@example.com", 1.50]}</script><!-- a@example.com --><jan@example.cz>\n<iframe srcdoc="<b>a@example.com</b>"></iframe>${"<tr><th>PESEL</th><td>44051401359</td></tr>\n".repeat(200)}`],
  ["XML", "xml", `<people>${'<person id="jan.novak@example.cz"><pesel>44051401359</pesel></person>\n'.repeat(300)}</people>`],
  ["a message", "eml", `From: jan.novak@example.cz\nContent-Type: multipart/mixed; boundary=b\n\n--b\nContent-Type: text/html\n\n<p>PESEL 44051401359</p>\n--b--\n`],
  ["a long value", "json", JSON.stringify([`${"nobody knows ".repeat(8_000)}IBAN DE89 3704 0044 0532 0130 00 ${"nobody knows ".repeat(8_000)}`])],
  ["names", "csv", "name,address\nEmily Carter,\"221B Baker Street, London NW1 6XE\"\nJan Novák,\"Lípová 123/4, 602 00 Brno\"\n"],
  ["a dump", "sql", "CREATE TABLE p (id int, name text);\nINSERT INTO p VALUES (1, 'Siobhán O''Brien'), (2, 'Emily Carter');\nCOPY p FROM stdin CSV;\n3,\"Carter, Emily\"\n\\.\n"],
  ["YAML", "yaml", "# ask Emily Carter\npeople:\n- {name: Emily Carter, tel: '+420 601 123 456'}\n- name: |-\n    Jan Novák\n  mail: jan.novak@example.cz\n"],
  ["TOML", "toml", '# ask Emily Carter\n[owner]\nname = "Emily Carter"\npesel = 44051401359\nmails = [\'jan.novak@example.cz\']\n'],
  ["settings", "ini", "; ask Emily Carter\nDB_PASSWORD=\"Tr0ub4dor\"\nmail = jan.novak@example.cz\n"],
  ["a notebook", "ipynb", '{"cells": [{"source": ["# by Emily Carter\\n", "mail = \'jan.novak@example.cz\'"]}]}\n'],
  ["contacts", "vcard", "BEGIN:VCARD\r\nFN:Emily Carter\r\nADR:;;12 High St\\, Flat 3;Leeds;;LS1 1AA;UK\r\nEMAIL:jan.novak@example.cz\r\nEND:VCARD\r\n"],
  ["subtitles", "srt", "1\n00:00:01,000 --> 00:00:02,000\nMy name is Emily\nCarter.\n"],
  ["plain text", "text", `${lines.join("\n")}\nKind regards,\nEmily Carter\nPESEL:\n44051401359\nIBAN DE89 3704 0044\n0532 0130 00\n`],
]) {
  test(`${name} comes out as from the program`, async () => {
    assert.ok(existsSync(PROGRAM), `${PROGRAM} is absent; run \`cargo xtask build\` first`);
    const native = execFileSync(PROGRAM, ["protect", "--format", format], { env, input: document, encoding: "utf8" });
    assert.ok(native.includes("[REDACTED]"));
    const stream = ReadableStream.from([document]).pipeThrough(protectStream({ format }));
    assert.equal(await joined(stream), native);
  });
}
