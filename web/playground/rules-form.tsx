// The fields of the reader's own rules, each with the engine's objection to it.

import type { ComponentChildren } from "preact";
import { useLayoutEffect } from "preact/hooks";
import { Field } from "./field.js";
import { passFocusOn } from "./focus.js";
import { t } from "./i18n/index.js";
import {
  addDenied,
  addException,
  addPattern,
  changeDenied,
  changeException,
  changePattern,
  type Denied,
  denied,
  deniedRefusal,
  type Exception,
  exceptionRefusal,
  exceptions,
  type Pattern,
  patternRefusal,
  patterns,
  removeDenied,
  removeException,
  removePattern,
} from "./rules.js";

export function Rules() {
  return (
    <section class="pane rules" aria-labelledby="rules-title">
      <div class="bar">
        <h2 id="rules-title">{t("rules")}</h2>
      </div>
      <div class="rule-lists">
        <RuleList title={t("patterns")} note={t("patternsNote")} add={t("addPattern")} onAdd={addPattern}>
          {patterns.value.map((pattern) => (
            <PatternFields key={pattern.id} pattern={pattern} />
          ))}
        </RuleList>
        <RuleList title={t("denyList")} note={t("denyNote")} add={t("addDenied")} onAdd={addDenied}>
          {denied.value.map((entry) => (
            <DeniedFields key={entry.id} entry={entry} />
          ))}
        </RuleList>
        <RuleList title={t("allowList")} note={t("allowNote")} add={t("addAllowed")} onAdd={addException}>
          {exceptions.value.map((exception) => (
            <ExceptionFields key={exception.id} exception={exception} />
          ))}
        </RuleList>
      </div>
    </section>
  );
}

interface RuleListProps {
  title: string;
  note: string;
  add: string;
  onAdd: () => void;
  children: ComponentChildren;
}

function RuleList({ title, note, add, onAdd, children }: RuleListProps) {
  return (
    <div class="rule-list">
      <h3>{title}</h3>
      <p class="note">{note}</p>
      {children}
      <button type="button" onClick={onAdd}>
        {add}
      </button>
    </div>
  );
}

/** Removes a rule. The focus goes to the rule beside it, or to the button that adds one. */
function remove(button: Element, removeRule: () => void): void {
  passFocusOn(button, ".rule", button.closest(".rule-list")?.querySelector(":scope > button"));
  removeRule();
}

function PatternFields({ pattern }: { pattern: Pattern }) {
  const change = (part: Partial<Pattern>) => changePattern({ ...pattern, ...part });
  const refusal = patternRefusal(pattern);
  const field = (name: string) => ({
    id: `pattern-${pattern.id}-${name}`,
    refusal: refusal?.field === name ? refusal : undefined,
  });
  // the reader who adds one writes it next
  useLayoutEffect(() => document.getElementById(field("pattern").id)?.focus(), []);
  return (
    <fieldset class="rule">
      <legend class="unseen">{t("patterns")}</legend>
      <Field label={t("patternName")} value={pattern.name} {...field("name")} onInput={(name) => change({ name })} />
      <Field
        label={t("pattern")}
        value={pattern.pattern}
        {...field("pattern")}
        onInput={(pattern) => change({ pattern })}
      />
      <Field
        label={t("contextWords")}
        value={pattern.context}
        {...field("context")}
        onInput={(context) => change({ context })}
      />
      <button type="button" onClick={({ currentTarget }) => remove(currentTarget, () => removePattern(pattern))}>
        {t("remove")}
      </button>
    </fieldset>
  );
}

function DeniedFields({ entry }: { entry: Denied }) {
  const change = (part: Partial<Denied>) => changeDenied({ ...entry, ...part });
  const refusal = deniedRefusal(entry);
  const field = (name: string) => ({
    id: `denied-${entry.id}-${name}`,
    refusal: refusal?.field === name ? refusal : undefined,
  });
  useLayoutEffect(() => document.getElementById(field("value").id)?.focus(), []);
  return (
    <fieldset class="rule">
      <legend class="unseen">{t("denyList")}</legend>
      <Field label={t("denied")} value={entry.value} {...field("value")} onInput={(value) => change({ value })} />
      <Field label={t("deniedType")} value={entry.type} {...field("type")} onInput={(type) => change({ type })} />
      <button type="button" onClick={({ currentTarget }) => remove(currentTarget, () => removeDenied(entry))}>
        {t("remove")}
      </button>
    </fieldset>
  );
}

function ExceptionFields({ exception }: { exception: Exception }) {
  const change = (part: Partial<Exception>) => changeException({ ...exception, ...part });
  const id = `exception-${exception.id}`;
  useLayoutEffect(() => document.getElementById(id)?.focus(), []);
  return (
    <fieldset class="rule">
      <legend class="unseen">{t("allowList")}</legend>
      <label class="field">
        <span>{t("allowKind")}</span>
        <select
          value={exception.kind}
          onChange={({ currentTarget }) => change({ kind: currentTarget.value as Exception["kind"] })}
        >
          {(["value", "domain", "regex"] as const).map((kind) => (
            <option key={kind} value={kind}>
              {t(kind)}
            </option>
          ))}
        </select>
      </label>
      <Field
        id={id}
        label={t("allowed")}
        value={exception.text}
        refusal={exceptionRefusal(exception)}
        onInput={(text) => change({ text })}
      />
      <button type="button" onClick={({ currentTarget }) => remove(currentTarget, () => removeException(exception))}>
        {t("remove")}
      </button>
    </fieldset>
  );
}
