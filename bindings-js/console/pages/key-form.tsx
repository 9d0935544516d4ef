import { useState } from "preact/hooks";
import { createKey } from "../api.js";
import { NumberField, SelectField, TextField } from "../parts/controls.js";
import { AsCurl } from "../parts/curl.js";
import { useFocus } from "../parts/focus.js";
import { Form, FormRefusal } from "../parts/form.js";
import { asApiError } from "../parts/load.js";
import { ApiError, send } from "../request.js";
import { leave } from "../router.js";
import { type KeyDraft, type KeyLimits, type Plan, PLANS } from "../types.js";

export function KeyForm({ onCreated }: { onCreated: (key: string) => void }) {
  const [name, setName] = useState("");
  const [plan, setPlan] = useState<Plan | "">("");
  const [expires, setExpires] = useState("");
  const [limits, setLimits] = useState<KeyLimits>({});
  const [refusal, setRefusal] = useState<ApiError>();
  const heading = useFocus<HTMLHeadingElement>();

  const draft: KeyDraft = {
    name,
    ...(plan && { plan }),
    ...(expires && { expires_at: new Date(expires).toISOString() }),
    ...(Object.keys(limits).length > 0 && { limits }),
  };
  const limit = (key: keyof KeyLimits) => ({
    name: `limits.${key}`,
    value: limits[key],
    onChange: (value: number | undefined) => {
      const { [key]: _before, ...others } = limits;
      setLimits(value === undefined ? others : { ...others, [key]: value });
    },
  });
  const create = async () => {
    try {
      onCreated((await send(createKey(draft))).key);
    } catch (error) {
      setRefusal(ofEachLimit(asApiError(error)));
    }
  };

  return (
    <section class="panel" aria-labelledby="key-title">
      <h2 id="key-title" tabindex={-1} ref={heading}>
        Create a key
      </h2>
      <Form label="API key" refusal={refusal} onSubmit={() => void create()}>
        <div class="columns">
          <TextField name="name" label="Name" hint="what the key is for" required value={name} onChange={setName} />
          <SelectField
            name="plan"
            label="Plan"
            options={[["", "the workspace's own"], ...PLANS.map((one) => [one, one] as const)]}
            value={plan}
            onChange={setPlan}
          />
          <TextField
            name="expires_at"
            label="Expires"
            type="datetime-local"
            hint="empty: never"
            value={expires}
            onChange={setExpires}
          />
          <NumberField label="Requests a minute" hint="empty: as for every key" {...limit("requests_per_minute")} />
          <NumberField label="Requests at once" hint="empty: as for every key" {...limit("concurrent_requests")} />
          <NumberField label="Requests a month" hint="empty: as for every key" {...limit("requests_per_month")} />
        </div>
        <FormRefusal />
        <div class="actions">
          <button type="submit" class="primary">
            Create
          </button>
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
function ofEachLimit(refusal: ApiError): ApiError {
  return refusal.field === "limits" ? new ApiError(refusal.status, refusal.message, "limits.*") : refusal;
}
