// Policies in their order.

import { changePolicy, deletePolicy } from "../api.js";
import { told } from "../conditions.js";
import { Confirmed } from "../parts/confirm.js";
import { AsCurl } from "../parts/curl.js";
import { Reorder } from "../parts/reorder.js";
import { ActionBadge } from "../parts/tone.js";
import { go } from "../router.js";
import type { Policy } from "../types.js";

interface GroupProps {
  title: string;
  hint: string;
  policies: Policy[];
  onMove: (from: number, to: number) => void;
  onDeleted: (policy: Policy) => void;
}

export function PolicyGroup({ title, hint, policies, onMove, onDeleted }: GroupProps) {
  if (policies.length === 0) return null;
  return (
    <section class="panel flush" aria-label={title}>
      <div class="bar">
        <h2>{title}</h2>
        <span class="note">{hint}</span>
      </div>
      <Reorder
        label={title}
        items={policies}
        onMove={onMove}
        row={(policy) => <PolicyRow policy={policy} onDeleted={() => onDeleted(policy)} />}
      />
    </section>
  );
}

function PolicyRow({ policy, onDeleted }: { policy: Policy; onDeleted: () => void }) {
  const { id, name, description, priority, action, conditions } = policy;
  return (
    <div class="policy">
      <div class="policy-head">
        <h3>{name}</h3>
        <ActionBadge action={action} />
        <span class="note">priority {priority}</span>
      </div>
      <p class="conditions">{told(conditions)}</p>
      {description && <p class="soft">{description}</p>}
      <div class="actions">
        <button type="button" aria-label={`Edit ${name}`} onClick={() => go(`policies/${id}`)}>
          Edit
        </button>
        <Confirmed
          verb="Delete"
          subject={name}
          question={`Delete the policy ${name}?`}
          call={() => deletePolicy(id)}
          onDone={onDeleted}
        />
        <AsCurl call={changePolicy(id, { priority })} name="Priority as curl" />
      </div>
    </div>
  );
}
