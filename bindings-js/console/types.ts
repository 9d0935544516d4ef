// The shapes of the API that the console uses, as spin-app/service/openapi.json has them.

export const ACTIONS = ["ALLOW", "FLAG", "MASK", "TOKENIZE", "HASH", "REDACT", "BLOCK"] as const;
/** What a policy does, from the mildest to the strictest. */
export type Action = (typeof ACTIONS)[number];

export const RISK_LEVELS = ["NONE", "LOW", "MEDIUM", "HIGH", "CRITICAL"] as const;
export type RiskLevel = (typeof RISK_LEVELS)[number];

export const AUDIT_LEVELS = ["none", "minimal", "standard", "full"] as const;
export type AuditLevel = (typeof AUDIT_LEVELS)[number];

export const CATEGORIES = [
  "identity",
  "contact",
  "financial",
  "location",
  "personal",
  "business",
  "medical",
  "government",
] as const;

export const PROVIDER_TYPES = [
  "openai",
  "openai_compatible",
  "azure_openai",
  "anthropic",
  "mistral",
  "ollama",
  "vllm",
] as const;
export type ProviderType = (typeof PROVIDER_TYPES)[number];

export const EVENTS = [
  "request",
  "config_update",
  "policy_create",
  "policy_update",
  "policy_delete",
  "import",
  "key_create",
  "key_revoke",
  "provider_create",
  "provider_update",
  "provider_delete",
  "detector_create",
  "detector_delete",
  "allow_list_create",
  "allow_list_delete",
  "deny_list_create",
  "deny_list_delete",
] as const;
export type AuditEvent = (typeof EVENTS)[number];

export interface ProviderDraft {
  provider_type: ProviderType;
  display_name: string;
  credential_source: "env_placeholder" | "none";
  env_placeholder?: string | null;
  base_url: string;
  default_model: string;
  allowed_models: string[];
  supports_streaming: boolean;
  priority: number;
  is_platform_default: boolean;
  is_active?: boolean;
}

export interface Provider extends Omit<ProviderDraft, "env_placeholder"> {
  id: string;
  is_active: boolean;
  validation_status: "unknown" | "valid" | "invalid" | "unreachable" | "error";
  created_at: string;
  updated_at: string;
}

export interface ProviderList {
  providers: Provider[];
  total: number;
}

export interface Route {
  provider: string;
  model: string;
  /** Whose credential the provider gets; its own when absent. */
  credential?: "provider" | "caller";
}

export interface Configuration {
  workspace_id: string;
  providers: Record<string, Route>;
  risk_levels: Record<string, RiskLevel>;
  default_action: Action;
  rate_limits: { requests_per_minute: number; burst: number };
  streaming: { enabled: boolean; buffer_tokens: number; fail_closed?: boolean | null };
  auth: { cache_ttl: number };
  provider_config: { cache_ttl: number };
  policy: { cache_ttl: number };
  audit: { retention_days: number; level: AuditLevel };
  region: string | null;
  restore_hosts?: string[];
  sessions?: { enabled: boolean; ttl: number };
}

/** What is absent stays; a null takes an entry out of a map and clears `region`. */
export interface ConfigurationChange {
  providers?: Record<string, Route | null>;
  risk_levels?: Record<string, RiskLevel | null>;
  default_action?: Action;
  rate_limits?: Partial<Configuration["rate_limits"]>;
  streaming?: Partial<Configuration["streaming"]>;
  auth_cache_ttl?: number;
  provider_config_cache_ttl?: number;
  policy_cache_ttl?: number;
  audit_retention_days?: number;
  audit_level?: AuditLevel;
  region?: string | null;
  restore_hosts?: string[] | null;
  sessions?: { enabled?: boolean; ttl?: number };
}

/** All keys that are there must hold. */
export interface Condition {
  confidence_min?: number;
  entity_types?: string[];
  exclude_entity_types?: string[];
  countries?: string[];
  categories?: string[];
  risk_level_min?: RiskLevel;
  validated?: boolean;
  direction?: "input" | "output";
  roles?: string[];
  providers?: string[];
  models?: string[];
  tools?: string[];
  min_count?: number;
}

export interface PolicyDraft {
  name: string;
  description: string;
  priority: number;
  action: Action;
  /** Alternatives; none for every finding. */
  conditions: Condition[];
  is_default: boolean;
  /** Whether values are restored in arguments of tools. */
  restore?: boolean;
}

export interface Policy extends PolicyDraft {
  id: string;
  workspace_id: string;
  created_at: string;
  updated_at: string;
}

export interface PolicyList {
  policies: Policy[];
  total: number;
}

export interface TestedEntity {
  type: string;
  original: string;
  protected: string;
  confidence: number;
  action?: Action | null;
  policy?: string | null;
}

export interface PolicyTest {
  decision: Action;
  entities: TestedEntity[];
  protected_text: string | null;
}

export interface AuditRecord {
  at: string;
  event: AuditEvent;
  request_id: string;
  /** Who did it: an API key, a user, a service or the operator; absent in records of earlier builds. */
  actor?: string;
  action?: Action | null;
  entities?: Record<string, number>;
  policies?: string[];
  fields?: string[];
  subject?: string | null;
  route?: string | null;
  provider?: string | null;
  model?: string | null;
  status?: number | null;
  masked_text?: string | null;
  bypassed?: boolean;
  withheld?: number;
  chain: number;
  sequence: number;
  hash: string;
}

export interface AuditFilter {
  from?: string | undefined;
  to?: string | undefined;
  event?: string | undefined;
  action?: string | undefined;
  entity_type?: string | undefined;
  request_id?: string | undefined;
}

export interface AuditList {
  records: AuditRecord[];
  total: number;
  page: number;
  page_size: number;
  /** False where `total` is not of all records: there are older ones, or some cannot be read. */
  complete: boolean;
  /** Leads to the older ones. */
  next_cursor?: string;
}

export interface KeyLimits {
  requests_per_minute?: number;
  concurrent_requests?: number;
  requests_per_month?: number;
}

export const PLANS = ["free", "pro", "enterprise"] as const;
export type Plan = (typeof PLANS)[number];

export interface KeyDraft {
  name: string;
  plan?: Plan;
  limits?: KeyLimits;
  expires_at?: string;
}

export interface ApiKey {
  id: string;
  name: string;
  key_prefix: string;
  plan: Plan;
  limits: KeyLimits;
  is_active: boolean;
  created_at: string;
  expires_at: string | null;
  revoked_at: string | null;
}

export interface Export {
  version: number;
  workspace_id: string;
  exported_at: string;
  configuration: Configuration;
  policies: Policy[];
}

export type ImportMode = "merge" | "replace";

/** An export, or a part of one. */
export interface ImportDocument {
  version?: number;
  configuration?: Record<string, unknown> | null;
  policies?: (Partial<Policy> & { name: string; action: Action })[] | null;
}

export interface ImportResult {
  mode: ImportMode;
  policies: { added: number; replaced: number; removed: number; total: number };
}
