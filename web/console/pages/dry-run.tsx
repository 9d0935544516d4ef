// A chat as it would go to a provider. Nothing is sent to one.

import { useState } from "preact/hooks";
import { type ChatMessage, dryRun, type DryRunAnswer, getConfiguration } from "../api.js";
import { SelectField, TextField } from "../parts/controls.js";
import { AsCurl } from "../parts/curl.js";
import { Form, FormRefusal, SubmitButton } from "../parts/form.js";
import { useLoad } from "../parts/load.js";
import { useSending } from "../parts/saving.js";
import { ActionBadge } from "../parts/tone.js";
import { send } from "../request.js";
import { typeName } from "../type-names.js";

const ROLES = ["system", "user", "assistant"] as const;

const FIRST: ChatMessage[] = [
  { role: "system", content: "You are the assistant of a travel agency." },
  { role: "user", content: "Charge 4111 1111 1111 1111 and write to Jan Novák, jan.novak@example.cz." },
];

export function DryRun() {
  const [messages, setMessages] = useState(FIRST);
  const [model, setModel] = useState("");
  const [answer, setAnswer] = useState<DryRunAnswer>();
  const { isSending, refusal, run } = useSending();
  // without the right to read them, a route is typed
  const routes = useLoad(async () => Object.keys((await send(getConfiguration())).providers), []);
  const call = dryRun(messages, model);
  const change = (at: number, part: Partial<ChatMessage>) =>
    setMessages(messages.map((message, index) => (index === at ? { ...message, ...part } : message)));
  const submit = () =>
    run(async () => {
      setAnswer(undefined);
      setAnswer(await send(call));
    });
  return (
    <>
      <p class="lead">Shows the request to the provider under the current policies. The provider receives nothing.</p>
      <div class="split">
        <section class="panel" aria-labelledby="chat-title">
          <h2 id="chat-title">Chat</h2>
          <Form label="Chat" refusal={refusal} onSubmit={submit}>
            <TextField
              name="model"
              label="Route or model"
              look="code"
              hint="Leave empty for the route primary."
              suggestions={routes.data ?? []}
              value={model}
              onChange={(value) => setModel(value.trim())}
            />
            {messages.map(({ role, content }, index) => (
              <fieldset key={index} class="chat-message">
                <legend>Message {index + 1}</legend>
                <SelectField
                  name={`messages[${index}].role`}
                  label="Role"
                  options={ROLES}
                  value={role as (typeof ROLES)[number]}
                  onChange={(role) => change(index, { role })}
                />
                <label class="field">
                  <span class="field-head">Text of message {index + 1}</span>
                  <textarea
                    rows={3}
                    spellcheck={false}
                    value={content}
                    onInput={(event) => change(index, { content: event.currentTarget.value })}
                  />
                </label>
                <div class="actions">
                  <button
                    type="button"
                    aria-label={`Remove message ${index + 1}`}
                    disabled={messages.length === 1}
                    onClick={() => setMessages(messages.filter((_, other) => other !== index))}
                  >
                    Remove
                  </button>
                </div>
              </fieldset>
            ))}
            <FormRefusal />
            <div class="actions">
              <SubmitButton isSending={isSending}>Show the request</SubmitButton>
              <button type="button" onClick={() => setMessages([...messages, { role: "user", content: "" }])}>
                Add a message
              </button>
            </div>
          </Form>
          <AsCurl call={call} />
        </section>
        <section class="panel results" aria-labelledby="request-title">
          <h2 id="request-title">Request to the provider</h2>
          <div role="status">
            {answer === undefined ? <p class="empty">Nothing yet.</p> : <Destination answer={answer} />}
          </div>
          {answer && <Request answer={answer} />}
        </section>
      </div>
    </>
  );
}

function Destination({ answer: { route, model, privacy } }: { answer: DryRunAnswer }) {
  const found = privacy.entities.reduce((sum, { count }) => sum + count, 0);
  return (
    <p class="state">
      <ActionBadge action={privacy.action} /> {found === 1 ? "1 finding" : `${found} findings`}, to model <code>{model}</code>
      {route && (
        <>
          {" "}
          by route <code>{route}</code>
        </>
      )}
    </p>
  );
}

function Request({ answer: { request, privacy } }: { answer: DryRunAnswer }) {
  const left = Object.entries(privacy.not_inspected).filter(([, count]) => count > 0);
  return (
    <>
      {privacy.entities.length > 0 && (
        <ul class="findings" aria-label="Findings">
          {privacy.entities.map(({ type, action, count }) => (
            <li key={`${type} ${action}`}>
              <code>{typeName(type)}</code> <ActionBadge action={action} />
              <span class="note">{count}</span>
            </li>
          ))}
        </ul>
      )}
      {left.length > 0 && <p class="wrong">Not inspected: {left.map(([kind, count]) => `${kind} ${count}`).join(", ")}.</p>}
      {request.messages.map(({ role, content }, index) => (
        <div key={index} class="field">
          <h3>{role}</h3>
          <pre class="protected" tabindex={0} aria-label={`Protected message ${index + 1}`}>
            {content}
          </pre>
        </div>
      ))}
    </>
  );
}
