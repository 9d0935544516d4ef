// Rights of credentials, and which of them a key or a role may have.

import type { Scope } from "./types.js";

export const MEANINGS: Record<Scope, string> = {
  detect: "detects and validates",
  protect: "protects texts",
  restore: "restores tokens",
  "settings.read": "reads detectors, lists, keys, providers, configuration and policies",
  "settings.write": "changes custom detectors and lists, except for what the allow list allows",
  "settings.allow": "adds to the allow list, which weakens protection",
  "gateway.chat": "sends requests to language models through the gateway",
  "gateway.admin": "changes configuration and policies of the gateway",
  providers: "changes LLM providers",
  keys: "creates and revokes API keys",
  "audit.read": "reads audit records",
  metrics: "reads metrics",
};

/** The scopes of a key unless it is created with others. */
export const DEFAULT_SCOPES: readonly Scope[] = ["detect", "protect", "restore", "settings.read"];

/** The scopes that a key may have, with what they open. */
export const KEY_SCOPES = ([...DEFAULT_SCOPES, "settings.write", "settings.allow"] as const).map((scope) => [scope, MEANINGS[scope]] as const);

/** The scopes of the role `member`. */
export const MEMBER_SCOPES: readonly Scope[] = ["detect", "protect", "restore", "settings.read", "audit.read"];
