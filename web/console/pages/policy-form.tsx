// Adding and changing a policy. The test beside it sees the typed text, too.

import { useEffect } from "preact/hooks";
import { ACTION_OPTIONS } from "../actions.js";
import { createPolicy, replacePolicy } from "../api.js";
import { cleaned } from "../conditions.js";
import { Check, NumberField, SelectField, TextField } from "../parts/controls.js";
import { AsCurl } from "../parts/curl.js";
import { useFocus } from "../parts/focus.js";
import { Form, FormRefusal, SubmitButton } from "../parts/form.js";
import { announce } from "../parts/notice.js";
import { useDraft, useSaving } from "../parts/saving.js";
import { draftOf } from "../policy-order.js";
import { send } from "../request.js";
import { leave } from "../router.js";
import type { Policy, PolicyDraft } from "../types.js";
import { ConditionsField } from "./conditions-field.js";

interface FormProps {
  edited: Policy | undefined;
  /** Of a new policy. */
  priority: number;
  onDraft: (draft: PolicyDraft | undefined) => void;
  onSaved: () => Promise<void>;
}

export function PolicyForm({ edited, priority, onDraft, onSaved }: FormProps) {
  const { draft, set, isEdited } = useDraft(() => (edited ? editable(edited) : newPolicy(priority)));
  const { isSending, refusal, save } = useSaving("policies", isEdited);
  const heading = useFocus<HTMLHeadingElement>();
  const call = edited ? replacePolicy(edited.id, draft) : createPolicy(draft);

  useEffect(() => onDraft(draft), [draft]);
  useEffect(() => () => onDraft(undefined), []);

  const submit = () =>
    save(async () => {
      await send(call);
      await onSaved();
      announce(`${draft.name} is saved.`);
    });

  return (
    <section class="panel" aria-labelledby="policy-title">
      <h2 id="policy-title" tabindex={-1} ref={heading}>
        {edited ? `Edit ${edited.name}` : "Add a policy"}
      </h2>
      <Form label="Policy" refusal={refusal} onSubmit={submit}>
        <div class="columns">
          <TextField name="name" label="Name" required value={draft.name} onChange={(name) => set({ name })} />
          <SelectField
            name="action"
            label="Action"
            options={ACTION_OPTIONS}
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
            hint="The highest priority decides; ties go to the stricter action."
            required
            value={draft.priority}
            onChange={(value) => set({ priority: value ?? Number.NaN })}
          />
        </div>
        <div class="checks">
          <Check checked={draft.is_default} onChange={(is_default) => set({ is_default })}>
            Default policy (after all others)
          </Check>
        </div>
        <ConditionsField conditions={draft.conditions} onChange={(conditions) => set({ conditions })} />
        <FormRefusal />
        <div class="actions">
          <SubmitButton isSending={isSending}>Save</SubmitButton>
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
