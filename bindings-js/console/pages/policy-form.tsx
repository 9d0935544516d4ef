// Adding and changing a policy. What is typed goes to the test beside it as well.

import { useEffect, useState } from "preact/hooks";
import { createPolicy, replacePolicy } from "../api.js";
import { cleaned } from "../conditions.js";
import { isSame } from "../configuration.js";
import { Check, NumberField, SelectField, TextField } from "../parts/controls.js";
import { AsCurl } from "../parts/curl.js";
import { useFocus } from "../parts/focus.js";
import { Form, FormRefusal } from "../parts/form.js";
import { asApiError } from "../parts/load.js";
import { announce } from "../parts/notice.js";
import { draftOf } from "../policy-order.js";
import { ApiError, send } from "../request.js";
import { leave, useUnsaved } from "../router.js";
import { ACTIONS, type Policy, type PolicyDraft } from "../types.js";
import { ConditionsField } from "./conditions-field.js";

const MEANINGS: Record<(typeof ACTIONS)[number], string> = {
  ALLOW: "leaves it",
  FLAG: "leaves it and reports it",
  MASK: "hides it; answers have it again",
  TOKENIZE: "a reversible token",
  HASH: "a keyed hash",
  REDACT: "[REDACTED]",
  BLOCK: "refuses the request",
};

interface FormProps {
  edited: Policy | undefined;
  /** Of a new policy. */
  priority: number;
  onDraft: (draft: PolicyDraft | undefined) => void;
  onSaved: () => Promise<void>;
}

export function PolicyForm({ edited, priority, onDraft, onSaved }: FormProps) {
  const [first] = useState<PolicyDraft>(() => (edited ? editable(edited) : newPolicy(priority)));
  const [draft, setDraft] = useState(first);
  const [refusal, setRefusal] = useState<ApiError>();
  const heading = useFocus<HTMLHeadingElement>();
  const set = (change: Partial<PolicyDraft>) => setDraft({ ...draft, ...change });
  const call = edited ? replacePolicy(edited.id, draft) : createPolicy(draft);

  useUnsaved(!isSame(draft, first));
  useEffect(() => onDraft(draft), [draft]);
  useEffect(() => () => onDraft(undefined), []);

  const save = async () => {
    try {
      await send(call);
      await onSaved();
      announce(`${draft.name} is saved.`);
      leave("policies");
    } catch (error) {
      setRefusal(asApiError(error));
    }
  };

  return (
    <section class="panel" aria-labelledby="policy-title">
      <h2 id="policy-title" tabindex={-1} ref={heading}>
        {edited ? `Edit ${edited.name}` : "Add a policy"}
      </h2>
      <Form label="Policy" refusal={refusal} onSubmit={() => void save()}>
        <div class="columns">
          <TextField name="name" label="Name" required value={draft.name} onChange={(name) => set({ name })} />
          <SelectField
            name="action"
            label="Action"
            options={ACTIONS.map((action) => [action, `${action}: ${MEANINGS[action]}`] as const)}
            value={draft.action}
            onChange={(action) => set({ action })}
          />
          <TextField
            name="description"
            label="Description"
            value={draft.description}
            onChange={(description) => set({ description })}
          />
          <NumberField
            name="priority"
            label="Priority"
            hint="the highest decides; ties go to the stricter action"
            required
            value={draft.priority}
            onChange={(value) => set({ priority: value ?? Number.NaN })}
          />
        </div>
        <div class="checks">
          <Check checked={draft.is_default} onChange={(is_default) => set({ is_default })}>
            Default policy: decides only where no other one applies
          </Check>
        </div>
        <ConditionsField conditions={draft.conditions} onChange={(conditions) => set({ conditions })} />
        <FormRefusal />
        <div class="actions">
          <button type="submit" class="primary">
            Save
          </button>
          <button type="button" onClick={() => leave("policies")}>
            Cancel
          </button>
        </div>
      </Form>
      <AsCurl call={call} />
    </section>
  );
}

function newPolicy(priority: number): PolicyDraft {
  return { name: "", description: "", priority, action: "MASK", conditions: [], is_default: false };
}

function editable(policy: Policy): PolicyDraft {
  const draft = draftOf(policy);
  return { ...draft, conditions: draft.conditions.map(cleaned) };
}
