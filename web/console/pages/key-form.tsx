import { createKey } from "../api.js";
import { Check, NumberField, SelectField, TextField } from "../parts/controls.js";
import { AsCurl } from "../parts/curl.js";
import { useFocus } from "../parts/focus.js";
import { Form, FormRefusal, SubmitButton } from "../parts/form.js";
import { asApiError } from "../parts/load.js";
import { useDraft, useSaving } from "../parts/saving.js";
import { ApiError, send } from "../request.js";
import { leave } from "../router.js";
import { isSame } from "../same.js";
import { DEFAULT_SCOPES, KEY_SCOPES } from "../scopes.js";
import { asTimestamp } from "../timestamp.js";
import { type KeyDraft, type KeyLimits, type Plan, PLANS, type Scope } from "../types.js";

interface Typed {
  name: string;
  plan: Plan | "";
  /** In the person's own time, as the field has it. */
  expires: string;
  limits: KeyLimits;
  scopes: readonly Scope[];
}

const EMPTY: Typed = { name: "", plan: "", expires: "", limits: {}, scopes: DEFAULT_SCOPES };

const DEFAULT_LIMIT = "Leave empty for the default of the service.";

export function KeyForm({ onCreated }: { onCreated: (key: string) => void }) {
  const { draft: typed, set, isEdited } = useDraft(() => EMPTY);
  const { isSending, refusal, save } = useSaving("keys", isEdited);
  const heading = useFocus<HTMLHeadingElement>();

  const { name, plan, expires, limits, scopes } = typed;
  const draft: KeyDraft = {
    name,
    ...(plan && { plan }),
    ...(expires && { expires_at: asTimestamp(expires) }),
    ...(Object.keys(limits).length > 0 && { limits }),
    ...(!isSame(scopes, DEFAULT_SCOPES) && { scopes: [...scopes] }),
  };
  const setScope = (scope: Scope, isGiven: boolean) =>
    set({ scopes: KEY_SCOPES.map(([one]) => one).filter((one) => (one === scope ? isGiven : scopes.includes(one))) });
  const limit = (key: keyof KeyLimits) => ({
    name: `limits.${key}`,
    value: limits[key],
    onChange: (value: number | undefined) => {
      const { [key]: _before, ...others } = limits;
      set({ limits: value === undefined ? others : { ...others, [key]: value } });
    },
  });
  const create = () =>
    save(async () => {
      const { key } = await send(createKey(draft)).catch(ofEachLimit);
      onCreated(key);
    });

  return (
    <section class="panel" aria-labelledby="key-title">
      <h2 id="key-title" tabindex={-1} ref={heading}>
        Create a key
      </h2>
      <Form label="API key" refusal={refusal} onSubmit={create}>
        <div class="columns">
          <TextField
            name="name"
            label="Name"
            hint="Name the application that uses the key."
            required
            value={name}
            onChange={(name) => set({ name })}
          />
          <SelectField
            name="plan"
            label="Plan"
            options={[["", "plan of the workspace"], ...PLANS.map((one) => [one, one] as const)]}
            value={plan}
            onChange={(plan) => set({ plan })}
          />
          <TextField
            name="expires_at"
            label="Expiry"
            type="datetime-local"
            hint="Leave empty for a key without expiry."
            value={expires}
            onChange={(expires) => set({ expires })}
          />
          <NumberField label="Requests per minute" hint={DEFAULT_LIMIT} {...limit("requests_per_minute")} />
          <NumberField label="Requests in flight" hint={DEFAULT_LIMIT} {...limit("concurrent_requests")} />
          <NumberField label="Requests per month" hint={DEFAULT_LIMIT} {...limit("requests_per_month")} />
        </div>
        <fieldset class="scopes">
          <legend>Scopes</legend>
          {KEY_SCOPES.map(([scope, meaning]) => (
            <Check key={scope} checked={scopes.includes(scope)} onChange={(isGiven) => setScope(scope, isGiven)}>
              {`${scope}: ${meaning}`}
            </Check>
          ))}
        </fieldset>
        <FormRefusal />
        <div class="actions">
          <SubmitButton isSending={isSending}>Create</SubmitButton>
          <button type="button" onClick={() => leave("keys")}>
            Cancel
          </button>
        </div>
      </Form>
      <AsCurl call={createKey(draft)} />
    </section>
  );
}

/** The service says that one of the limits is wrong, and not which: it is for the person to see. */
function ofEachLimit(error: unknown): never {
  const { status, message, field } = asApiError(error);
  throw new ApiError(status, message, field === "limits" ? "limits.*" : field);
}
