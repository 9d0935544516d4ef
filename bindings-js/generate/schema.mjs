// The JSON Schemas of the OpenAPI document as TypeScript: json-schema-to-typescript prints what is chosen here.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { compile } from "json-schema-to-typescript";

/** The folder of the repository. */
export const ROOT = join(import.meta.dirname, "../..");
const REF = "#/components/schemas/";

/** The text of a file of the repository. */
export const source = (path) => readFileSync(join(ROOT, path), "utf8");

/** The first lines of a generated file. */
export const HEAD = "// Written by `generate/`, from the OpenAPI document and the catalogue. Do not edit.\n";

const DOCUMENT = JSON.parse(source("spin-app/service/openapi.json"));
const SCHEMAS = DOCUMENT.components.schemas;

/** The operations by path and method. */
export const OPERATIONS = DOCUMENT.paths;

/** The schema of this name, to be changed. */
export function schema(name) {
  if (SCHEMAS[name] === undefined) throw new Error(`the OpenAPI document has no schema ${name}`);
  return structuredClone(SCHEMAS[name]);
}

/** The names of every property in a schema. */
export function properties(schema) {
  const own = Object.keys(schema.properties ?? {});
  return [...own, ...nested(schema).flatMap(properties)];
}

/** A schema without null. */
export function withoutNull({ type, anyOf, ...rest }) {
  const types = [type].flat().filter((one) => one !== undefined && one !== "null");
  const kept = anyOf?.filter((one) => one.type !== "null");
  return { ...rest, ...(types.length > 0 ? { type: types } : {}), ...(kept === undefined ? {} : { anyOf: kept }) };
}

/** The schemas that a schema names. */
export function references(schema) {
  const own = schema.$ref === undefined ? [] : [schema.$ref.slice(REF.length)];
  return [...own, ...nested(schema).flatMap(references)];
}

function nested({ properties = {}, additionalProperties, items, oneOf = [], anyOf = [] }) {
  const some = [additionalProperties, items].filter((one) => typeof one === "object");
  return [...Object.values(properties), ...some, ...oneOf, ...anyOf];
}

/** The values of a schema that lists them, with their descriptions. */
export function values({ enum: list, oneOf }) {
  return list !== undefined ? list.map((value) => ({ value })) : oneOf.map(({ const: value, description }) => ({ value, description }));
}

/**
 * A schema as it is printed.
 *
 * @param how.name what a property is called
 * @param how.type what the type of this name is called
 * @param how.describe what a description says
 * @param how.hasNulls whether a field that may be absent may be null, too
 */
export function printed(schema, how, isOptional = false) {
  const { $ref, type, properties, required = [], additionalProperties, items, oneOf, anyOf, enum: list, const: value } = schema;
  const isKept = (one) => how.hasNulls || !isOptional || (one !== "null" && one !== null && one.type !== "null");
  const out = {};
  const description = how.describe(described(schema));
  if (description) out.description = description;
  if (schema.tsType !== undefined) return { ...out, tsType: schema.tsType };
  // with a reference and a description, json-schema-to-typescript prints the type twice
  if ($ref !== undefined) return { ...out, tsType: how.type($ref.slice(REF.length)) };
  if (value !== undefined) return { ...out, enum: [value] };
  if (list !== undefined) return { ...out, enum: list.filter(isKept) };
  const alternatives = oneOf ?? anyOf;
  if (alternatives !== undefined) {
    if (alternatives.every((one) => one.const !== undefined)) return { ...out, enum: alternatives.map((one) => one.const) };
    const kept = alternatives.filter(isKept).map(firstDescribed).map((one) => withFields(one, properties, required));
    if (kept.length === 1) return { ...printed(kept[0], how), ...out };
    return { ...out, anyOf: kept.map((one) => printed(one, how)) };
  }
  const types = [type].flat().filter(isKept);
  out.type = types.length === 1 ? types[0] : types;
  if (types.includes("array")) out.items = printed(items ?? {}, how);
  if (!types.includes("object")) return out;
  if (properties === undefined) {
    if (additionalProperties?.$ref === undefined || types.length > 1) return { ...out, additionalProperties: typeof additionalProperties === "object" ? printed(additionalProperties, how) : true };
    return { ...out, tsType: `Record<string, ${how.type(additionalProperties.$ref.slice(REF.length))}>` };
  }
  const print = ([name, one]) => [how.name(name), printed(one, how, !required.includes(name))];
  out.properties = Object.fromEntries(Object.entries(properties).map(print));
  return { ...out, required: required.map(how.name), additionalProperties: false };
}

/** An alternative with the fields that all of them have. */
function withFields(one, properties, required) {
  if (properties === undefined) return one;
  return { ...one, properties: { ...properties, ...one.properties }, required: [...required, ...(one.required ?? [])] };
}

/** The description, and those of the values. */
function described({ description = "", oneOf }) {
  const lines = (oneOf ?? []).filter((one) => one.const !== undefined && one.description !== undefined);
  return [description, ...lines.map((one) => `- \`${one.const}\`: ${one.description}`)].join("\n");
}

/** An object with its description at its first property: json-schema-to-typescript does not print that of an alternative. */
function firstDescribed(one) {
  const [[name, first] = [], ...rest] = Object.entries(one.properties ?? {});
  if (first === undefined || first.description !== undefined) return one;
  return { ...one, properties: { [name]: { ...first, description: one.description }, ...Object.fromEntries(rest) } };
}

/** Declarations by name as TypeScript. */
export async function declarations(byName, isRequest) {
  const definitions = Object.fromEntries(Object.entries(byName).map(([name, one]) => [name, { ...one, title: name }]));
  const options = { bannerComment: "", unreachableDefinitions: true, additionalProperties: false, style: { printWidth: 140 } };
  const text = await compile({ title: "Root", type: "object", definitions }, "Root", options);
  const found = new Map();
  for (const block of text.split(/^(?=\/\*\*$|export )/m)) {
    const name = /^export (?:interface|type) (\w+)/m.exec(block)?.[1];
    const comment = block.startsWith("/**") ? block : "";
    if (name !== undefined) found.set(name, (found.get("") ?? "") + block.trim());
    found.set("", name === undefined ? comment : "");
  }
  const all = Object.keys(byName).map((name) => found.get(name) ?? missing(name));
  return all.map((block) => `${tidy(block, isRequest)}\n`).join("\n");
}

function missing(name) {
  throw new Error(`json-schema-to-typescript did not print ${name}`);
}

/** Short comments on one line; an option may be `undefined` also where a compiler tells that from an absent one. */
function tidy(block, isRequest) {
  const own = block.replaceAll(/\n \*(?: |)\n \* This interface was referenced by [^]*?(?=\n \*\/)/g, "");
  const short = own.replaceAll(/^( *)\/\*\*\n *\* ([^\n]*)\n *\*\//gm, "$1/** $2 */");
  if (!isRequest) return short;
  if (/\?:$/m.test(short)) throw new Error(`an option has a type of several lines, which is not handled:\n${short}`);
  return short.replaceAll(/^( *\w+\?: [^;{]+);$/gm, "$1 | undefined;");
}
