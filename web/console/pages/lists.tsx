// The allow list and the deny list of the workspace.

import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { addAllowed, addDenied, listAllowed, listDenied, removeAllowed, removeDenied } from "../api.js";
import { Confirmed } from "../parts/confirm.js";
import { SelectField, TextField } from "../parts/controls.js";
import { AsCurl } from "../parts/curl.js";
import { Form, FormRefusal, SubmitButton } from "../parts/form.js";
import { useLoad } from "../parts/load.js";
import { announce, Refused } from "../parts/notice.js";
import { useSending } from "../parts/saving.js";
import { Table } from "../parts/table.js";
import { Time } from "../parts/tone.js";
import { type Call, send } from "../request.js";
import { useUnsaved } from "../router.js";
import { typeName } from "../type-names.js";
import type { AllowRule, AllowRuleEntry, DenyRule } from "../types.js";

export function Lists() {
  return (
    <>
      <p class="lead">Both lists apply to every request of the workspace. The allow list weakens protection; the audit records each change.</p>
      <div class="stack">
        <Allowed />
        <Denied />
      </div>
    </>
  );
}

type Kind = "value" | "domain" | "regex";

const KINDS: readonly (readonly [Kind, string])[] = [
  ["value", "value: the whole finding"],
  ["domain", "domain: addresses and URLs"],
  ["regex", "regex: matching findings"],
];

function Allowed() {
  const { data, error, reload } = useLoad(() => send(listAllowed()), []);
  const [kind, setKind] = useState<Kind>("value");
  const [text, setText] = useState("");
  const rule = { [kind]: text } as AllowRule;
  const added = () => {
    setText("");
    void reload();
  };
  return (
    <section class="panel" aria-labelledby="allow-title">
      <h2 id="allow-title">Allow list</h2>
      <p class="soft">The service does not report these findings.</p>
      <Refused error={error} />
      <AddForm label="Allow list" call={addAllowed(rule)} isTyped={text !== ""} shown={text} onAdded={added}>
        <SelectField name="kind" label="Kind of entry" options={KINDS} value={kind} onChange={setKind} />
        {/* the service names the key of the entry */}
        <TextField name={kind} label="Allowed text" look="code" required value={text} onChange={setText} />
      </AddForm>
      <Entries
        title="Entries of the allow list"
        heads={["Kind", "Entry", "Added", "Change"]}
        entries={(data?.allow_list ?? []).map((entry) => ({ ...entry, cells: cellsOf(entry) }))}
        isLoaded={data !== undefined}
        remove={removeAllowed}
        onRemoved={reload}
      />
      <AsCurl call={listAllowed()} name="This list as curl" />
    </section>
  );
}

function cellsOf(entry: AllowRuleEntry): [kind: Kind, text: string] {
  if ("domain" in entry) return ["domain", entry.domain];
  return "regex" in entry ? ["regex", entry.regex] : ["value", entry.value];
}

function Denied() {
  const { data, error, reload } = useLoad(() => send(listDenied()), []);
  const [value, setValue] = useState("");
  const [type, setType] = useState("");
  const rule: DenyRule = { value, ...(type && { type }) };
  const added = () => {
    setValue("");
    void reload();
  };
  return (
    <section class="panel" aria-labelledby="deny-title">
      <h2 id="deny-title">Deny list</h2>
      <p class="soft">The service always reports these texts as separate words.</p>
      <Refused error={error} />
      <AddForm label="Deny list" call={addDenied(rule)} isTyped={value !== ""} shown={value} onAdded={added}>
        <TextField name="value" label="Denied text" required value={value} onChange={setValue} />
        <TextField name="type" label="Entity type" look="code" hint="Leave empty for the type deny_list." value={type} onChange={(text) => setType(text.trim())} />
      </AddForm>
      <Entries
        title="Entries of the deny list"
        heads={["Type", "Entry", "Added", "Change"]}
        entries={(data?.deny_list ?? []).map((entry) => ({ ...entry, cells: [typeName(entry.type ?? "deny_list"), entry.value] as const }))}
        isLoaded={data !== undefined}
        remove={removeDenied}
        onRemoved={reload}
      />
      <AsCurl call={listDenied()} name="This list as curl" />
    </section>
  );
}

interface AddFormProps {
  label: string;
  call: Call<unknown>;
  isTyped: boolean;
  /** The text to say after an entry is added. */
  shown: string;
  onAdded: () => void;
  children: ComponentChildren;
}

function AddForm({ label, call, isTyped, shown, onAdded, children }: AddFormProps) {
  const { isSending, refusal, run } = useSending();
  useUnsaved(isTyped);
  const add = () =>
    run(async () => {
      await send(call);
      announce(`${shown} is added.`);
      onAdded();
    });
  return (
    <Form label={label} refusal={refusal} onSubmit={add}>
      <div class="columns">{children}</div>
      <FormRefusal />
      <div class="actions">
        <SubmitButton isSending={isSending}>Add</SubmitButton>
      </div>
      <AsCurl call={call} />
    </Form>
  );
}

interface EntriesProps {
  title: string;
  heads: readonly string[];
  entries: readonly { id: string; created_at: string; cells: readonly [string, string] }[];
  isLoaded: boolean;
  remove: (id: string) => Call<unknown>;
  onRemoved: () => Promise<void>;
}

function Entries({ title, heads, entries, isLoaded, remove, onRemoved }: EntriesProps) {
  if (entries.length === 0) return isLoaded ? <p class="empty">No entry yet.</p> : null;
  return (
    <Table title={title} heads={heads}>
      {entries.map(({ id, created_at, cells: [kind, text] }) => {
        const removed = () => {
          announce(`${text} is removed.`);
          void onRemoved();
        };
        return (
          <tr key={id}>
            <td>{kind}</td>
            <td>
              <code>{text}</code>
            </td>
            <td>
              <Time at={created_at} />
            </td>
            <td>
              <Confirmed verb="Remove" subject={text} question={`Remove the entry ${text}?`} call={() => remove(id)} onDone={removed} />
            </td>
          </tr>
        );
      })}
    </Table>
  );
}
