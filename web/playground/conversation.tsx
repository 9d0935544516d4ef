// The tab of language models: messages, what the provider sees, the answer in pieces, and what the application gets.

import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import {
  addMessage,
  answer,
  arrivals,
  arrived,
  arrivedPieces,
  changeMessage,
  followAnswer,
  type Message,
  messages,
  ownAnswer,
  pieceLength,
  type Placed,
  removeMessage,
  restoreCounts,
  ROLES,
  type Role,
  sent,
  type SentMessage,
  valuesIn,
} from "./conversation-state.js";
import { passFocusOn } from "./focus.js";
import { count, number, t } from "./i18n/index.js";
import { type Mark, Marked } from "./marks.js";
import { typeName } from "./names.js";
import { counts } from "./restore.js";
import { category } from "./state.js";

/** Between two pieces of the answer, in milliseconds. */
const PIECE_MS = 120;

export function Conversation() {
  useEffect(followAnswer, []);
  return (
    <>
      <p class="note lead-note">{t("conversationNote")}</p>
      <div class="texts conversation">
        <Messages />
        <Provider />
        <Answer />
        <Application />
      </div>
    </>
  );
}

function Messages() {
  return (
    <section class="pane" aria-labelledby="messages-title">
      <div class="bar">
        <h2 id="messages-title">{t("messages")}</h2>
        <button type="button" id="add-message" onClick={addMessage}>
          {t("addMessage")}
        </button>
      </div>
      <ol class="messages">
        {messages.value.map((message, index) => (
          <MessageFields key={message.id} message={message} n={number(index + 1)} />
        ))}
      </ol>
    </section>
  );
}

function MessageFields({ message, n }: { message: Message; n: string }) {
  return (
    <li>
      <div class="message-head">
        <label>
          <span class="unseen">{t("roleOf", { n })}</span>
          <select
            value={message.role}
            onChange={({ currentTarget }) => changeMessage({ ...message, role: currentTarget.value as Role })}
          >
            {ROLES.map((role) => (
              <option key={role} value={role}>
                {t(role)}
              </option>
            ))}
          </select>
        </label>
        <button type="button" aria-label={t("removeMessage", { n })} onClick={({ currentTarget }) => remove(message, currentTarget)}>
          {t("remove")}
        </button>
      </div>
      <textarea
        aria-label={t("message", { n })}
        rows={4}
        spellcheck={false}
        value={message.text}
        onInput={({ currentTarget }) => changeMessage({ ...message, text: currentTarget.value })}
      />
    </li>
  );
}

function remove(message: Message, button: Element): void {
  passFocusOn(button, ".messages > li", document.getElementById("add-message"));
  removeMessage(message);
}

function Provider() {
  const { messages, refusal } = sent.value;
  const found = messages.reduce((sum, { placed }) => sum + placed.length, 0);
  return (
    <section class="pane" aria-labelledby="provider-title">
      <div class="bar">
        <h2 id="provider-title">{t("providerSees")}</h2>
        <p class="note" role="status">
          {count("found", found)}
        </p>
      </div>
      {/* the engine speaks English */}
      {refusal !== undefined && (
        <p class="file-note error" role="alert" lang="en">
          {refusal}
        </p>
      )}
      <ol id="provider-sees" class="messages" tabIndex={0}>
        {messages.map((message) => (
          <Seen key={message.id} message={message} />
        ))}
      </ol>
    </section>
  );
}

function Seen({ message: { role, text, placed } }: { message: SentMessage }) {
  return (
    <li>
      <p class="role">{t(role)}</p>
      <pre>
        <Marked text={text} marks={placed.map(markOf)} />
      </pre>
    </li>
  );
}

function markOf({ start, end, type }: Placed): Mark {
  return { start, end, category: category(type), title: typeName(type) };
}

function Answer() {
  const isPlaying = useSignal(false);
  const { n } = arrived.value;
  const total = arrivals.value.length;
  // one piece after the other, until the answer is whole
  useEffect(() => {
    if (!isPlaying.value) return;
    if (n >= total) {
      isPlaying.value = false;
      return;
    }
    const timer = setTimeout(() => {
      arrivedPieces.value = n + 1;
    }, PIECE_MS);
    return () => clearTimeout(timer);
  }, [isPlaying.value, n, total]);
  const play = () => {
    arrivedPieces.value = 0;
    isPlaying.value = true;
  };
  return (
    <section class="pane" aria-labelledby="answer-title">
      <div class="bar">
        <h2 id="answer-title">{t("answer")}</h2>
        <button type="button" onClick={play}>
          {t("play")}
        </button>
      </div>
      <textarea
        id="answer"
        aria-labelledby="answer-title"
        aria-describedby="answer-note"
        rows={6}
        spellcheck={false}
        value={answer.value}
        onInput={({ currentTarget }) => {
          ownAnswer.value = currentTarget.value;
          arrivedPieces.value = undefined;
        }}
      />
      <p id="answer-note" class="note pane-note">
        {t("answerNote")}
      </p>
      <div class="arrival">
        <label class="field">
          <span>
            {t("pieceLength")} <output>{number(pieceLength.value)}</output>
          </span>
          <input
            type="range"
            name="piece_length"
            min={1}
            max={20}
            value={pieceLength.value}
            onInput={({ currentTarget }) => {
              pieceLength.value = currentTarget.valueAsNumber;
              arrivedPieces.value = undefined;
            }}
          />
        </label>
        <label class="field">
          <span>
            {t("arrivedPieces")} <output>{t("position", { n: number(n), total: number(total) })}</output>
          </span>
          <input
            type="range"
            name="arrived"
            min={0}
            max={total}
            value={n}
            aria-valuetext={t("position", { n: number(n), total: number(total) })}
            onInput={({ currentTarget }) => {
              isPlaying.value = false;
              arrivedPieces.value = currentTarget.valueAsNumber;
            }}
          />
        </label>
      </div>
    </section>
  );
}

function Application() {
  const { received, given, isWhole } = arrived.value;
  return (
    <section class="pane" aria-labelledby="application-title">
      <div class="bar">
        <h2 id="application-title">{t("applicationGets")}</h2>
      </div>
      <pre id="application-gets" class="result" tabIndex={0} role="group" aria-labelledby="application-title">
        <Marked text={given} marks={valuesIn(given).map(markOf)} />
      </pre>
      <p id="restore-counts" class="note pane-note" role="status">
        {isWhole ? restoreCounts.value && counts(restoreCounts.value, "restoredValues") : t("heldBack")}
      </p>
      {isWhole && (restoreCounts.value?.withheld ?? 0) > 0 && <p class="note pane-note">{t("withheldNote")}</p>}
      <details class="pieces">
        <summary>{t("pieces")}</summary>
        <ol id="pieces">
          {received.map((piece, index) => (
            <li key={index}>
              <code>{piece}</code>
            </li>
          ))}
        </ol>
      </details>
    </section>
  );
}
