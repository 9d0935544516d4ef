// A text on which policies are tried as it is typed. Nothing is stored and nothing is sent on.

import { useState } from "preact/hooks";
import { testPolicies } from "../api.js";
import { unfilled } from "../conditions.js";
import { Segments } from "../parts/controls.js";
import { AsCurl } from "../parts/curl.js";
import { sentence } from "../parts/notice.js";
import { ActionBadge } from "../parts/tone.js";
import { useTrial } from "../parts/trial.js";
import { TrialText } from "../parts/trial-text.js";
import { typeName } from "../type-names.js";
import type { Policy, PolicyDraft, PolicyTest } from "../types.js";

const SAMPLE = "Please charge 4111 1111 1111 1111 and write to jan.novak@example.cz, PESEL 44051401359.";

interface TrialProps {
  /** They are tried by name of the workspace; that they changed is what matters here. */
  stored: Policy[] | undefined;
  /** The stored policies with the one that is being edited. */
  withDraft: PolicyDraft[] | undefined;
}

export function PolicyTrial({ stored, withDraft }: TrialProps) {
  const [text, setText] = useState(SAMPLE);
  const [direction, setDirection] = useState<"input" | "output">("input");
  const [tried, setTried] = useState<"draft" | "stored">("draft");
  const policies = tried === "draft" ? withDraft : undefined;
  const call = testPolicies(text, direction, policies);
  // a condition that was just added has no value, which is no fault yet
  const missing = policies ? unfilled(policies.flatMap(({ conditions }) => conditions)) : [];
  const { answer: test, error } = useTrial(call, text !== "" && missing.length === 0, stored);

  return (
    <section class="panel trial" aria-labelledby="trial-title">
      <h2 id="trial-title">Live test</h2>
      <p class="soft">The service tests the text as you type, and does not store or forward it.</p>
      <TrialText value={text} onInput={setText} />
      <div class="trial-options">
        <Segments
          legend="Direction"
          options={[
            ["input", "to the model"],
            ["output", "from the model"],
          ]}
          value={direction}
          onChange={setDirection}
        />
        {withDraft && (
          <Segments
            legend="Policies"
            options={[
              ["draft", "with this draft"],
              ["stored", "as stored"],
            ]}
            value={tried}
            onChange={setTried}
          />
        )}
      </div>
      <div class="outcome">
        {/* a draft is often rejected while it is typed, which is no alarm */}
        <p role="status" class={missing.length > 0 ? "soft" : error && "wrong"}>
          {missing.length === 0 && error && sentence(error.message)}
          {missing.length > 0 && `Fill in ${missing.join(", ")} to test this draft.`}
          {missing.length === 0 && test && <Summary test={test} />}
        </p>
        {missing.length === 0 && test && <Outcome test={test} direction={direction} />}
      </div>
      <AsCurl call={call} />
    </section>
  );
}

function Summary({ test: { decision, entities } }: { test: PolicyTest }) {
  return (
    <>
      <ActionBadge action={decision} /> {entities.length === 1 ? "1 finding" : `${entities.length} findings`}
    </>
  );
}

interface OutcomeProps {
  test: PolicyTest;
  direction: "input" | "output";
}

function Outcome({ test: { decision, entities, protected_text }, direction }: OutcomeProps) {
  return (
    <>
      {entities.length > 0 && (
        <ul class="findings" aria-label="Findings">
          {entities.map((entity, index) => (
            <li key={index}>
              <span class="found-value">{entity.original}</span>
              {entity.action && <ActionBadge action={entity.action} />}
              <span class="note">
                {typeName(entity.type)} · {Math.round(entity.confidence * 100)} % · {entity.policy ?? "default action"}
              </span>
            </li>
          ))}
        </ul>
      )}
      <h3>Text for the {direction === "input" ? "model" : "application"}</h3>
      {protected_text === null ? (
        <p class="stopped" data-tone={decision}>
          Nothing: the {direction === "input" ? "request" : "answer"} is blocked.
        </p>
      ) : (
        <pre class="protected" tabindex={0} aria-label="Protected text">
          {protected_text}
        </pre>
      )}
    </>
  );
}
