// Writes `js/types.ts`, what the verbs of the package take and give, and `js/wire-names.ts`, the names of its options.

import { aliases, COMMON, facts, types } from "./catalogue.mjs";
import { declarations, HEAD, printed, properties, references, schema } from "./schema.mjs";

/** The letter after each underscore as a capital: the one rule by which names here differ from those of the service. */
export const camel = (name) => name.replaceAll(/_(\w)/g, (_, letter) => letter.toUpperCase());

/** The options, by their names in the package, and what they are in the OpenAPI document. */
const REQUESTS = {
  DetectOptions: () => without(schema("DetectRequest"), ["text"], "Options of detection; protection takes them too."),
  EngineProtectOptions() {
    const own = without(schema("ProtectRequest"), Object.keys(schema("DetectRequest").properties));
    return { ...own, description: "Options of protection, in addition to those of detection." };
  },
  ValidateRequest: () => schema("ValidateRequest"),
  AllowRule: () => schema("AllowRule"),
  DenyRule: () => schema("DenyRule"),
  Hint: () => schema("Hint"),
  Cell: () => ({ ...schema("Span"), description: "A value of a text that joins several: a half-open range, in the requested unit." }),
  CustomDetector: () => schema("CustomDetectorInput"),
  Part: () => schema("PartInput"),
  Check: () => schema("CheckInput"),
  Operator: () => schema("Operator"),
  Policy: () => schema("Policy"),
  Condition: () => schema("Condition"),
  Preset: () => schema("Preset"),
  OffsetUnit: () => schema("OffsetUnit"),
  EngineMode: () => schema("Mode"),
  Action: () => schema("Action"),
  Category: () => schema("Category"),
  Product: () => schema("Product"),
};

/** The answers. A caller has the text already, and an answer without it may be logged sooner. */
const RESPONSES = {
  DetectResponse: () => without(schema("DetectResponse"), ["text"]),
  DetectBatchResponse: () => schema("DetectBatchResponse"),
  ProtectResponse: () => without(schema("ProtectResponse"), ["original_text"]),
  RestoreResponse: () => schema("RestoreResponse"),
  ValidateResponse: () => without(schema("ValidateResponse"), ["value"]),
  DetectorsResponse: () => schema("DetectorsResponse"),
  DetectedEntityOf: () => schema("DetectedEntity"),
  ProtectedEntityOf: () => without(schema("ProtectedEntity"), Object.keys(schema("DetectedEntity").properties)),
  CountryDetection: () => schema("CountryDetection"),
  DetectorInfo: () => schema("DetectorInfo"),
  Evidence: () => schema("Evidence"),
};

/** The names of these schemas in the package. */
const RENAMED = {
  CustomDetectorInput: "CustomDetector<Custom>",
  DenyRule: "DenyRule<Custom>",
  Hint: "Hint<Custom>",
  Span: "Cell",
  PartInput: "Part",
  CheckInput: "Check",
  Mode: "EngineMode",
  DetectedEntity: "DetectedEntity<Custom>",
  ProtectedEntity: "ProtectedEntity<Custom>",
  DetectResponse: "DetectResponse<Custom>",
};

/** Parameters of types, and what they extend. */
const HEADS = {
  DetectOptions: "DetectOptions<Custom extends string = never>",
  EngineProtectOptions: "EngineProtectOptions<Custom extends string = never> extends DetectOptions<Custom>",
  CustomDetector: "CustomDetector<Custom extends string = never>",
  DenyRule: "DenyRule<Custom extends string = never>",
  Hint: "Hint<Custom extends string = never>",
  DetectResponse: "DetectResponse<Custom extends string = never>",
  DetectBatchResponse: "DetectBatchResponse<Custom extends string = never>",
  ProtectResponse: "ProtectResponse<Custom extends string = never>",
  DetectedEntityOf: "DetectedEntityOf<Type extends string, Facts extends Metadata = Metadata>",
  ProtectedEntityOf: "ProtectedEntityOf<Type extends string, Facts extends Metadata = Metadata> extends DetectedEntityOf<Type, Facts>",
};

/** Phrases of descriptions that hold for the service only, each with the one that holds for the package. */
const WORDED = {
  "code points when absent (UTF-16 in JavaScript)": "UTF-16 code units when absent",
  "An unknown code is ignored.": "Anything else is an error.",
  "offsets are in `original_text`": "offsets are those of the text",
  "Detector-specific; null without facts.": "Facts of its type; an empty object without facts.",
};

/** Types of properties that the service has as any string, or with facts of any name. */
const TYPED = {
  DetectOptions: { entities: "AnyEntityType[]", exclude_entities: "AnyEntityType[]" },
  CustomDetector: { name: "Custom" },
  DenyRule: { type: "EntityType | Custom" },
  Hint: { type: "AnyEntityType | Custom" },
  Condition: { entity_types: "AnyEntityType[]", exclude_entity_types: "AnyEntityType[]" },
  ValidateRequest: { entity_type: "AnyEntityType" },
  ValidateResponse: { entity_type: "EntityType", metadata: "Metadata" },
  DetectorInfo: { entity_type: "EntityType" },
  DetectedEntityOf: { type: "Type", metadata: "Facts" },
};

/** Examples of types: a test runs each. */
const EXAMPLES = {
  DetectOptions: `detect("PESEL 44051401359", { country: "PL", entities: ["pesel"], minConfidence: 0.9 }).entities.length; // 1`,
  AllowRule: `const allowList = [{ domain: "example.com" }, { value: "anna@test.org" }];
find("a@example.com, anna@test.org, b@test.org", { allowList }).map(({ original }) => original); // ["b@test.org"]`,
  DenyRule: `const denyList = [{ value: "Nightfall", type: "codename" }];
find("the budget of Nightfall", { denyList })[0].type; // "codename"`,
  Hint: `const hints = [{ type: "PERSON", start: 4, end: 12, confidence: 0.9 }]; // what your model says
find("ask zq kvorn", { hints })[0].type; // "name"`,
  Cell: `const text = "street: 12 High St\\nzip: LS1 1AA";
const cells = [{ start: 8, end: 18 }, { start: 24, end: 31 }]; // its values
protect(text, { cells }).protectedText; // "street: [REDACTED]\\nzip: [REDACTED]"`,
  CustomDetector: `const customDetectors = [{ name: "ticket", pattern: "T-[0-9]{4}", context: ["ticket"] }];
find("ticket T-1234", { customDetectors })[0].type; // "ticket"`,
  Part: `const parts = [{ at: 2, len: 2, min: 1, max: 12 }];
find("bins 1312 and 1313", { customDetectors: [{ name: "bin", shapes: ["d4"], parts }] }).map(({ original }) => original); // ["1312"]`,
  Check: `const found = find("member 1234-5674, member 1234-5678", {
  customDetectors: [{ name: "member", shapes: ["d4-d4"], check: { rule: "luhn" } }],
});
found.map(({ original }) => original); // ["1234-5674"]`,
  Operator: `const { protectedText } = protect("card 4111 1111 1111 1111", {
  operators: { credit_card: { mode: "mask", keepLast: 4 } },
});
protectedText; // "card ***************1111"`,
  Policy: `const { protectedText } = protect("PESEL 44051401359, a@example.com", {
  mode: "policy",
  policies: [{ name: "mail stays", action: "ALLOW", conditions: [{ entityTypes: ["email"] }] }],
  defaultAction: "REDACT",
});
protectedText; // "PESEL [REDACTED], a@example.com"`,
  Metadata: `const [{ metadata }] = find("PESEL 44051401359");
[metadata.birthDate, metadata.gender, metadata.checksumValid]; // ["1944-05-14", "male", true]`,
  DetectedEntity: `const born = find("PESEL 44051401359").map((entity) => (entity.type === "pesel" ? entity.metadata.birthDate : undefined));
born; // ["1944-05-14"]`,
  EngineProtectOptions: `protect("Emily Carter, a@example.com", { mode: "mask", operators: { email: { newValue: "-" } } }).protectedText; // "************, -"`,
  ValidateRequest: `validate({ value: "44051401359", entityType: "pesel", country: "PL" }).valid; // true`,
  Condition: `const { protectedText } = protect("a@example.com", {
  mode: "policy",
  policies: [{ name: "sure mail stays", action: "ALLOW", conditions: [{ entityTypes: ["email"], confidenceMin: 0.5 }] }],
  defaultAction: "REDACT",
});
protectedText; // "a@example.com"`,
  Preset: `find("Dear Emily Carter", { privacyPreset: "conservative" })[0].type; // "name"`,
  OffsetUnit: `find("🙂 a@example.com", { offsetUnit: "byte" })[0].start; // 5
find("🙂 a@example.com")[0].start; // 3`,
  EngineMode: `protect("Dear Emily Carter", { mode: "mask" }).protectedText; // "Dear ************"`,
  Action: `protect("Dear Emily Carter", { mode: "policy", policies: [], defaultAction: "MASK" }).protectedText; // "Dear ************"`,
  Category: `detectors().detectors.find(({ entityType }) => entityType === "email")?.category; // "contact"`,
  Product: `const found = find("member 1234-5674, member 1234-5678", {
  customDetectors: [
    {
      name: "member",
      shapes: ["d4-d4"],
      check: { rule: "weighted", weights: [2, 1], cyclic: true, modulus: 10, product: "digit_sum" }, // as Luhn
    },
  ],
});
found.length; // 1`,
  DetectResponse: `const { entities, privacyPreset } = detect("PESEL 44051401359");
[entities.length, privacyPreset]; // [1, "balanced"]`,
  DetectBatchResponse: `detectBatch(["PESEL 44051401359", "nothing"]).results.map(({ entities }) => entities.length); // [1, 0]`,
  ProtectResponse: `const { protectedText, entities } = protect("Dear Emily Carter");
[protectedText, entities[0].protected]; // ["Dear [REDACTED]", "[REDACTED]"]`,
  RestoreResponse: `const { text, restored, unknown } = restore(protect("Dear Emily Carter", { mode: "tokenize" }).protectedText);
[text, restored, unknown]; // ["Dear Emily Carter", 1, 0]`,
  ValidateResponse: `const { valid, metadata } = validate("44051401359", "pesel");
[valid, metadata.birthDate]; // [true, "1944-05-14"]`,
  DetectorsResponse: `detectors().detectors.length > 500; // true`,
  DetectedEntityOf: `const [{ type, start, end, confidence }] = find("PESEL 44051401359");
[type, start, end, confidence > 0.9]; // ["pesel", 6, 17, true]`,
  ProtectedEntityOf: `protect("PESEL 44051401359").entities[0].protected; // "[REDACTED]"`,
  CountryDetection: `const [{ code, confidence }] = detect("PESEL 44051401359").countriesDetected;
[code, confidence > 0.5]; // ["PL", true]`,
  DetectorInfo: `const pesel = detectors().detectors.find(({ entityType }) => entityType === "pesel");
[pesel?.region, pesel?.category]; // ["PL", "identity"]`,
  Evidence: `const [{ evidence = [] }] = find("PESEL 44051401359", { explain: true });
evidence.length > 0; // true`,
  EntityType: `const wanted = ["pesel", "email"]; // EntityType[]
find("PESEL 44051401359, a@example.com", { entities: wanted }).length; // 2`,
  EntityAlias: `const others = ["PERSON", "EMAIL_ADDRESS"]; // EntityAlias[]
find("Emily Carter, a@example.com", { entities: others }).map(({ type }) => type); // ["name", "email"]`,
  AnyEntityType: `find("My name is Emily Carter", { entities: ["PERSON"] })[0].type; // "name"`,
  CommonFact: `find("IBAN DE89 3704 0044 0532 0130 00")[0].metadata.normalized; // "DE89370400440532013000"`,
  MetadataOf: `const [{ type, metadata }] = find("PESEL 44051401359");
type === "pesel" && metadata.birthDate; // "1944-05-14"`,
  ProtectedEntity: `const [entity] = protect("PESEL 44051401359").entities;
[entity.type, entity.protected]; // ["pesel", "[REDACTED]"]`,
};

/** Properties whose own properties the caller names. */
const KEYED_BY_CALLER = ["operators", "lengths"];

function without({ properties, required = [], ...rest }, names, description = rest.description) {
  const kept = Object.fromEntries(Object.entries(properties).filter(([name]) => !names.includes(name)));
  return { ...rest, description, properties: kept, required: required.filter((name) => !names.includes(name)) };
}

function typed(name, schema) {
  for (const [property, tsType] of Object.entries(TYPED[name] ?? {})) {
    if (schema.properties[property] === undefined) throw new Error(`${name} has no property ${property}`);
    schema.properties[property] = { description: schema.properties[property].description, tsType };
  }
  return schema;
}

/** The example of a type as the end of its comment. */
const example = (name) => ["", "@example", ...EXAMPLES[name].split("\n")].map((line) => ` * ${line}`.trimEnd()).join("\n");

function exemplified(name, schema) {
  const example = EXAMPLES[name];
  return example === undefined ? schema : { ...schema, description: `${schema.description}\n\n@example\n${example}` };
}

/** js/types.ts */
export async function packageTypes() {
  const known = types();
  const requests = Object.fromEntries(Object.entries(REQUESTS).map(([name, make]) => [name, typed(name, make())]));
  const responses = Object.fromEntries(Object.entries(RESPONSES).map(([name, make]) => [name, typed(name, make())]));
  const renamed = new Set([...Object.values({ ...requests, ...responses }).flatMap(properties), ...facts().map(({ name }) => name)]);
  // a value is called as the service calls it
  const worded = (text) => Object.entries(WORDED).reduce((out, [there, here]) => out.replace(there, here), text);
  const describe = (text) => worded(text).replaceAll(/`(\w+)`/g, (quoted, name) => (renamed.has(name) && !known.has(name) ? `\`${camel(name)}\`` : quoted));
  const how = { name: camel, type: (name) => RENAMED[name] ?? name, describe, hasNulls: false };
  const print = async (schemas, isRequest) => {
    const all = Object.fromEntries(Object.entries(schemas).map(([name, one]) => [name, exemplified(name, printed(one, how))]));
    let text = await declarations(all, isRequest);
    for (const [name, head] of Object.entries(HEADS)) text = text.replace(new RegExp(`^(export interface) ${name} `, "m"), `$1 ${head} `);
    return text;
  };
  const written = [await print(requests, true), await print(responses, false)];
  check({ ...requests, ...responses });
  return [HEAD, entityTypes(known), ...written, metadata(known)].join("\n");
}

/** Every type that is named has to be there. */
function check(schemas) {
  const declared = new Set([...Object.keys(schemas), "DetectedEntity", "ProtectedEntity", "Metadata"]);
  for (const name of Object.values(schemas).flatMap(references)) {
    const here = (RENAMED[name] ?? name).replace(/<.*/, "");
    if (!declared.has(here)) throw new Error(`${here} is named and not declared`);
  }
}

function union(names, indent) {
  return names.map((name) => `\n${indent}| ${JSON.stringify(name)}`).join("");
}

function entityTypes(known) {
  return `/**
 * A type of the catalogue.
${example("EntityType")}
 */
export type EntityType =${union([...known.keys()], "  ")};

/**
 * A type where aliases of other tools and the caller's own types are understood, too.
${example("AnyEntityType")}
 */
export type AnyEntityType = EntityType | EntityAlias | (string & {});

/**
 * The name of a type in another tool.
${example("EntityAlias")}
 */
export type EntityAlias = Alias | Uppercase<Alias>;

type Alias =${union(aliases(), "  ")};
`;
}

function metadata(known) {
  const all = facts();
  const kinds = new Map();
  for (const [type, own] of known) {
    const names = own.filter((fact) => !COMMON.includes(fact)).map(camel);
    for (const name of names) if (!all.some((fact) => camel(fact.name) === name)) throw new Error(`docs/reference/metadata.md lacks ${name}`);
    const key = names.join();
    kinds.set(key, { names, types: [...(kinds.get(key)?.types ?? []), type] });
  }
  const rows = [...kinds.values()].map(({ names, types }) => `  | Kind<${names.map((name) => JSON.stringify(name)).join(" | ") || "never"},${union(types, "      ")}>`);
  const members = all.map(({ name, meaning, type }) => `  /** ${meaning[0].toUpperCase()}${meaning.slice(1)}. */\n  ${camel(name)}?: ${type};\n`);
  const written = [
    `/**
 * Facts about a finding, each where its value tells it.
${example("Metadata")}
 */
export interface Metadata {
${members.join("")}}`,
    `/**
 * Facts that findings of every type may have.
${example("CommonFact")}
 */
export type CommonFact = ${COMMON.map((name) => JSON.stringify(camel(name))).join(" | ")};`,
    `/**
 * The metadata of a type with these facts; it has no others.
${example("MetadataOf")}
 */
export type MetadataOf<Fact extends keyof Metadata> = {
  [Name in keyof Metadata]: Name extends Fact | CommonFact ? Metadata[Name] : never;
};`,
    `/**
 * A piece of personal data: {@link DetectedEntityOf}.
 *
 * Comparing \`type\` narrows \`metadata\` to the facts of the type.
 *
 * The names of the caller's own detectors are in \`Custom\`: the verbs read them from the options.
${example("DetectedEntity")}
 */
export type DetectedEntity<Custom extends string = never> = DetectedAs<Kinds> | ([Custom] extends [never] ? never : DetectedEntityOf<Custom>);`,
    `/**
 * A piece of personal data and its replacement: {@link ProtectedEntityOf}, narrowed as \`DetectedEntity\` is.
${example("ProtectedEntity")}
 */
export type ProtectedEntity<Custom extends string = never> = ProtectedAs<Kinds> | ([Custom] extends [never] ? never : ProtectedEntityOf<Custom>);`,
    `type DetectedAs<K extends Kinds> = K extends K ? DetectedEntityOf<K["type"], K["facts"]> : never;
type ProtectedAs<K extends Kinds> = K extends K ? ProtectedEntityOf<K["type"], K["facts"]> : never;`,
    `/** Types with the same facts. */
interface Kind<Fact extends keyof Metadata, Type extends EntityType> {
  type: Type;
  facts: MetadataOf<Fact>;
}`,
    `type Kinds =
${rows.join("\n")};
`,
  ];
  return written.join("\n\n");
}

/** js/wire-names.ts */
export function wireNames() {
  const names = new Set(Object.values(REQUESTS).flatMap((make) => properties(make())));
  const pairs = [...names].filter((name) => camel(name) !== name).sort().map((name) => `  ${camel(name)}: ${JSON.stringify(name)},\n`);
  return `${HEAD}
/** The names of options in the service's JSON, by their names here. */
export const WIRE_NAMES: Readonly<Record<string, string>> = {
${pairs.join("")}};

/** Options with names of the caller: types, lengths. */
export const KEYED_BY_CALLER: readonly string[] = ${JSON.stringify(KEYED_BY_CALLER).replaceAll(",", ", ")};
`;
}
