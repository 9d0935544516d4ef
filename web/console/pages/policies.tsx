// Policies in the order in which they decide, an editor, and a test beside them.

import { useRef, useState } from "preact/hooks";
import { allPolicies, changePolicy, getConfiguration, importConfiguration, listPolicies } from "../api.js";
import { AsCurl } from "../parts/curl.js";
import { asApiError, useLoad } from "../parts/load.js";
import { announce, Refused } from "../parts/notice.js";
import { ActionBadge } from "../parts/tone.js";
import { draftOf, inOrder, moved, reprioritized, topPriority } from "../policy-order.js";
import { ApiError, type Call, send } from "../request.js";
import { go, place } from "../router.js";
import type { Policy, PolicyDraft } from "../types.js";
import { PolicyForm } from "./policy-form.js";
import { PolicyGroup } from "./policy-group.js";
import { PolicyTrial } from "./policy-trial.js";

/** The name of a draft in the test until it has one. */
const UNNAMED = "this draft";

export function Policies() {
  const { data, error, reload, replace } = useLoad(allPolicies, []);
  const [draft, setDraft] = useState<PolicyDraft>();
  const [, chosen] = place.value;
  const policies = inOrder(data ?? []);
  const edited = policies.find(({ id }) => id === chosen);
  const isEditing = data !== undefined && (chosen === "new" || edited !== undefined);
  const others = policies.filter(({ id }) => id !== chosen).map(draftOf);

  return (
    <>
      <p class="lead">The first policy that applies decides what happens to a finding.</p>
      <Refused error={error} />
      <div class="split">
        {isEditing ? (
          <PolicyForm
            key={chosen}
            edited={edited}
            priority={topPriority(policies)}
            onDraft={setDraft}
            onSaved={reload}
          />
        ) : (
          <PolicyLists policies={policies} isLoaded={data !== undefined} onReload={reload} onReplace={replace} />
        )}
        <PolicyTrial stored={data} withDraft={draft && [...others, { ...draft, name: draft.name || UNNAMED }]} />
      </div>
    </>
  );
}

interface ListsProps {
  policies: Policy[];
  isLoaded: boolean;
  onReload: () => Promise<void>;
  onReplace: (policies: Policy[]) => void;
}

function PolicyLists({ policies, isLoaded, onReload, onReplace }: ListsProps) {
  const configuration = useLoad(() => send(getConfiguration()), []);
  const [error, setError] = useState<ApiError>();
  // moves are sent one after the other, in the order in which they were made
  const sending = useRef(Promise.resolve());
  const regular = policies.filter(({ is_default }) => !is_default);
  const defaults = policies.filter(({ is_default }) => is_default);

  const move = (group: Policy[], from: number, to: number) => {
    const order = moved(group, from, to);
    const changes = reprioritized(order, to);
    // made now: when its turn comes, another workspace may be open
    const call = priorityCall(changes);
    onReplace(policies.map((policy) => changes.find(({ id }) => id === policy.id) ?? policy));
    announce(`${order[to]?.name} is now ${to + 1} of ${order.length}.`);
    sending.current = sending.current
      .then(() => send(call))
      .then(() => setError(undefined))
      .catch(async (refusal: unknown) => {
        setError(asApiError(refusal));
        await onReload();
      });
  };
  const removed = (policy: Policy) => {
    announce(`${policy.name} is deleted.`);
    // not by loading anew, which may answer with an order from before the last move
    onReplace(policies.filter(({ id }) => id !== policy.id));
  };

  return (
    <div class="stack">
      <div class="actions">
        <button type="button" class="primary" onClick={() => go("policies/new")}>
          Add a policy
        </button>
      </div>
      <Refused error={error} />
      {isLoaded && policies.length === 0 && <p class="empty">No policy yet: the default action decides.</p>}
      <PolicyGroup
        title="Policies"
        hint="The highest priority decides first."
        policies={regular}
        onMove={(from, to) => move(regular, from, to)}
        onDeleted={removed}
      />
      <PolicyGroup
        title="Default policies"
        hint="Default policies decide after all others."
        policies={defaults}
        onMove={(from, to) => move(defaults, from, to)}
        onDeleted={removed}
      />
      {configuration.data && (
        <p class="otherwise">
          Otherwise the <a href="#/routing">default action</a>: <ActionBadge action={configuration.data.default_action} />
        </p>
      )}
      <AsCurl call={listPolicies()} name="This list as curl" />
    </div>
  );
}

/** One call, so that no order is ever half written: an import replaces all of its policies or none. */
function priorityCall(changes: Policy[]): Call<unknown> {
  const [only, ...more] = changes;
  return only && more.length === 0
    ? changePolicy(only.id, { priority: only.priority })
    : importConfiguration({ policies: changes }, "merge");
}
