// Written by `generate/`, from the OpenAPI document and the catalogue. Do not edit.

export const ACTIONS = [
  "ALLOW",
  "FLAG",
  "MASK",
  "TOKENIZE",
  "HASH",
  "REDACT",
  "BLOCK",
] as const;
/** The action of a policy, from the mildest to the strictest. */
export type Action = (typeof ACTIONS)[number];

export const RISK_LEVELS = [
  "NONE",
  "LOW",
  "MEDIUM",
  "HIGH",
  "CRITICAL",
] as const;
/** The risk of a type of finding. */
export type RiskLevel = (typeof RISK_LEVELS)[number];

export const AUDIT_LEVELS = [
  "none",
  "minimal",
  "standard",
  "full",
] as const;
/** The level of detail of audit records. Findings themselves are never recorded. */
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
  "credential",
] as const;
/** The category of a detector. */
export type Category = (typeof CATEGORIES)[number];

export const PROVIDER_TYPES = [
  "openai",
  "openai_compatible",
  "azure_openai",
  "anthropic",
  "mistral",
  "ollama",
  "vllm",
] as const;
/** The protocol of a provider. */
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
/** The kind of an event. */
export type AuditEvent = (typeof EVENTS)[number];

export const PLANS = [
  "free",
  "pro",
  "enterprise",
] as const;
/** The plan of a workspace. */
export type Plan = (typeof PLANS)[number];

export const SCOPES = [
  "detect",
  "protect",
  "restore",
  "settings.read",
  "settings.write",
  "settings.allow",
  "gateway.chat",
  "gateway.admin",
  "providers",
  "keys",
  "audit.read",
  "metrics",
] as const;
/** A right that a credential may carry. */
export type Scope = (typeof SCOPES)[number];

/** The fields that a user sets, as they are sent. */
export interface ProviderDraft {
  /** Its protocol. */
  provider_type: ProviderType;
  /** 1 to 200 characters. */
  display_name: string;
  /** `env_placeholder`; or `none` for types that may do without a credential. */
  credential_source: CredentialSource;
  /** `${NAME}`, where the source is `env_placeholder`. */
  env_placeholder?: string | null;
  /** https, on the public internet, unless the operator allows another host. */
  base_url: string;
  /** 1 to 128 characters. */
  default_model: string;
  /** At most 50; none for any. */
  allowed_models: string[];
  /** True when absent. */
  supports_streaming: boolean;
  /** 0 when absent. */
  priority: number;
  /** False when absent. The workspace's provider that was it before is it no longer. */
  is_platform_default: boolean;
  /** True when absent; a new provider always is. */
  is_active?: boolean;
}

/** A provider as callers see it. */
export interface Provider {
  /** A UUID. */
  id: string;
  /** Its protocol. */
  provider_type: ProviderType;
  /** A name for display. */
  display_name: string;
  /** Used by requests without a provider; at most one per workspace. In the platform workspace: usable by every workspace. */
  is_platform_default: boolean;
  /** Whether it may be used. */
  is_active: boolean;
  /** The source of its credential. */
  credential_source: CredentialSource;
  /** Always null: no credential is stored. */
  key_prefix: string | null;
  /** Its address, as entered. */
  base_url: string;
  /** The model of requests without one. */
  default_model: string;
  /** The models that requests may use; empty for all. */
  allowed_models: string[];
  /** Whether it supports streaming. */
  supports_streaming: boolean;
  /** The priority among several; the highest comes first. */
  priority: number;
  /** The result of the last validation. */
  validation_status: ValidationStatus;
  /** The team of the user who created it. */
  team_id: string | null;
  /** The tenant of the user who created it. */
  tenant_id: string | null;
  /** ISO 8601. */
  created_at: string;
  /** ISO 8601. */
  updated_at: string;
}

/**
 * The source of a provider's credential.
 * - `env_placeholder`: A secret of the operator; the record contains its name.
 * - `none`: The provider needs no credential.
 */
export type CredentialSource = "env_placeholder" | "none";

/**
 * The result of the last validation of a provider.
 * - `unknown`: Not validated since it was last changed.
 * - `valid`: It answers and accepts the credential.
 * - `invalid`: It rejects the credential.
 * - `unreachable`: It does not answer.
 * - `error`: It answers something else, or no request can be made.
 */
export type ValidationStatus = "unknown" | "valid" | "invalid" | "unreachable" | "error";

/** A page of the workspace's providers. */
export interface ProviderList {
  /** Those on the page. */
  providers: Provider[];
  /** The number of providers of the workspace. */
  total: number;
  /** The page, from 1. */
  page: number;
  /** Most providers on a page. */
  page_size: number;
}

/** The destination of a route. */
export interface Route {
  /** An LLM provider of the workspace: its id, or its type if it is the only one of that type. */
  provider: string;
  /** The model. */
  model: string;
  /** The credential sent to the provider. */
  credential?: RouteCredential;
}

/**
 * The credential sent to the provider of a route.
 * - `provider`: The provider's configured credential.
 * - `caller`: The caller's `Authorization` or `X-API-Key`; the gateway's own token comes in `X-Service-Token`.
 */
export type RouteCredential = "provider" | "caller";

/** The configuration of a workspace. */
export interface Configuration {
  /** The workspace. */
  workspace_id: string;
  /** Routes by their name, such as `primary` and `fallback`. */
  providers: Record<string, Route>;
  /** The risk of findings, by their type in upper case; `MEDIUM` for types that are not listed. */
  risk_levels: Record<string, RiskLevel>;
  /** The action for a finding in a request without a policy. */
  default_action: Action;
  /** Limits of the workspace. */
  rate_limits: GatewayRateLimits;
  /** Options of streamed answers. */
  streaming: GatewayStreaming;
  /** The time for which keys derived from the application's secrets are cached. */
  auth: GatewayCache;
  /** The time for which this configuration and its providers are cached. */
  provider_config: GatewayCache;
  /** The time for which the policies are cached. */
  policy: GatewayCache;
  /** The content and the retention of audit records. */
  audit: GatewayAudit;
  /** A label of the permitted data region. */
  region: string | null;
  /** Hosts whose URLs may contain restored values; `*.example.com` for all subdomains. */
  restore_hosts?: string[];
  /** Retention of responses, so that later requests can continue them. */
  sessions?: GatewaySessions;
}

/** Limits of a workspace. */
export interface GatewayRateLimits {
  /** Requests per minute. */
  requests_per_minute: number;
  /** Requests in flight. */
  burst: number;
}

/** Options of streamed answers. */
export interface GatewayStreaming {
  /** Whether streaming is allowed. */
  enabled: boolean;
  /** The number of tokens that are held back to find personal data. */
  buffer_tokens: number;
  /** Whether an answer that cannot be checked is aborted; absent is true. */
  fail_closed?: boolean | null;
}

/** The times for which something is cached. */
export interface GatewayCache {
  /** Seconds; 0 to disable the cache. */
  cache_ttl: number;
}

/** The content and the retention of audit records. */
export interface GatewayAudit {
  /** Retention in days. */
  retention_days: number;
  /** The level of detail of a record. */
  level: AuditLevel;
}

/** Retention of responses: their values, sealed with a key of the workspace, so that `previous_response_id`, `conversation` and `background` can be answered. */
export interface GatewaySessions {
  /** Whether responses are kept; otherwise such requests are rejected. */
  enabled: boolean;
  /** Seconds for which the values of a response are kept. */
  ttl: number;
}

/** A change of a gateway configuration; absent fields stay unchanged. */
export interface ConfigurationChange {
  /** Routes by their name, 50 at most; null removes one. Name an LLM provider by its id, or by its type if it is the only one of that type. */
  providers?: {
    [k: string]: Route | null;
  } | null;
  /** The risk of findings, by their type; null removes one. */
  risk_levels?: {
    [k: string]: RiskLevel | null;
  } | null;
  /** The action for a finding in a request without a policy. */
  default_action?: Action | null;
  /** Limits of the workspace. */
  rate_limits?: RateLimitsChange | null;
  /** Options of streamed answers. */
  streaming?: StreamingChange | null;
  /** Seconds for which keys derived from the application's secrets are cached. */
  auth_cache_ttl?: number | null;
  /** Seconds for which the configuration and its providers are cached. */
  provider_config_cache_ttl?: number | null;
  /** Seconds for which the policies are cached. */
  policy_cache_ttl?: number | null;
  /** Retention of audit records in days. */
  audit_retention_days?: number | null;
  /** The level of detail of an audit record. */
  audit_level?: AuditLevel | null;
  /** A label of the permitted data region; null for none. */
  region?: string | null;
  /** Hosts whose URLs may contain restored values; `*.example.com` for all subdomains. */
  restore_hosts?: string[] | null;
  /** Retention of responses, so that later requests can continue them. */
  sessions?: SessionsChange | null;
  /** The workspace, if the query does not contain it. */
  workspace_id?: string | null;
}

/** A change of the limits of a workspace. */
export interface RateLimitsChange {
  /** Requests per minute. */
  requests_per_minute?: number | null;
  /** Requests in flight. */
  burst?: number | null;
}

/** A change of the options of streamed answers. */
export interface StreamingChange {
  /** Whether streaming is allowed. */
  enabled?: boolean | null;
  /** The number of tokens that are held back to find personal data. */
  buffer_tokens?: number | null;
  /** Whether an answer that cannot be checked is aborted; null is true. */
  fail_closed?: boolean | null;
}

/** A change of the retention of responses. */
export interface SessionsChange {
  /** Whether responses are kept; otherwise `previous_response_id`, `conversation` and `background` are rejected. */
  enabled?: boolean | null;
  /** Seconds for which the values of a response are kept. */
  ttl?: number | null;
}

/** Keys of one condition; all that are present must hold. An unknown key is rejected: ignoring it would fail open. */
export interface Condition {
  /** The minimum confidence of the finding, 0 to 1. */
  confidence_min?: number;
  /** The finding has one of these types. */
  entity_types?: string[];
  /** The finding's type is not one of these. */
  exclude_entity_types?: string[];
  /** The finding has one of these countries. */
  countries?: string[];
  /** The finding has one of these categories. */
  categories?: Category[];
  /** The minimum risk of the type, as rated by the workspace. */
  risk_level_min?: RiskLevel;
  /** The finding passed its checksum or structural rule, or did not. */
  validated?: boolean;
  /** The direction of the text. A policy changes a model's own text only if its condition says `output`. */
  direction?: Direction;
  /** The role of the text is one of these, such as `user` or `tool`. */
  roles?: string[];
  /** The provider is one of these: ids or types. */
  providers?: string[];
  /** The model's name matches one of these patterns, with `*` for any text. */
  models?: string[];
  /** The text is the result of one of these tools; for `restore`, an argument of one of them. */
  tools?: string[];
  /** The minimum number of findings of the type in the text. */
  min_count?: number;
}

/**
 * The direction of a text.
 * - `input`: To a model, or to this service.
 * - `output`: From a model.
 */
export type Direction = "input" | "output";

/** A policy in a request. */
export interface PolicyDraft {
  /** Reported with each finding that it decides on. */
  name: string;
  /** A description. */
  description: string;
  /** The highest wins; ties go to the stricter action. 0 when absent. */
  priority: number;
  /** The action. */
  action: Action;
  /** Alternative conditions; empty for every finding. */
  conditions: Condition[];
  /** Applies only if no other policy does. */
  is_default: boolean;
  /** Whether the values that it decides on are restored in the arguments of tools. Absent: they are restored, except that a value only found in the result of a tool is not passed to another tool. */
  restore?: boolean;
  /** The workspace, if the query does not contain it. */
  workspace_id?: string;
}

/** A policy. */
export interface Policy {
  /** A UUID. */
  id: string;
  /** Reported with each finding that it decides on. */
  name: string;
  /** A description. */
  description: string;
  /** The highest wins; ties go to the stricter action. */
  priority: number;
  /** The action. */
  action: Action;
  /** Alternative conditions; empty for every finding. */
  conditions: Condition[];
  /** Applies only if no other policy does. */
  is_default: boolean;
  /**
   * Whether the values that it decides on are restored in the arguments of tools.
   *
   * Absent: they are restored, except that a value only found in the result of a tool is not passed to another tool.
   */
  restore?: boolean;
  /** The workspace of the policy. */
  workspace_id: string;
  /** ISO 8601. */
  created_at: string;
  /** ISO 8601. */
  updated_at: string;
}

/** A page of the workspace's policies. */
export interface PolicyList {
  /** Those on the page, the oldest first. */
  policies: Policy[];
  /** The number of policies of the workspace. */
  total: number;
  /** The page, from 1. */
  page: number;
  /** Most policies on a page. */
  page_size: number;
}

/** A finding with its decision. */
export interface TestedEntity {
  /** The index of its message; absent for a text. */
  message?: number | null;
  /** The index of its part in the message; absent if the message has no parts. */
  part?: number | null;
  /** Entity type. */
  type: string;
  /** Exact matched text. */
  original: string;
  /** Country of the detector. */
  country: string | null;
  /** 0 to 1. */
  confidence: number;
  /** Passed checksum or structural validation. */
  validated: boolean;
  /** Zero-based, in the requested unit. */
  start: number;
  /** Exclusive. */
  end: number;
  /** Detector-specific; null without facts. */
  metadata: Metadata | null;
  /** With `explain` only. */
  evidence?: Evidence[];
  /** The replacement. */
  protected: string;
  /** The action of the policy; in mode `policy` only. */
  action?: Action | null;
  /** The policy that decided; absent for the default action. */
  policy?: string | null;
}

/** Facts by name, such as `normalized` (email), `e164` and `line_type` (phone_number), `checksum_valid`, `birth_date` (ISO 8601) and `gender` (identifiers). */
export type Metadata = Record<string, Fact>;

/** One detector-specific fact. */
export type Fact = boolean | string;

/** One reason for or against a finding, in log-odds. */
export interface Evidence {
  /**
   * The name of the signal.
   *
   * Of a finding: `shape`, `check`, `label`, `context`, `sibling`, `country`, `neighbour`, `hint`, `competing` or `calibration`. Of a name also `letters`, `case`, `lexicon`, `words`, `signs` or `repetition`. Of a country: `phone`, `domain`, `iban`, `bic`, `vat`, `identifier`, `place`, `postal_code`, `language`, `language_given` or `currency`.
   */
  signal: string;
  /** The weight added to the log-odds. */
  weight: number;
  /** Offset of the first unit. */
  start?: number;
  /** Offset after the last unit. */
  end?: number;
}

/** The decisions of policies. */
export interface PolicyTest {
  /** The workspace whose settings were used. */
  workspace_id: string;
  /** The strictest action; `ALLOW` without findings. */
  decision: Action;
  /** The findings, with their decisions. */
  entities: TestedEntity[];
  /** The text as sent to the model; null if it is blocked, or if messages were tested. */
  protected_text: string | null;
  /** The messages as sent to the model; null if one is blocked, or if a text was tested. */
  protected_messages: TestedMessage[] | null;
}

/** A message as sent to the model. */
export interface TestedMessage {
  /** Its role. */
  role: string;
  /** A string, or parts, as in the request. */
  content: {
    [k: string]: unknown;
  };
}

/** A record in the result. */
export interface AuditRecord {
  /** The MAC of the stored record. */
  hash: string;
  /** The number of its chain. Concurrent requests have different chains. */
  chain: number;
  /** Its number in the chain, from 1. */
  sequence: number;
  /** The MAC of the record before it in the chain; zeros for the first one. */
  previous: string;
  /** The version of the key of its own MAC, as in `token_secrets`. */
  key: number;
  /** ISO 8601. */
  at: string;
  /** The kind of the event. */
  event: AuditEvent;
  /** The id of the request. */
  request_id: string;
  /** The actor: `key:<id>`, `user:<subject>`, `service:<name>` or `operator`. */
  actor?: string | null;
  /** The strictest action. */
  action?: Action | null;
  /** The status of the answer. */
  status?: number | null;
  /** The route used. */
  route?: string | null;
  /** The LLM provider. */
  provider?: string | null;
  /** The model. */
  model?: string | null;
  /** The number of findings by type. */
  entities?: {
    [k: string]: number;
  };
  /** The policies that decided. */
  policies?: string[];
  /** It was forwarded with uninspected or unrecorded parts. */
  bypassed?: boolean;
  /** The number of placeholders withheld in the answer because their values would leave through a URL or a tool. */
  withheld?: number;
  /** The id of the changed object. */
  subject?: string | null;
  /** The names of the changed fields. */
  fields?: string[];
  /** The text with every finding masked, possibly truncated. */
  masked_text?: string | null;
}

/** A page of the records that were asked for. */
export interface AuditList {
  /** Those on the page, the newest first. */
  records: AuditRecord[];
  /** The number of all records. */
  total: number;
  /** The page, from 1. */
  page: number;
  /** Most records on a page. */
  page_size: number;
  /** Whether all records of the time were searched; where not, `total` is of those that were. Either there are more, and `next_cursor` leads to them, or some cannot be read, which `textveil audit verify` shows. */
  complete: boolean;
  /** Send it as `cursor`, with the same conditions, for the records that were not searched. */
  next_cursor?: string | null;
}

/** Limits of one key; absent ones are the service's. */
export interface KeyLimits {
  /** Requests per minute. */
  requests_per_minute?: number;
  /** Requests in flight. */
  concurrent_requests?: number;
  /** Requests of the workspace in a calendar month (UTC), after which this key is rejected. */
  requests_per_month?: number;
}

/** The settings of a new key. */
export interface KeyDraft {
  /** For people: what the key is for. */
  name: string;
  /** At most the workspace's own, which it is when absent. */
  plan?: Plan;
  /** In place of the limits that every key has; at most those of the plan. */
  limits?: KeyLimits;
  /** `detect`, `protect`, `restore`, `settings.read`, `settings.write` and `settings.allow`; all but the last two when absent. */
  scopes?: Scope[];
  /** ISO 8601 with offset, in the future: the key is rejected from then on. Never when absent. */
  expires_at?: string;
}

/** The record of a key, without the key itself. */
export interface ApiKey {
  /** A UUID. */
  id: string;
  /** For people: what the key is for. */
  name: string;
  /** The first characters of the key, by which people know it. */
  key_prefix: string;
  /** The workspace of the key. */
  workspace_id: string;
  /** The plan, which bounds its limits and modes. */
  plan: Plan;
  /** Limits of its own. */
  limits: KeyLimits;
  /** Its rights. */
  scopes: Scope[];
  /** Neither expired nor revoked. */
  is_active: boolean;
  /** ISO 8601. */
  created_at: string;
  /** ISO 8601; null for a key that never expires. */
  expires_at: string | null;
  /** ISO 8601; null for a key that is not revoked. */
  revoked_at: string | null;
}

/** The configuration and the policies of a workspace. */
export interface Export {
  /** The version of this document's form: 1. */
  version: number;
  /** The workspace of these settings. */
  workspace_id: string;
  /** ISO 8601. */
  exported_at: string;
  /** The configuration. */
  configuration: Configuration;
  /** All policies. */
  policies: Policy[];
}

/**
 * The treatment of existing records that are not in the document.
 * - `replace`: It goes: policies are removed, fields of the configuration get their defaults.
 * - `merge`: It stays.
 */
export type ImportMode = "replace" | "merge";

/** An export, as sent for an import. */
export interface ImportDocument {
  /** The version of the document's format: 1. */
  version?: number | null;
  /** The treatment of existing records that are not in the document, if the query does not contain it. */
  mode?: ImportMode | null;
  /** The configuration, with the field names of its export; absent fields stay unchanged, or get their defaults. */
  configuration?: Record<string, unknown> | null;
  /** The policies. */
  policies?: (Partial<Policy> & Pick<Policy, "name" | "action">)[] | null;
  /** The workspace, if the query does not contain it. */
  workspace_id?: string | null;
}

/** The result of an import. */
export interface ImportResult {
  /** Into which workspace. */
  workspace_id: string;
  /** The treatment of existing records. */
  mode: ImportMode;
  /** The configuration that there is now. */
  configuration: Configuration;
  /** The result for the policies. */
  policies: ImportedPolicies;
}

/** The result of an import for the policies of a workspace. */
export interface ImportedPolicies {
  /** That were not there. */
  added: number;
  /** That were there, by their id. */
  replaced: number;
  /** That were there and are not any more. */
  removed: number;
  /** That there are now. */
  total: number;
}

/** A detector of the caller, with the fields of a catalogue file. */
export interface CustomDetectorDraft {
  /** The type to report: lower-case letters, digits and `_`. */
  name: string;
  /** A regular expression, matched against each whole line. It must not match the empty text. */
  pattern?: string;
  /** Shapes of the value, such as `d4-d4`. Instead of a pattern, or in addition to one. */
  shapes?: string[];
  /** Words that stand next to the value, such as `member number`. They are evidence like the labels of the catalogue: also as the head of a column, or in the question before an answer. */
  labels?: string[];
  /** Further shapes, found only next to one of the labels. */
  labelled?: string[];
  /** The contents of fixed places of the values that a shape finds. Values with other contents are not reported. */
  parts?: PartInput[];
  /** Check digits of the values that a shape finds. Values that fail are not reported. The rule `function` is rejected. */
  check?: {rule: string};
  /** Words near a match that are evidence for it. */
  context?: string[];
  /** Confidence of a match without any of the words, 0 to 1. The default is 0.75. */
  confidence?: number;
  /** Its category; `personal` when absent. */
  category?: Category;
}

/**
 * Fixed places of a compact value and what they may contain.
 *
 * The compact value is the text without its separators and without the literal prefix of its shape, with its letters in upper case. All conditions that are given must hold, and at least one is given.
 */
export interface PartInput {
  /** The first place, counted from 0; negative from the end. */
  at: number;
  /** The number of characters, or 0 up to the end. The default is 1. */
  len?: number;
  /** The length of the values that have this part; 0 for all. */
  length?: number;
  /** The smallest number that may be there. */
  min?: number | null;
  /** The largest number that may be there. */
  max?: number | null;
  /** Numbers that are never there. */
  not?: number[];
  /** The characters that may be there. */
  chars?: string;
  /** Strings that may be there, each of `len` characters. */
  one_of?: string[];
  /** Strings that are never there, each of `len` characters. */
  none_of?: string[];
  /** Numbers that may be there. An entry is a number, or a range such as `1-40`. */
  within?: string[];
}

/** A detector of the caller, with the fields of a catalogue file. */
export interface CustomDetector {
  /** The type to report: lower-case letters, digits and `_`. */
  name: string;
  /** A regular expression, matched against each whole line. It must not match the empty text. */
  pattern?: string | null;
  /** Shapes of the value, such as `d4-d4`. Instead of a pattern, or in addition to one. */
  shapes?: string[] | null;
  /** Words that stand next to the value, such as `member number`. They are evidence like the labels of the catalogue: also as the head of a column, or in the question before an answer. */
  labels?: string[] | null;
  /** Further shapes, found only next to one of the labels. */
  labelled?: string[] | null;
  /** The contents of fixed places of the values that a shape finds. Values with other contents are not reported. */
  parts?: Part[] | null;
  /** Check digits of the values that a shape finds. Values that fail are not reported. The rule `function` is rejected. */
  check?: {rule: string} | null;
  /** Words near a match that are evidence for it. */
  context?: string[] | null;
  /** Confidence of a match without any of the words, 0 to 1. The default is 0.75. */
  confidence?: number | null;
  /** Its category; `personal` when absent. */
  category?: Category | null;
}

/**
 * Fixed places of a compact value and what they may contain.
 *
 * The compact value is the text without its separators and without the literal prefix of its shape, with its letters in upper case. All conditions that are given must hold, and at least one is given.
 */
export interface Part {
  /** The first place, counted from 0; negative from the end. */
  at: number;
  /** The number of characters, or 0 up to the end. The default is 1. */
  len: number;
  /** The length of the values that have this part; 0 for all. */
  length: number;
  /** The smallest number that may be there. */
  min?: number | null;
  /** The largest number that may be there. */
  max?: number | null;
  /** Numbers that are never there. */
  not?: number[];
  /** The characters that may be there. */
  chars?: string;
  /** Strings that may be there, each of `len` characters. */
  one_of?: string[];
  /** Strings that are never there, each of `len` characters. */
  none_of?: string[];
  /** Numbers that may be there. An entry is a number, or a range such as `1-40`. */
  within?: string[];
}

/** The workspace's own detectors. */
export interface CustomDetectors {
  /** In the order in which they were added. */
  custom_detectors: CustomDetector[];
  /** The number of entries. */
  count: number;
}

/** A finding that matches is not reported. */
export type AllowRule =
  | {
      /** The whole finding, ignoring case. */
      value: string;
    }
  | {
      /** The whole finding matches this pattern. */
      regex: string;
    }
  | {
      /** An e-mail address or a URL of this domain or its subdomains. */
      domain: string;
    };

/** An entry of a list. */
export type AllowRuleEntry =
  | {
      /** A UUID. */
      id: string;
      /** ISO 8601. */
      created_at: string;
      /** The whole finding, ignoring case. */
      value: string;
    }
  | {
      /** A UUID. */
      id: string;
      /** ISO 8601. */
      created_at: string;
      /** The whole finding matches this pattern. */
      regex: string;
    }
  | {
      /** A UUID. */
      id: string;
      /** ISO 8601. */
      created_at: string;
      /** An e-mail address or a URL of this domain or its subdomains. */
      domain: string;
    };

/** The allow list. */
export interface AllowList {
  /** In the order in which they were added. */
  allow_list: AllowRuleEntry[];
  /** The number of entries. */
  count: number;
  /** The specimens that the list allows. */
  allowed_specimens: number;
  /** All specimens. */
  specimens: number;
}

/** A text that is reported wherever it occurs as a separate word. */
export interface DenyRule {
  /** The text, found ignoring case. */
  value: string;
  /** The type to report; `deny_list` when absent. */
  type?: string;
}

/** An entry of a list. */
export interface DenyRuleEntry {
  /** A UUID. */
  id: string;
  /** ISO 8601. */
  created_at: string;
  /** The text, found ignoring case. */
  value: string;
  /** The type to report; `deny_list` when absent. */
  type?: string | null;
}

/** The deny list. */
export interface DenyList {
  /** In the order in which they were added. */
  deny_list: DenyRuleEntry[];
  /** The number of entries. */
  count: number;
}

/** The findings in a text. */
export interface DetectResponse {
  /** Original input. */
  text: string;
  /** Ordered by start, never overlapping. */
  entities: DetectedEntity[];
  /** Most likely first. */
  countries_detected: CountryDetection[];
  /** The effective preset. */
  privacy_preset: Preset;
  /** Whole milliseconds, rounded up from a started one. */
  processing_time_ms: number;
  /** Version of the API. */
  api_version: "v1";
}

/** A piece of personal data. */
export interface DetectedEntity {
  /** Entity type. */
  type: string;
  /** Exact matched text. */
  original: string;
  /** Country of the detector. */
  country: string | null;
  /** 0 to 1. */
  confidence: number;
  /** Passed checksum or structural validation. */
  validated: boolean;
  /** Zero-based, in the requested unit. */
  start: number;
  /** Exclusive. */
  end: number;
  /** Detector-specific; null without facts. */
  metadata: Metadata | null;
  /** With `explain` only. */
  evidence?: Evidence[];
}

/** A country that the text is probably about. */
export interface CountryDetection {
  /** ISO 3166-1 alpha-2. */
  code: string;
  /** 0 to 1. */
  confidence: number;
  /** With `explain` only. */
  evidence?: Evidence[];
}

/**
 * The minimum confidence of reported findings, by name.
 * - `conservative`: Only near-certain personal data: fewest false positives.
 * - `balanced`: The default.
 * - `aggressive`: All possible personal data: fewest misses.
 */
export type Preset = "conservative" | "balanced" | "aggressive";

/** The end of every chain of a workspace, signed. */
export interface AuditHead {
  /** The signed part. */
  head: AuditEnds;
  /** HMAC-SHA256 in hex over the bytes of `head` as compact JSON, under the workspace's audit key. */
  signature: string;
}

/** The end of every chain of a workspace. */
export interface AuditEnds {
  /** The workspace. */
  workspace_id: string;
  /** ISO 8601: when it was signed. */
  at: string;
  /** The version of the key, as in `token_secrets`. */
  key: number;
  /** By the number of the chain: its last record. Chains without records are absent. */
  chains: Record<string, AuditLink>;
}

/** A position in a chain: after the record with this number and MAC. */
export interface AuditLink {
  /** The number of the record; 0 before the first one. */
  sequence: number;
  /** Its MAC in hex; zeros before the first one. */
  hash: string;
}

/** The identity provider that the console signs in with. */
export interface IdentityProvider {
  /** The issuer; its discovery document is below this address. */
  issuer: string;
  /** The id of the console at the provider. */
  client_id: string;
  /** The scope to request, with `openid`. */
  scope: string;
  /** The token of the provider that the service accepts. */
  token: TokenKind;
  /** The origin of the token endpoint, if it differs from the issuer's. */
  token_origin: string | null;
}

/**
 * A token of an identity provider.
 * - `access`: The access token, which must be a JWT.
 * - `id`: The ID token, for providers whose access tokens are not JWTs.
 */
export type TokenKind = "access" | "id";

/** The ways to sign in beside pasted tokens. */
export interface SignInOptions {
  /** The operator's identity provider; `null` without one. */
  identity_provider: IdentityProvider | null;
}

/** Which audit records are listed. */
export interface AuditFilter {
  from?: string | undefined;
  to?: string | undefined;
  event?: string | undefined;
  actor?: string | undefined;
  action?: string | undefined;
  entity_type?: string | undefined;
  request_id?: string | undefined;
}
