// The npm package as a surface of the corpus: a request a line in, an answer a line out.
//
//   node surface.mjs PACKAGE_FOLDER KEY_IN_HEX KEY_VERSION
//
// in:  {"verb": "detect", "request": {…}}
// out: {"answer": {…}}, {"refusal": {"code", "field"}} or {"failure": "…"}

import { createRequire } from "node:module";
import { resolve } from "node:path";
import { createInterface } from "node:readline";

const [folder, key, keyVersion] = process.argv.slice(2);
// a package may require itself by its name: what its `exports` say is what a user gets
const require = createRequire(resolve(folder, "package.json"));
const textveil = require("textveil");
const protector = textveil.createProtector({ key, keyVersion: Number(keyVersion) });

const verbs = {
  detect: ({ text, ...options }) => textveil.detect(text, options),
  detect_batch: ({ texts, ...options }) => textveil.detectBatch(texts, options),
  protect: ({ text, ...options }) => protector.protect(text, options),
  validate: (request) => textveil.validate(request),
  restore: ({ text }) => protector.restore(text),
  detectors: ({ country }) => textveil.detectors(country),
};

function reply({ verb, request }) {
  try {
    return { answer: verbs[verb](request) };
  } catch (error) {
    if (!(error instanceof textveil.TextveilError)) return { failure: String(error?.stack ?? error) };
    return { refusal: { code: error.code, field: error.field ?? null } };
  }
}

for await (const line of createInterface({ input: process.stdin })) {
  process.stdout.write(`${JSON.stringify(reply(JSON.parse(line)))}\n`);
}
