// The calls of the console, each one documented in /api/v1/openapi.json.

import type { Call, Query } from "./request.js";
import { ask, send } from "./request.js";
import { type Credential, workspace } from "./session.js";
import type {
  Action,
  AllowList,
  AllowRule,
  AllowRuleEntry,
  ApiKey,
  AuditFilter,
  AuditHead,
  AuditList,
  Configuration,
  ConfigurationChange,
  CustomDetector,
  CustomDetectorDraft,
  CustomDetectors,
  DenyList,
  DenyRule,
  DenyRuleEntry,
  DetectResponse,
  Export,
  ImportDocument,
  ImportMode,
  ImportResult,
  KeyDraft,
  Policy,
  PolicyDraft,
  PolicyList,
  PolicyTest,
  Provider,
  ProviderDraft,
  ProviderList,
  SignInOptions,
} from "./types.js";

/** A message of a chat, in OpenAI's format. */
export interface ChatMessage {
  role: string;
  content: string;
}

/** The gateway's answer to a dry run of a chat. */
export interface DryRunAnswer {
  route: string | null;
  /** Id of the LLM provider. */
  provider: string;
  model: string;
  request: { messages: ChatMessage[] };
  privacy: {
    action: Action;
    entities: { type: string; action: Action; count: number }[];
    /** Parts by kind; null or 0 for a kind without parts. */
    not_inspected: Record<string, number>;
  };
}

/** Most entries on a page of any list. */
const PAGE_SIZE = 100;

/** The ways to sign in beside pasted tokens. */
export const getSignInOptions = () => ask<SignInOptions>("/api/v1/sign-in");

export const getStatus = () => call<{ status: string }>("service", "GET", "/api/v1/gateway/status");

export const listProviders = (page = 1, page_size = PAGE_SIZE) =>
  call<ProviderList>("user", "GET", "/api/v1/llm-providers", { page, page_size });
export const createProvider = (draft: ProviderDraft) =>
  call<Provider>("user", "POST", "/api/v1/llm-providers", {}, draft);
export const changeProvider = (id: string, change: Partial<ProviderDraft>) =>
  call<Provider>("user", "PATCH", `/api/v1/llm-providers/${id}`, {}, change);
export const deleteProvider = (id: string) => call<unknown>("user", "DELETE", `/api/v1/llm-providers/${id}`);
export const validateProvider = (id: string) =>
  call<Provider & { message: string }>("user", "POST", `/api/v1/llm-providers/${id}/validate`);

export const getConfiguration = () => gateway<Configuration>("GET", "config");
export const changeConfiguration = (change: ConfigurationChange) => gateway<Configuration>("PUT", "config", {}, change);
export const exportConfiguration = () => gateway<Export>("GET", "config/export");
export const importConfiguration = (document: ImportDocument, mode: ImportMode) =>
  gateway<ImportResult>("POST", "config/import", { mode }, document);

export const listPolicies = (page = 1) => gateway<PolicyList>("GET", "policies", { page, page_size: PAGE_SIZE });
export const createPolicy = (draft: PolicyDraft) => gateway<Policy>("POST", "policies", {}, draft);
export const replacePolicy = (id: string, draft: PolicyDraft) => gateway<Policy>("PUT", `policies/${id}`, {}, draft);
export const changePolicy = (id: string, change: Partial<PolicyDraft>) =>
  gateway<Policy>("PATCH", `policies/${id}`, {}, change);
export const deletePolicy = (id: string) => gateway<unknown>("DELETE", `policies/${id}`);
/** Tries the stored policies, or those given in their place. */
export const testPolicies = (text: string, direction: "input" | "output", policies?: PolicyDraft[]) =>
  gateway<PolicyTest>("POST", "policies/test", {}, { text, direction, policies });

export const listAudit = (filter: AuditFilter, page: number, page_size: number, cursor?: string) =>
  gateway<AuditList>("GET", "audit", { ...filter, page, page_size, cursor });

export const getAuditHead = () => gateway<AuditHead>("GET", "audit/head");

/** The request as it would go to the provider; nothing is sent. */
export const dryRun = (messages: ChatMessage[], model: string) =>
  call<DryRunAnswer>("service", "POST", "/v1/chat/completions", { workspace_id: workspace.value }, {
    ...(model && { model }),
    messages,
    privacy: { dry_run: true, report: true },
  });

export const listDetectors = () => call<CustomDetectors>("key", "GET", "/api/v1/custom-detectors");
export const createDetector = (draft: CustomDetectorDraft) =>
  call<CustomDetector>("key", "POST", "/api/v1/custom-detectors", {}, draft);
export const deleteDetector = (name: string) =>
  call<unknown>("key", "DELETE", `/api/v1/custom-detectors/${encodeURIComponent(name)}`);
/** Searches a text with a detector that is not stored. */
export const tryDetector = (text: string, draft: CustomDetectorDraft) =>
  call<DetectResponse>("key", "POST", "/api/v1/detect", {}, { text, custom_detectors: [draft] });

export const listAllowed = () => call<AllowList>("key", "GET", "/api/v1/allow-list");
export const addAllowed = (rule: AllowRule) => call<AllowRuleEntry>("key", "POST", "/api/v1/allow-list", {}, rule);
export const removeAllowed = (id: string) => call<unknown>("key", "DELETE", `/api/v1/allow-list/${id}`);
export const listDenied = () => call<DenyList>("key", "GET", "/api/v1/deny-list");
export const addDenied = (rule: DenyRule) => call<DenyRuleEntry>("key", "POST", "/api/v1/deny-list", {}, rule);
export const removeDenied = (id: string) => call<unknown>("key", "DELETE", `/api/v1/deny-list/${id}`);

export const getMetrics = () => call<string>("service", "GET", "/metrics");

export const listKeys = () => call<{ api_keys: ApiKey[] }>("user", "GET", "/api/v1/api-keys");
export const createKey = (draft: KeyDraft) => call<ApiKey & { key: string }>("user", "POST", "/api/v1/api-keys", {}, draft);
export const revokeKey = (id: string) => call<ApiKey>("user", "DELETE", `/api/v1/api-keys/${id}`);

/** All providers of the user's workspace. */
export const allProviders = () => everyPage(listProviders, ({ providers }) => providers);

/** All policies of the workspace. */
export const allPolicies = () => everyPage(listPolicies, ({ policies }) => policies);

async function everyPage<Page extends { total: number }, Item>(
  list: (page: number) => Call<Page>,
  itemsOf: (page: Page) => Item[],
): Promise<Item[]> {
  const items: Item[] = [];
  for (let number = 1; ; number++) {
    const page = await send(list(number));
    const more = itemsOf(page);
    items.push(...more);
    if (items.length >= page.total || more.length === 0) return items;
  }
}

function gateway<Answer>(method: Call<Answer>["method"], path: string, query: Query = {}, body?: unknown): Call<Answer> {
  return call("service", method, `/api/v1/gateway/${path}`, { workspace_id: workspace.value, ...query }, body);
}

function call<Answer>(
  credential: Credential,
  method: Call<Answer>["method"],
  path: string,
  query: Query = {},
  body?: unknown,
): Call<Answer> {
  const asked = Object.entries(query).filter(([, value]) => value !== undefined && value !== "");
  const words = new URLSearchParams(asked.map(([name, value]) => [name, String(value)])).toString();
  return { credential, method, path: words ? `${path}?${words}` : path, ...(body === undefined ? {} : { body }) };
}
