// The npm package as a surface of the corpus: a request a line in, an answer a line out.
//
//   node javascript.mjs PACKAGE_FOLDER KEY_IN_HEX KEY_VERSION
//
// in:  {"verb": "detect", "request": {…}}
// out: {"answer": {…}}, {"refusal": {"code", "field"}} or {"failure": "…"}
//
// The corpus has the names of the HTTP API. The package has the same in camelCase.

import { createRequire } from "node:module";
import { resolve } from "node:path";
import { createInterface } from "node:readline";

const [folder, key, keyVersion] = process.argv.slice(2);
// a package may require itself by its name: what its `exports` say is what a user gets
const require = createRequire(resolve(folder, "package.json"));
const textveil = require("textveil");
const protector = textveil.createProtector({ key, keyVersion: Number(keyVersion) });

const verbs = {
  // the package does not repeat what it was given
  detect: ({ text, ...options }) => ({ text, ...textveil.detect(text, options) }),
  detect_batch({ texts, ...options }) {
    const { results, ...all } = textveil.detectBatch(texts, options);
    return { results: results.map((result, at) => ({ text: texts[at], ...result })), ...all };
  },
  protect: ({ text, ...options }) => ({ originalText: text, ...protector.protect(text, options) }),
  validate: (request) => ({ value: request.value, ...textveil.validate(request) }),
  restore: ({ text }) => {
    // the other surfaces restore wherever a token is, and withhold nothing; nor may the package in these texts
    const { withheld, ...answer } = protector.restore(text);
    return withheld === 0 ? answer : { ...answer, withheld };
  },
  detectors: ({ country }) => textveil.detectors(country),
  // a file has a name instead of a format
  async protect_document({ documentBase64, name, ...options }) {
    const { file } = await protector.file(new File([Buffer.from(documentBase64, "base64")], name), options);
    return { protectedDocument: await file.text() };
  },
};

const camel = (name) => name.replaceAll(/_(\w)/g, (_, letter) => letter.toUpperCase());
const snake = (name) => name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

/** The answer as the API has it: facts that are absent are null there, and an empty object here. */
const withNull = (_, value) => (value?.metadata !== undefined && Object.keys(value.metadata).length === 0 ? { ...value, metadata: null } : value);

/** The value with other names of properties, except for those that are types or lengths. */
function renamed(value, name, isKeyedByCaller = false) {
  if (Array.isArray(value)) return value.map((item) => renamed(item, name));
  if (typeof value !== "object" || value === null) return value;
  const rename = ([own, item]) => [isKeyedByCaller ? own : name(own), renamed(item, name, /^(?:operators|lengths)$/.test(own))];
  return Object.fromEntries(Object.entries(value).map(rename));
}

async function reply({ verb, request }) {
  try {
    return { answer: renamed(JSON.parse(JSON.stringify(await verbs[verb](renamed(request, camel)), withNull)), snake) };
  } catch (error) {
    if (!(error instanceof textveil.TextveilError)) return { failure: String(error?.stack ?? error) };
    return { refusal: { code: error.code, field: snake(error.field ?? "") || null } };
  }
}

for await (const line of createInterface({ input: process.stdin })) {
  process.stdout.write(`${JSON.stringify(await reply(JSON.parse(line)))}\n`);
}
