// LLM providers of the user's workspace.

import { useState } from "preact/hooks";
import { allProviders, deleteProvider, listProviders, validateProvider } from "../api.js";
import { Confirmed } from "../parts/confirm.js";
import { AsCurl } from "../parts/curl.js";
import { useLoad } from "../parts/load.js";
import { announce, Refused, sentence } from "../parts/notice.js";
import { useSending } from "../parts/saving.js";
import { StateBadge } from "../parts/tone.js";
import { go, place } from "../router.js";
import { send } from "../request.js";
import type { Provider } from "../types.js";
import { ProviderForm } from "./provider-form.js";

export function Providers() {
  const { data: providers, error, reload } = useLoad(allProviders, []);
  const [, chosen] = place.value;
  const edited = providers?.find(({ id }) => id === chosen);

  if (chosen === "new" || edited) {
    return <ProviderForm key={chosen} edited={edited} onSaved={reload} />;
  }
  return (
    <>
      <p class="lead">The gateway sends requests to these providers. The operator keeps their credentials.</p>
      <Refused error={error} />
      <div class="actions">
        <button type="button" class="primary" onClick={() => go("providers/new")}>
          Add a provider
        </button>
      </div>
      {providers?.length === 0 && <p class="empty">No provider yet. Routes need at least one.</p>}
      <ul class="cards" aria-label="LLM providers">
        {providers?.map((provider) => (
          <ProviderCard key={provider.id} provider={provider} onChanged={reload} />
        ))}
      </ul>
      <AsCurl call={listProviders()} name="This list as curl" />
    </>
  );
}

const STATES = { unknown: "plain", valid: "good", invalid: "bad", unreachable: "bad", error: "bad" } as const;

function ProviderCard({ provider, onChanged }: { provider: Provider; onChanged: () => Promise<void> }) {
  const { id, display_name, provider_type, validation_status } = provider;
  const [outcome, setOutcome] = useState("");
  const { isSending, refusal, run } = useSending();

  const validate = async () => {
    setOutcome("");
    const { message } = await send(validateProvider(id));
    setOutcome(message);
    await onChanged();
  };
  const removed = () => {
    announce(`${display_name} is deleted.`);
    void onChanged();
  };

  return (
    <li class="card">
      <div class="card-head">
        <h2>{display_name}</h2>
        <StateBadge state={STATES[validation_status]}>{validation_status}</StateBadge>
        {!provider.is_active && <StateBadge state="bad">not active</StateBadge>}
        {provider.is_platform_default && <StateBadge state="plain">default</StateBadge>}
      </div>
      <dl class="facts">
        <Fact name="Type" value={provider_type} />
        <Fact name="Address" value={provider.base_url} />
        <Fact name="Default model" value={provider.default_model} />
        <Fact name="Models" value={provider.allowed_models.join(", ") || "any"} />
        <Fact name="Credential" value={provider.credential_source === "none" ? "none" : "by reference"} />
        <Fact name="Priority" value={String(provider.priority)} />
        <Fact name="Streaming" value={provider.supports_streaming ? "yes" : "no"} />
        <Fact name="Id" value={id} />
      </dl>
      <p role="status" class="soft">
        {outcome && sentence(outcome.replace(/\.$/, ""))}
      </p>
      <Refused error={refusal} />
      <div class="actions">
        <button
          type="button"
          aria-label={`${isSending ? "Validating…" : "Validate"} ${display_name}`}
          aria-disabled={isSending ? "true" : undefined}
          onClick={() => run(validate)}
        >
          {isSending ? "Validating…" : "Validate"}
        </button>
        <button type="button" aria-label={`Edit ${display_name}`} onClick={() => go(`providers/${id}`)}>
          Edit
        </button>
        <Confirmed
          verb="Delete"
          subject={display_name}
          question={`Delete the provider ${display_name}?`}
          call={() => deleteProvider(id)}
          onDone={removed}
        />
        <AsCurl call={validateProvider(id)} name="Validate as curl" />
      </div>
    </li>
  );
}

function Fact({ name, value }: { name: string; value: string }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{value}</dd>
    </div>
  );
}
