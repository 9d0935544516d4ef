// Writes `web/console/types.ts`: the shapes of the API that the console uses, named as in the API.

import { declarations, HEAD, OPERATIONS, printed, references, schema, values, withoutNull } from "./schema.mjs";

/** Lists of values, and what the type of one is called. */
const LISTS = {
  ACTIONS: "Action",
  RISK_LEVELS: "RiskLevel",
  AUDIT_LEVELS: "AuditLevel",
  CATEGORIES: "Category",
  PROVIDER_TYPES: "ProviderType",
  EVENTS: "AuditEvent",
  PLANS: "Plan",
  SCOPES: "Scope",
};

/** The shapes, by their names in the console, and what they are in the OpenAPI document. */
const SHAPES = {
  ProviderDraft: {
    is: "Draft",
    hasNulls: false,
    // the form sends every field, and these as the lists above have them
    required: ["allowed_models", "supports_streaming", "priority", "is_platform_default"],
    types: { provider_type: "ProviderType", credential_source: "CredentialSource", env_placeholder: "string | null" },
  },
  Provider: "ProviderRecord",
  ProviderList: "LlmProviders",
  Route: "GatewayRoute",
  Configuration: "GatewayConfiguration",
  ConfigurationChange: "ConfigurationChange",
  Condition: { is: "PolicyConditionInput", hasNulls: false },
  PolicyDraft: { is: "PolicyRequest", hasNulls: false, required: ["description", "priority", "conditions", "is_default"] },
  Policy: { is: "PolicyRecord", hasNulls: false },
  PolicyList: "PolicyList",
  TestedEntity: "TestedEntity",
  PolicyTest: "PolicyTest",
  AuditRecord: "FoundRecord",
  AuditList: "AuditList",
  KeyLimits: { is: "KeyLimitsInput", hasNulls: false },
  KeyDraft: { is: "CreateApiKeyRequest", hasNulls: false, required: ["name"] },
  ApiKey: "ApiKey",
  Export: "GatewayExport",
  ImportMode: "ImportMode",
  ImportDocument: {
    is: "ImportRequest",
    // as a file has it, before it is checked
    types: { configuration: "Record<string, unknown> | null", policies: '(Partial<Policy> & Pick<Policy, "name" | "action">)[] | null' },
  },
  ImportResult: "GatewayImport",
  CustomDetectorDraft: { is: "CustomDetectorInput", hasNulls: false, types: { check: "{ rule: string }" } },
  CustomDetector: { is: "CustomDetector", types: { check: "{ rule: string } | null" } },
  CustomDetectors: "CustomDetectors",
  AllowRule: "AllowRule",
  AllowRuleEntry: "AllowRuleEntry",
  AllowList: "AllowList",
  DenyRule: { is: "DenyRule", hasNulls: false },
  DenyRuleEntry: "DenyRuleEntry",
  DenyList: "DenyList",
  DetectResponse: "DetectResponse",
  AuditHead: "AuditHead",
  IdentityProvider: "IdentityProvider",
  SignInOptions: "SignInResponse",
};

/** Parameters of every list. */
const PAGING = ["page", "page_size", "cursor", "limit", "workspace_id"];

/** The names in the console of schemas that these refer to and that have no name of their own there. */
const SAME = { PolicyCondition: "Condition", KeyLimits: "KeyLimits" };

/** The parameters of the query that lists audit records: those of the page are the console's own. */
function auditFilter() {
  const names = OPERATIONS["/api/v1/gateway/audit"].get.parameters.map((parameter) => parameter.name).filter((name) => !PAGING.includes(name));
  return `/** Which audit records are listed. */\nexport interface AuditFilter {\n${names.map((name) => `  ${name}?: string | undefined;\n`).join("")}}\n`;
}

/** web/console/types.ts */
export async function consoleTypes() {
  const shapes = Object.entries(SHAPES).map(([here, shape]) => [here, typeof shape === "string" ? { is: shape } : shape]);
  const names = new Map([...shapes.map(([here, { is }]) => [is, here]), ...Object.entries(SAME)]);
  const all = {};
  const add = (here, { is, hasNulls = true, required = [], types = {} }) => {
    const one = schema(is);
    one.required = [...(one.required ?? []), ...required];
    for (const name of required) one.properties[name] = withoutNull(one.properties[name]);
    for (const [name, tsType] of Object.entries(types)) one.properties[name] = { description: one.properties[name].description, tsType };
    all[here] = { one, hasNulls };
    for (const name of references(one)) {
      if (Object.values(LISTS).includes(name) || names.has(name)) continue;
      names.set(name, name);
      add(name, { is: name });
    }
  };
  for (const [here, shape] of shapes) add(here, shape);
  const how = { name: (name) => name, type: (name) => names.get(name) ?? name, describe: (text) => text };
  const written = Object.fromEntries(Object.entries(all).map(([name, { one, hasNulls }]) => [name, printed(one, { ...how, hasNulls })]));
  const literals = Object.entries(LISTS).map(([list, name]) => {
    const items = values(schema(name)).map(({ value }) => `  ${JSON.stringify(value)},\n`);
    return `export const ${list} = [\n${items.join("")}] as const;\n/** ${schema(name).description} */\nexport type ${name} = (typeof ${list})[number];\n`;
  });
  return [HEAD, ...literals, await declarations(written, false), auditFilter()].join("\n");
}
