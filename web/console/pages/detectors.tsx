// Detectors of the workspace: patterns and shapes of its own numbers.

import { useState } from "preact/hooks";
import { createDetector, deleteDetector, listDetectors, tryDetector } from "../api.js";
import { Confirmed } from "../parts/confirm.js";
import { ListField, NumberField, SelectField, TextField } from "../parts/controls.js";
import { AsCurl } from "../parts/curl.js";
import { useFocus } from "../parts/focus.js";
import { Form, FormRefusal, SubmitButton } from "../parts/form.js";
import { useLoad } from "../parts/load.js";
import { announce, Refused, sentence } from "../parts/notice.js";
import { useDraft, useSaving } from "../parts/saving.js";
import { useTrial } from "../parts/trial.js";
import { TrialText } from "../parts/trial-text.js";
import { StateBadge } from "../parts/tone.js";
import { send } from "../request.js";
import { go, leave, place } from "../router.js";
import { CATEGORIES, type Category, type CustomDetector, type CustomDetectorDraft, type Part } from "../types.js";

export function Detectors() {
  const { data, error, reload } = useLoad(() => send(listDetectors()), []);
  if (place.value[1] === "new") return <DetectorForm onCreated={reload} />;
  return (
    <>
      <p class="lead">Custom detectors find your own numbers and names in every request of the workspace.</p>
      <Refused error={error} />
      <div class="actions">
        <button type="button" class="primary" onClick={() => go("detectors/new")}>
          Add a detector
        </button>
      </div>
      {data?.count === 0 && <p class="empty">No detector yet.</p>}
      <ul class="cards" aria-label="Custom detectors">
        {data?.custom_detectors.map((detector) => (
          <DetectorCard key={detector.name} detector={detector} onDeleted={reload} />
        ))}
      </ul>
      <AsCurl call={listDetectors()} name="This list as curl" />
    </>
  );
}

function DetectorCard({ detector, onDeleted }: { detector: CustomDetector; onDeleted: () => Promise<void> }) {
  const { name, pattern, shapes, labels, labelled, parts, check, context, confidence, category } = detector;
  const facts: [string, string | undefined][] = [
    ["Pattern", pattern ?? undefined],
    ["Shapes", shapes?.join(", ")],
    ["Labels", labels?.join(", ")],
    ["Labelled shapes", labelled?.join(", ")],
    ["Parts", parts?.map(inWords).join("; ")],
    ["Check digits", check?.rule],
    ["Context words", context?.join(", ")],
    ["Confidence", confidence === undefined || confidence === null ? undefined : String(confidence)],
  ];
  const deleted = () => {
    announce(`${name} is deleted.`);
    void onDeleted();
  };
  return (
    <li class="card">
      <div class="card-head">
        <h2>
          <code>{name}</code>
        </h2>
        {category && <StateBadge state="plain">{category}</StateBadge>}
      </div>
      <dl class="facts">
        {facts.map(
          ([title, value]) =>
            value && (
              <div key={title}>
                <dt>{title}</dt>
                <dd>
                  <code>{value}</code>
                </dd>
              </div>
            ),
        )}
      </dl>
      <div class="actions">
        <Confirmed
          verb="Delete"
          subject={name}
          question={`Delete the detector ${name}? The service no longer finds its values.`}
          call={() => deleteDetector(name)}
          onDone={deleted}
        />
      </div>
    </li>
  );
}

/** The conditions of a part: `at 2, len 2, min 1, max 12`. */
function inWords(part: Part): string {
  return Object.entries(part)
    .map(([key, value]) => `${key} ${String(value)}`)
    .join(", ");
}

/** Check digits without parameters; the others are in the API, and so are parts. */
const RULES = ["", "luhn", "mod97", "mod11_10", "mod11_2", "mod37_36", "verhoeff"] as const;

interface Typed {
  name: string;
  pattern: string;
  shapes: string[];
  /** With commas: a phrase has spaces. */
  labels: string;
  labelled: string[];
  rule: (typeof RULES)[number];
  /** With commas, too. */
  context: string;
  confidence: number | undefined;
  category: Category | "";
}

const EMPTY: Typed = {
  name: "",
  pattern: "",
  shapes: [],
  labels: "",
  labelled: [],
  rule: "",
  context: "",
  confidence: undefined,
  category: "",
};

function DetectorForm({ onCreated }: { onCreated: () => Promise<void> }) {
  const { draft: typed, set, isEdited } = useDraft(() => EMPTY);
  const { isSending, refusal, save } = useSaving("detectors", isEdited);
  const heading = useFocus<HTMLHeadingElement>();
  const draft = draftOf(typed);
  const create = () =>
    save(async () => {
      await send(createDetector(draft));
      await onCreated();
      announce(`${draft.name} is saved.`);
    });
  return (
    <div class="split">
      <section class="panel" aria-labelledby="detector-title">
        <h2 id="detector-title" tabindex={-1} ref={heading}>
          Add a detector
        </h2>
        <Form label="Detector" refusal={refusal} onSubmit={create}>
          <div class="columns">
            <TextField
              name="name"
              label="Name"
              look="code"
              hint="The name is the type of the findings: lower-case letters, digits and _."
              required
              value={typed.name}
              onChange={(name) => set({ name })}
            />
            <SelectField
              name="category"
              label="Category"
              options={[["", "personal"], ...CATEGORIES.filter((one) => one !== "personal").map((one) => [one, one] as const)]}
              value={typed.category}
              onChange={(category) => set({ category })}
            />
            <TextField
              name="pattern"
              label="Regular expression"
              look="code"
              placeholder="EMP-[0-9]{6}"
              value={typed.pattern}
              onChange={(pattern) => set({ pattern })}
            />
            <ListField
              name="shapes"
              label="Shapes"
              hint="Shapes replace the expression: d4-d4 is four digits, a hyphen and four digits."
              values={typed.shapes}
              onChange={(shapes) => set({ shapes })}
            />
            <TextField
              name="labels"
              label="Labels"
              hint="Labels are words next to the value. Separate them with commas."
              value={typed.labels}
              onChange={(labels) => set({ labels })}
            />
            <ListField
              name="labelled"
              label="Labelled shapes"
              hint="The service finds these shapes only next to a label."
              values={typed.labelled}
              onChange={(labelled) => set({ labelled })}
            />
            <SelectField
              name="check"
              label="Check digits of the shapes"
              options={RULES.map((rule) => [rule, rule || "none"] as const)}
              value={typed.rule}
              onChange={(rule) => set({ rule })}
            />
            <TextField
              name="context"
              label="Context words"
              hint="Context words raise the confidence of a match. Separate them with commas."
              value={typed.context}
              onChange={(context) => set({ context })}
            />
            <NumberField
              name="confidence"
              label="Base confidence"
              hint="The confidence is 0 to 1, by default 0.75."
              step={0.05}
              value={typed.confidence}
              onChange={(confidence) => set({ confidence })}
            />
          </div>
          <FormRefusal />
          <div class="actions">
            <SubmitButton isSending={isSending}>Save</SubmitButton>
            <button type="button" onClick={() => leave("detectors")}>
              Cancel
            </button>
          </div>
        </Form>
        <AsCurl call={createDetector(draft)} />
      </section>
      <DetectorTrial draft={draft} />
    </div>
  );
}

/** The phrases of a list with commas. */
function phrases(typed: string): string[] {
  const words = typed.split(",").map((word) => word.trim());
  return words.filter((word) => word !== "");
}

function draftOf({ name, pattern, shapes, labels, labelled, rule, context, confidence, category }: Typed): CustomDetectorDraft {
  const [names, words] = [phrases(labels), phrases(context)];
  return {
    name,
    ...(pattern && { pattern }),
    ...(shapes.length > 0 && { shapes }),
    ...(names.length > 0 && { labels: names }),
    ...(labelled.length > 0 && { labelled }),
    ...(rule && { check: { rule } }),
    ...(words.length > 0 && { context: words }),
    ...(confidence !== undefined && { confidence }),
    ...(category && { category }),
  };
}

/** The findings of the draft in a text, as it is typed. */
function DetectorTrial({ draft }: { draft: CustomDetectorDraft }) {
  const [text, setText] = useState("");
  const isReady = text !== "" && draft.name !== "" && [draft.pattern, draft.shapes, draft.labelled].some((form) => form !== undefined);
  const { answer, error } = useTrial(tryDetector(text, draft), isReady);
  const own = answer?.entities.filter(({ type }) => type === draft.name) ?? [];
  return (
    <section class="panel trial" aria-labelledby="trial-title">
      <h2 id="trial-title">Live test</h2>
      <p class="soft">The service searches the text as you type, and does not store it. The key needs the scope detect.</p>
      <TrialText value={text} placeholder="A text with a value of the detector" onInput={setText} />
      <div class="outcome">
        {/* a draft is often rejected while it is typed, which is no alarm */}
        <p role="status" class={error && "wrong"}>
          {error && sentence(error.message)}
          {answer && (own.length === 1 ? "1 finding" : `${own.length} findings`)}
        </p>
        {own.length > 0 && (
          <ul class="findings" aria-label="Findings">
            {own.map(({ original, confidence, start }) => (
              <li key={start}>
                <span class="found-value">{original}</span>
                <span class="note">{Math.round(confidence * 100)} %</span>
              </li>
            ))}
          </ul>
        )}
      </div>
    </section>
  );
}
