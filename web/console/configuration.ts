// The changed fields of a configuration, in the shape of updates.

import { isSame } from "./same.js";
import type { Configuration, ConfigurationChange } from "./types.js";

/** Only what differs: what is absent from an update stays. */
export function changeOf(before: Configuration, after: Configuration): ConfigurationChange {
  return present({
    providers: changedEntries(before.providers, after.providers, null),
    risk_levels: changedEntries(before.risk_levels, after.risk_levels, null),
    default_action: changed(before.default_action, after.default_action),
    rate_limits: changedEntries(before.rate_limits, after.rate_limits, undefined),
    streaming: changedEntries(before.streaming, after.streaming, undefined),
    auth_cache_ttl: changed(before.auth.cache_ttl, after.auth.cache_ttl),
    provider_config_cache_ttl: changed(before.provider_config.cache_ttl, after.provider_config.cache_ttl),
    policy_cache_ttl: changed(before.policy.cache_ttl, after.policy.cache_ttl),
    audit_retention_days: changed(before.audit.retention_days, after.audit.retention_days),
    audit_level: changed(before.audit.level, after.audit.level),
    region: changed(before.region, after.region),
  }) as ConfigurationChange;
}

/** The names of the fields of a change, such as `providers.primary`. */
export function fieldsOf(change: ConfigurationChange): string[] {
  return Object.entries(change).flatMap(([name, value]) =>
    typeof value === "object" && value !== null ? Object.keys(value).map((inner) => `${name}.${inner}`) : [name],
  );
}

function changed<Value>(before: Value, after: Value): Value | undefined {
  return isSame(before, after) ? undefined : after;
}

/** The entries that differ, with `gone` for those that are there no longer; none where nothing differs. */
function changedEntries(before: object, after: object, gone: null | undefined): object | undefined {
  const [old, now] = [before as Record<string, unknown>, after as Record<string, unknown>];
  const names = [...new Set([...Object.keys(old), ...Object.keys(now)])];
  const different = names.filter((name) => !isSame(old[name], now[name]));
  if (different.length === 0) return undefined;
  return Object.fromEntries(different.map((name) => [name, name in now ? now[name] : gone]));
}

function present(fields: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}
