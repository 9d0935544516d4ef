// Audit events in plain words.

import type { AuditEvent } from "./types.js";

export const EVENT_TITLES: Record<AuditEvent, string> = {
  request: "Request to a model",
  config_update: "Configuration changed",
  policy_create: "Policy added",
  policy_update: "Policy changed",
  policy_delete: "Policy deleted",
  import: "Configuration imported",
  key_create: "API key created",
  key_revoke: "API key revoked",
  provider_create: "Provider added",
  provider_update: "Provider changed",
  provider_delete: "Provider deleted",
  detector_create: "Detector added",
  detector_delete: "Detector deleted",
  allow_list_create: "Allow list entry added",
  allow_list_delete: "Allow list entry removed",
  deny_list_create: "Deny list entry added",
  deny_list_delete: "Deny list entry removed",
};
