// API keys of the user's workspace. A new key is shown once.

import { useState } from "preact/hooks";
import { listKeys, revokeKey } from "../api.js";
import { Confirmed } from "../parts/confirm.js";
import { CopyButton } from "../parts/copy.js";
import { AsCurl } from "../parts/curl.js";
import { useFocus } from "../parts/focus.js";
import { useLoad } from "../parts/load.js";
import { announce, Refused } from "../parts/notice.js";
import { Table } from "../parts/table.js";
import { StateBadge, Time } from "../parts/tone.js";
import { send } from "../request.js";
import { go, place } from "../router.js";
import { KEY_SCOPES, MEANINGS, MEMBER_SCOPES } from "../scopes.js";
import { type ApiKey, type KeyLimits, type Scope, SCOPES } from "../types.js";
import { KeyForm } from "./key-form.js";

export function Keys() {
  const { data, error, reload } = useLoad(() => send(listKeys()), []);
  const [created, setCreated] = useState<string>();
  const made = (key: string) => {
    setCreated(key);
    void reload();
  };

  if (place.value[1] === "new") return <KeyForm onCreated={made} />;
  return (
    <>
      <p class="lead">API keys open detection, validation and protection, but not the gateway.</p>
      <Refused error={error} />
      {created ? (
        <NewKey value={created} onDone={() => setCreated(undefined)} />
      ) : (
        <div class="actions">
          <button type="button" class="primary" onClick={() => go("keys/new")}>
            Create a key
          </button>
        </div>
      )}
      {data?.api_keys.length === 0 && <p class="empty">No key yet.</p>}
      <ul class="cards" aria-label="API keys">
        {data?.api_keys.map((key) => (
          <KeyCard key={key.id} record={key} onRevoked={reload} />
        ))}
      </ul>
      <AsCurl call={listKeys()} name="This list as curl" />
      <Scopes />
    </>
  );
}

/** A table of the scopes: the endpoints that each opens, and the credentials that may have it. */
function Scopes() {
  return (
    <details class="panel">
      <summary>Scopes of keys and tokens</summary>
      <p class="soft">
        A service token has the scopes and workspaces of its entry in the variable service_tokens; the API does not list them.
        A user token has the scopes of its role: admin has all, member reads and protects.
      </p>
      <Table title="Scopes" heads={["Scope", "Access", "API key", "Role member"]}>
        {SCOPES.map((scope) => (
          <tr key={scope}>
            <th scope="row">
              <code>{scope}</code>
            </th>
            <td>{MEANINGS[scope]}</td>
            <td>{isOf(scope, KEY_SCOPES.map(([one]) => one))}</td>
            <td>{isOf(scope, MEMBER_SCOPES)}</td>
          </tr>
        ))}
      </Table>
    </details>
  );
}

function isOf(scope: Scope, scopes: readonly Scope[]): string {
  return scopes.includes(scope) ? "yes" : "no";
}

function NewKey({ value, onDone }: { value: string; onDone: () => void }) {
  const heading = useFocus<HTMLHeadingElement>();
  return (
    <section class="panel new-key" aria-labelledby="new-key-title">
      <h2 id="new-key-title" tabindex={-1} ref={heading}>
        The new key
      </h2>
      <p>Copy the key now; it is not shown again. The service stores only its hash.</p>
      <code class="secret">{value}</code>
      <div class="actions">
        <CopyButton text={value} label="Copy the key" />
        <button type="button" onClick={onDone}>
          Hide the key
        </button>
      </div>
    </section>
  );
}

function KeyCard({ record, onRevoked }: { record: ApiKey; onRevoked: () => Promise<void> }) {
  const { id, name, key_prefix, plan, limits, scopes, is_active, created_at, expires_at, revoked_at } = record;
  const shown = name || key_prefix;
  const revoked = () => {
    announce(`${shown} is revoked.`);
    void onRevoked();
  };
  return (
    <li class="card" data-off={is_active ? undefined : ""}>
      <div class="card-head">
        <h2>{shown}</h2>
        <StateBadge state={is_active ? "good" : "plain"}>
          {is_active ? "active" : revoked_at ? "revoked" : "expired"}
        </StateBadge>
        <StateBadge state="plain">{plan}</StateBadge>
      </div>
      <dl class="facts">
        <div>
          <dt>Prefix</dt>
          <dd>
            <code>{key_prefix}…</code>
          </dd>
        </div>
        <div>
          <dt>Created</dt>
          <dd>
            <Time at={created_at} />
          </dd>
        </div>
        <div>
          <dt>Expiry</dt>
          <dd>{expires_at ? <Time at={expires_at} /> : "never"}</dd>
        </div>
        <div>
          <dt>Limits</dt>
          <dd>{limitsTold(limits)}</dd>
        </div>
        <div>
          <dt>Scopes</dt>
          <dd>{scopes.join(", ")}</dd>
        </div>
      </dl>
      {is_active && (
        <div class="actions">
          <Confirmed
            verb="Revoke"
            subject={shown}
            question={`Revoke the key ${shown}? The service will reject requests with this key.`}
            call={() => revokeKey(id)}
            onDone={revoked}
          />
        </div>
      )}
    </li>
  );
}

function limitsTold({ requests_per_minute, concurrent_requests, requests_per_month }: KeyLimits): string {
  const own = [
    requests_per_minute && `${requests_per_minute} per minute`,
    concurrent_requests && `${concurrent_requests} in flight`,
    requests_per_month !== undefined && `${requests_per_month} per month`,
  ];
  return own.filter(Boolean).join(", ") || "default";
}
