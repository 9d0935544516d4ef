// The REST reference: operations, error codes, and the tables of fields, from the OpenAPI document.

import { all, code, plain, source, table, write } from "./files.mjs";

const document = JSON.parse(source("spin-app/service/openapi.json"));
const { schemas, responses } = document.components;
const METHODS = ["get", "post", "put", "patch", "delete"];

const CREDENTIALS = {
  ApiKey: "API key",
  ApiKeyHeader: "API key",
  ApiKeyPassword: "API key",
  UserToken: "user token",
  ServiceToken: "service token",
  ServiceTokenBearer: "service token",
  ServiceTokenKey: "service token",
};

/** The codes of a shared response: its description names each, followed by its meaning. */
function codes(response) {
  const name = response.$ref?.split("/").at(-1);
  const { description } = name ? responses[name] : response;
  return [...description.matchAll(/^`([a-z_]+)`:/gm)].map(([, code]) => code);
}

function operations() {
  return Object.entries(document.paths).flatMap(([path, methods]) =>
    METHODS.filter((method) => methods[method]).map((method) => ({ path, method, ...methods[method] })),
  );
}

const scopes = (operation) => operation.description?.match(/Needs the scope (.*)\.$/m)?.[1] ?? "none";

const credentials = (operation) =>
  [...new Set(operation.security?.flatMap(Object.keys).map((name) => CREDENTIALS[name]))].join(", ") || "none";

const errorsOf = (operation) =>
  Object.entries(operation.responses)
    .filter(([status]) => status >= "400")
    .flatMap(([, response]) => codes(response));

/** The errors of every operation that reads a body; rest.md lists them once. */
const OF_A_BODY = ["request_timeout", "payload_too_large", "unsupported_media_type"];

/** Codes in a cell. */
function listed(errors) {
  const reads = OF_A_BODY.every((code) => errors.includes(code));
  const others = reads ? errors.filter((code) => !OF_A_BODY.includes(code)) : errors;
  return [...others.map(code), ...(reads ? ["[those of a body](#errors-of-a-body)"] : [])].join(", ") || "none";
}

export function rest() {
  const known = operations();
  let text = "";
  for (const { name, description } of document.tags) {
    const own = known.filter((operation) => operation.tags.includes(name));
    const [first, ...others] = own.map(errorsOf);
    const shared = first.filter((code) => !OF_A_BODY.includes(code) && others.every((codes) => codes.includes(code)));
    const kinds = new Set(own.map(credentials));
    const rows = own.map((operation) => [
      `\`${operation.method.toUpperCase()} ${operation.path}\``,
      plain(operation.summary),
      ...(kinds.size > 1 ? [credentials(operation)] : []),
      scopes(operation),
      listed(errorsOf(operation).filter((code) => !shared.includes(code))),
    ]);
    text += `## ${name}\n${plain(description)}\n\n`;
    if (kinds.size === 1) text += `Credential: ${[...kinds]}. `;
    if (shared.length) text += `Every operation may answer ${shared.map(code).join(", ")}.`;
    const heads = ["operation", "what it does", ...(kinds.size > 1 ? ["credential"] : []), "scope", shared.length ? "further errors" : "errors"];
    text += `\n\n${table(heads, rows)}\n`;
  }
  write(".generated/operations.md", text);
}

/** Status numbers by the names of the crate `http`. */
const STATUSES = {
  BAD_REQUEST: 400,
  UNAUTHORIZED: 401,
  FORBIDDEN: 403,
  NOT_FOUND: 404,
  METHOD_NOT_ALLOWED: 405,
  REQUEST_TIMEOUT: 408,
  CONFLICT: 409,
  PAYLOAD_TOO_LARGE: 413,
  UNSUPPORTED_MEDIA_TYPE: 415,
  UNPROCESSABLE_ENTITY: 422,
  TOO_MANY_REQUESTS: 429,
  INTERNAL_SERVER_ERROR: 500,
  NOT_IMPLEMENTED: 501,
  BAD_GATEWAY: 502,
  SERVICE_UNAVAILABLE: 503,
  GATEWAY_TIMEOUT: 504,
};

export function errors() {
  const rows = all(
    source("spin-app/service/src/error/mod.rs"),
    /Self::\w+ => \("([a-z_]+)", StatusCode::([A-Z_]+)\)/g,
    20,
    "error codes of error/mod.rs",
  );
  const meanings = new Map(schemas.Code.oneOf.map(({ const: name, description }) => [name, description]));
  const listed = rows.map(([, name, status]) => {
    if (!STATUSES[status] || !meanings.has(name)) throw new Error(`no status or meaning for ${name}`);
    return [code(name), STATUSES[status], plain(meanings.get(name))];
  });
  if (listed.length !== meanings.size) throw new Error("error/mod.rs and the OpenAPI document list other codes");
  write(".generated/errors.md", table(["code", "status", "meaning"], listed));
}

/** The type of a field in a few words. */
function type(schema) {
  if (schema.$ref) {
    const name = schema.$ref.split("/").at(-1);
    const values = schemas[name].enum ?? schemas[name].oneOf?.map((one) => one.const).filter(Boolean) ?? [];
    return values.length ? values.map(code).join(", ") : "object";
  }
  const alternative = schema.anyOf?.find((one) => one.type !== "null");
  if (alternative) return type(alternative);
  const kind = [schema.type ?? []].flat().find((one) => one !== "null") ?? "any";
  if (kind === "array") return `list of ${type(schema.items ?? {}).replace(/^object$/, "objects").replace(/^string$/, "strings")}`;
  return kind;
}

function limits(schema) {
  const { minLength, maxLength, minimum, maximum, maxItems } = schema;
  const said = [];
  if (maxLength !== undefined) said.push(`${minLength ?? 0} to ${maxLength} characters`);
  if (maximum !== undefined && Math.abs(maximum) < 2 ** 31) said.push(`${minimum ?? 0} to ${maximum}`);
  if (maxItems !== undefined) said.push(`at most ${maxItems}`);
  // omits what the description says already
  const { description = "" } = schema;
  return said.filter((one) => !description.includes(one.match(/\d+$|\d+(?= characters)/)?.[0] ?? one)).join("; ");
}

/** The fields of schemas, each in a table of its own. */
function fields(names) {
  return names
    .map(([name, title]) => {
      const { properties, required = [] } = schemas[name];
      const rows = Object.entries(properties).map(([field, schema]) => [
        code(field) + (required.includes(field) && name.endsWith("Request") ? " (required)" : ""),
        type(schema),
        plain(schema.description ?? "") + (limits(schema) ? ` (${limits(schema)})` : ""),
      ]);
      return `${title ? `${title}\n\n` : ""}${table(["field", "type", "meaning"], rows)}`;
    })
    .join("\n");
}

/** The values of enumerations. */
function values(name) {
  const rows = schemas[name].oneOf.map((one) => [code(one.const), plain(one.description ?? "")]);
  return table(["value", "meaning"], rows);
}

export function options() {
  write(".generated/detection-options.md", fields([["DetectRequest"]]));
  const detection = schemas.DetectRequest.properties;
  const protection = Object.entries(schemas.ProtectRequest.properties).filter(([field]) => !(field in detection));
  const rows = protection.map(([field, schema]) => [code(field), type(schema), plain(schema.description)]);
  write(".generated/protection-options.md", table(["field", "type", "meaning"], rows));
  write(".generated/operator.md", fields([["Operator"]]));
  write(".generated/custom-detector.md", fields([["CustomDetectorInput"]]));
  write(".generated/part.md", fields([["PartInput"]]));
  write(".generated/conditions.md", fields([["PolicyCondition"]]));
  write(".generated/policy.md", fields([["PolicyRequest"]]));
  write(".generated/actions.md", values("Action"));
  write(".generated/modes.md", values("Mode"));
  const categories = source("wit/types.wit").split("enum category {")[1].split("}")[0];
  const listed = all(categories, /\/\/\/ (.*)\n\s+(\w+),/g, 8, "categories of types.wit");
  write(".generated/categories.md", table(["category", "meaning"], listed.map(([, meaning, name]) => [code(name), plain(meaning)])));
  write(".generated/configuration.md", fields([["GatewayConfiguration"]]));
  write(".generated/route.md", fields([["GatewayRoute"]]));
  write(".generated/privacy-request.md", fields([["PrivacyRequest"]]));
  write(".generated/provider.md", fields([["Draft"]]));
  write(".generated/provider-types.md", values("ProviderType"));
  write(".generated/audit-events.md", values("AuditEvent"));
  write(".generated/audit-levels.md", values("AuditLevel"));
  write(".generated/api-key.md", fields([["CreateApiKeyRequest"], ["KeyLimitsInput", "`limits`:"]]));
  write(".generated/entity.md", fields([["DetectedEntity"]]));
}
