// Adding and changing an LLM provider.

import { changeProvider, createProvider } from "../api.js";
import { Check, ListField, NumberField, SelectField, TextField } from "../parts/controls.js";
import { AsCurl } from "../parts/curl.js";
import { useFocus } from "../parts/focus.js";
import { Form, FormRefusal, SubmitButton } from "../parts/form.js";
import { announce } from "../parts/notice.js";
import { useDraft, useSaving } from "../parts/saving.js";
import { ApiError, send } from "../request.js";
import { leave } from "../router.js";
import { type Provider, type ProviderDraft, PROVIDER_TYPES } from "../types.js";

/** The typed draft; the reference of a credential as it is in its field. */
interface Typed extends ProviderDraft {
  env_placeholder: string;
}

const EMPTY: Typed = {
  provider_type: "openai",
  display_name: "",
  credential_source: "env_placeholder",
  env_placeholder: "",
  base_url: "https://api.openai.com/v1",
  default_model: "",
  allowed_models: [],
  supports_streaming: true,
  priority: 0,
  is_platform_default: false,
  is_active: true,
};

/** The names of credentials that the service accepts. */
const REFERENCE = /^\$\{[A-Z][A-Z0-9_]{0,63}\}$/;

export function ProviderForm({ edited, onSaved }: { edited: Provider | undefined; onSaved: () => Promise<void> }) {
  const { draft, set, isEdited } = useDraft(() => (edited ? typedOf(edited) : EMPTY));
  const { isSending, refusal, save } = useSaving("providers", isEdited);
  const heading = useFocus<HTMLHeadingElement>();
  const { env_placeholder: reference, ...others } = draft;

  const asksReference = draft.credential_source === "env_placeholder";
  // the service keeps the reference of a provider and never shows it, so an empty field keeps it too
  const keepsReference = edited?.credential_source === "env_placeholder" && reference === "";
  const problem = asksReference && !keepsReference ? problemOf(reference) : undefined;
  // a text that is not a reference may be the credential itself: it is neither sent nor shown
  const sent = withReference(others, asksReference ? (problem || keepsReference ? undefined : reference) : null);
  const call = edited ? changeProvider(edited.id, sent) : createProvider(sent);

  const submit = () =>
    save(async () => {
      if (problem) {
        throw new ApiError(0, "the credential must be a reference such as ${OPENAI_API_KEY}", "env_placeholder");
      }
      await send(call);
      await onSaved();
      announce(`${draft.display_name} is saved.`);
    });

  return (
    <section class="panel" aria-labelledby="provider-title">
      <h2 id="provider-title" tabindex={-1} ref={heading}>
        {edited ? `Edit ${edited.display_name}` : "Add a provider"}
      </h2>
      <Form label="Provider" refusal={refusal} onSubmit={submit}>
        <div class="columns">
          <TextField
            name="display_name"
            label="Name"
            required
            value={draft.display_name}
            onChange={(display_name) => set({ display_name })}
          />
          <SelectField
            name="provider_type"
            label="Type"
            options={PROVIDER_TYPES}
            value={draft.provider_type}
            onChange={(provider_type) => set({ provider_type })}
          />
          <TextField
            name="base_url"
            label="Address"
            look="code"
            required
            hint="Use https, unless the operator allows another host."
            value={draft.base_url}
            onChange={(base_url) => set({ base_url })}
          />
          <TextField
            name="default_model"
            label="Default model"
            look="code"
            required
            value={draft.default_model}
            onChange={(default_model) => set({ default_model })}
          />
          <ListField
            name="allowed_models"
            label="Allowed models (empty: all)"
            hint="Separate models with commas."
            values={draft.allowed_models}
            onChange={(allowed_models) => set({ allowed_models })}
          />
          <NumberField
            name="priority"
            label="Priority"
            hint="The highest priority comes first."
            required
            value={draft.priority}
            onChange={(priority) => set({ priority: priority ?? Number.NaN })}
          />
          <SelectField
            name="credential_source"
            label="Credential"
            hint="Only openai_compatible, ollama and vllm work without a credential."
            options={[
              ["env_placeholder", "by reference"],
              ["none", "none"],
            ]}
            value={draft.credential_source}
            onChange={(credential_source) => set({ credential_source })}
          />
          {asksReference && (
            <TextField
              name="env_placeholder"
              label="Reference of the credential"
              look="code"
              placeholder="${OPENAI_API_KEY}"
              hint={edited ? "Leave empty to keep the current reference." : "Name a secret of the service, as ${NAME}."}
              problem={reference === "" ? undefined : problem}
              value={reference}
              onChange={(value) => set({ env_placeholder: value.trim() })}
            />
          )}
        </div>
        <div class="checks">
          <Check checked={draft.supports_streaming} onChange={(supports_streaming) => set({ supports_streaming })}>
            Supports streaming
          </Check>
          <Check checked={draft.is_platform_default} onChange={(is_platform_default) => set({ is_platform_default })}>
            Default provider
          </Check>
          {edited && (
            <Check checked={draft.is_active ?? true} onChange={(is_active) => set({ is_active })}>
              Active
            </Check>
          )}
        </div>
        <FormRefusal />
        <div class="actions">
          <SubmitButton isSending={isSending}>Save</SubmitButton>
          <button type="button" onClick={() => leave("providers")}>
            Cancel
          </button>
        </div>
      </Form>
      <AsCurl call={call} />
    </section>
  );
}

function problemOf(reference: string): string | undefined {
  if (REFERENCE.test(reference)) return undefined;
  return (
    "Write a reference: ${NAME}, with capital letters, digits and _. " +
    "The credential itself never belongs here; the operator stores it under that name."
  );
}

/** Null where there is no credential, undefined where nothing is said of it. */
function withReference(draft: ProviderDraft, env_placeholder: string | null | undefined): ProviderDraft {
  return env_placeholder === undefined ? draft : { ...draft, env_placeholder };
}

/** The fields of a provider that can be set. */
function typedOf(provider: Provider): Typed {
  const names = Object.keys(EMPTY).filter((name) => name in provider) as (keyof Provider)[];
  return { ...EMPTY, ...Object.fromEntries(names.map((name) => [name, provider[name]])), env_placeholder: "" };
}
