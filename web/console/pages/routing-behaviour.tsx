// The parts of the configuration that are single values.

import { ACTION_OPTIONS } from "../actions.js";
import { Check, NumberField, SelectField, TextField } from "../parts/controls.js";
import type { AuditLevel, Configuration } from "../types.js";
import { bind, type Edited, undoOf } from "./edited.js";

/** Objects of numbers in the configuration. */
type Numbers = "rate_limits" | "streaming" | "auth" | "provider_config" | "policy" | "audit";

export function Behaviour(edited: Edited) {
  const { draft, stored, set } = edited;
  const region = bind(edited, "region");

  const number = <Part extends Numbers>(part: Part, inner: keyof Configuration[Part] & string) => {
    const now: Record<string, unknown> = { ...draft[part] };
    const before: Record<string, unknown> = { ...stored[part] };
    const put = (value: unknown) => set({ [part]: { ...now, [inner]: value } });
    return {
      value: now[inner] as number,
      required: true,
      onChange: (value: number | undefined) => put(value ?? Number.NaN),
      onUndo: undoOf(now[inner], before[inner], put),
    };
  };
  const flag = (inner: "enabled" | "fail_closed") => {
    const [now, before] = [draft.streaming[inner] === true, stored.streaming[inner] === true];
    const put = (value: boolean) => set({ streaming: { ...draft.streaming, [inner]: value } });
    return { checked: now, onChange: put, onUndo: undoOf(now, before, put) };
  };

  const setAuditLevel = (level: AuditLevel) => set({ audit: { ...draft.audit, level } });

  return (
    <>
      <section class="panel" aria-labelledby="limits-title">
        <h2 id="limits-title">Limits and streaming</h2>
        <div class="columns">
          <NumberField
            name="rate_limits.requests_per_minute"
            label="Requests per minute"
            {...number("rate_limits", "requests_per_minute")}
          />
          <NumberField name="rate_limits.burst" label="Burst" {...number("rate_limits", "burst")} />
          <NumberField
            name="streaming.buffer_tokens"
            label="Stream look-ahead (tokens)"
            hint="The gateway inspects these tokens before it sends them on."
            {...number("streaming", "buffer_tokens")}
          />
        </div>
        <div class="checks">
          <Check {...flag("enabled")}>Streaming</Check>
          <Check {...flag("fail_closed")}>Stop uninspected streams</Check>
        </div>
      </section>

      <section class="panel" aria-labelledby="protection-title">
        <h2 id="protection-title">Protection and audit</h2>
        <div class="columns">
          <SelectField
            name="default_action"
            label="Default action"
            hint="The default action applies to findings without a policy."
            options={ACTION_OPTIONS}
            {...bind(edited, "default_action")}
          />
          <SelectField
            name="audit_level"
            label="Audit level"
            options={[
              ["none", "none: no records"],
              ["minimal", "minimal: the decision"],
              ["standard", "standard: also types and policies"],
              ["full", "full: also the masked text"],
            ] satisfies [AuditLevel, string][]}
            value={draft.audit.level}
            onChange={setAuditLevel}
            onUndo={undoOf(draft.audit.level, stored.audit.level, setAuditLevel)}
          />
          <NumberField
            name="audit_retention_days"
            label="Audit retention (days)"
            {...number("audit", "retention_days")}
          />
          <TextField
            name="region"
            label="Data residency label (optional)"
            value={region.value ?? ""}
            onChange={(value) => region.onChange(value || null)}
            onUndo={region.onUndo}
          />
        </div>
        <h3>Cache lifetime (seconds)</h3>
        <div class="columns">
          <NumberField name="policy_cache_ttl" label="Policies" {...number("policy", "cache_ttl")} />
          <NumberField
            name="provider_config_cache_ttl"
            label="Configuration and providers"
            {...number("provider_config", "cache_ttl")}
          />
          <NumberField name="auth_cache_ttl" label="Derived keys" {...number("auth", "cache_ttl")} />
        </div>
      </section>
    </>
  );
}
