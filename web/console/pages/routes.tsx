// Routes: which provider and model a request goes to, by the name that clients send as the model.

import { useRef } from "preact/hooks";
import { Adding, SelectField, TextField } from "../parts/controls.js";
import { isSame } from "../same.js";
import type { Provider, Route } from "../types.js";
import type { Edited } from "./edited.js";

export function Routes({ draft, stored, set, providers }: Edited & { providers: Provider[] }) {
  const names = [...new Set([...Object.keys(stored.providers), ...Object.keys(draft.providers)])];
  const usual = ["primary", "fallback"].filter((name) => !names.includes(name));
  const put = (name: string, route: Route) => set({ providers: { ...draft.providers, [name]: route } });
  const heading = useRef<HTMLHeadingElement>(null);
  const remove = (name: string) => {
    const { [name]: _gone, ...others } = draft.providers;
    set({ providers: others });
    // the button is gone, so the keyboard goes on at the top of the routes
    heading.current?.focus();
  };
  const undo = (name: string) => {
    const before = stored.providers[name];
    if (!before) return remove(name);
    put(name, before);
    heading.current?.focus();
  };

  return (
    <section class="panel" aria-labelledby="routes-title">
      <h2 id="routes-title" tabindex={-1} ref={heading}>
        Routes
      </h2>
      <p class="soft">
        Clients name a route as their model. <code>primary</code> is used where a request names no model, <code>fallback</code>{" "}
        where the provider fails.
      </p>
      {names.length === 0 && <p class="empty">No route yet: requests go to the default provider, if there is one.</p>}
      {names.map((name) => (
        <RouteRow
          key={name}
          name={name}
          route={draft.providers[name]}
          before={stored.providers[name]}
          providers={providers}
          onChange={(route) => put(name, route)}
          onRemove={() => remove(name)}
          onUndo={() => undo(name)}
        />
      ))}
      <Adding
        name="providers"
        label="New route"
        verb="Add the route"
        placeholder={usual[0] ?? "name"}
        suggestions={usual}
        taken={names}
        onAdd={(name) => put(name, { provider: providers[0]?.id ?? "", model: providers[0]?.default_model ?? "" })}
      />
    </section>
  );
}

interface RowProps {
  name: string;
  route: Route | undefined;
  before: Route | undefined;
  providers: Provider[];
  onChange: (route: Route) => void;
  onRemove: () => void;
  onUndo: () => void;
}

function RouteRow({ name, route, before, providers, onChange, onRemove, onUndo }: RowProps) {
  const isChanged = !isSame(route, before);
  const provider = providers.find(({ id, provider_type }) => [id, provider_type].includes(route?.provider ?? ""));
  return (
    <fieldset class="row" data-changed={isChanged ? "" : undefined}>
      <legend>
        <code>{name}</code>
        {isChanged && (
          <span class="changed">
            {route ? "not saved" : "removed, not saved"}{" "}
            <button type="button" class="link" aria-label={`Undo the route ${name}`} onClick={onUndo}>
              Undo
            </button>
          </span>
        )}
      </legend>
      {route && (
        <>
          <ProviderField
            name={`providers.${name}.provider`}
            value={route.provider}
            providers={providers}
            onChange={(chosen) => onChange({ ...route, provider: chosen })}
          />
          <TextField
            name={`providers.${name}.model`}
            label="Model"
            look="code"
            required
            value={route.model}
            suggestions={provider ? [...new Set([provider.default_model, ...provider.allowed_models])] : []}
            onChange={(model) => onChange({ ...route, model })}
          />
          <button type="button" class="danger" aria-label={`Remove the route ${name}`} onClick={onRemove}>
            Remove
          </button>
        </>
      )}
    </fieldset>
  );
}

interface ProviderFieldProps {
  name: string;
  value: string;
  providers: Provider[];
  onChange: (provider: string) => void;
}

/** Chosen from the workspace's providers; typed where the user token is not there to list them. */
function ProviderField({ name, value, providers, onChange }: ProviderFieldProps) {
  const field = { name, label: "Provider", value, onChange };
  if (providers.length === 0) {
    return <TextField {...field} look="code" required hint="Enter the id or the type of an LLM provider." />;
  }
  const told = ({ display_name, provider_type }: Provider) => `${display_name} (${provider_type})`;
  const listed = providers.map((provider) => [provider.id, told(provider)] as const);
  const isListed = providers.some(({ id }) => id === value);
  return <SelectField {...field} options={isListed ? listed : [[value, value], ...listed]} />;
}
