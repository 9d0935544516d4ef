// The conditions of a policy: alternatives, each of keys that must all hold.

import { useEffect, useRef, useState } from "preact/hooks";
import { type Key, KEYS, keysOf } from "../conditions.js";
import type { Condition } from "../types.js";
import { KeyControl } from "./condition-key.js";

const EVERY_FINDING = "No conditions: the policy applies to every finding.";

interface ConditionsProps {
  conditions: Condition[];
  onChange: (conditions: Condition[]) => void;
}

export function ConditionsField({ conditions, onChange }: ConditionsProps) {
  const place = (index: number, condition: Condition) =>
    onChange(conditions.map((before, at) => (at === index ? condition : before)));
  const adder = useRef<HTMLButtonElement>(null);
  const remove = (index: number) => {
    onChange(conditions.filter((_, at) => at !== index));
    adder.current?.focus();
  };
  return (
    <fieldset class="conditions-field">
      <legend>Conditions</legend>
      {conditions.length === 0 && <p class="soft">{EVERY_FINDING}</p>}
      {conditions.map((condition, index) => (
        <Alternative
          key={index}
          number={index}
          condition={condition}
          onChange={(changed) => place(index, changed)}
          onRemove={() => remove(index)}
        />
      ))}
      <button type="button" ref={adder} onClick={() => onChange([...conditions, { entity_types: [] }])}>
        {conditions.length === 0 ? "Add a condition" : "Add an alternative"}
      </button>
    </fieldset>
  );
}

interface AlternativeProps {
  number: number;
  condition: Condition;
  onChange: (condition: Condition) => void;
  onRemove: () => void;
}

function Alternative({ number, condition, onChange, onRemove }: AlternativeProps) {
  const box = useRef<HTMLFieldSetElement>(null);
  const [added, setAdded] = useState<Key>();
  const free = (Object.keys(KEYS) as Key[]).filter((key) => !(key in condition));

  // the keyboard goes on in the field that was just added
  useEffect(() => {
    if (added) box.current?.querySelector<HTMLElement>(`[data-key="${added}"] :is(input, select)`)?.focus();
  }, [added]);

  const add = (key: Key) => {
    onChange({ ...condition, [key]: KEYS[key].first });
    setAdded(key);
  };
  const drop = (key: Key) => {
    const { [key]: _gone, ...others } = condition;
    onChange(others);
    setAdded(undefined);
    box.current?.querySelector<HTMLElement>(".add-key select")?.focus();
  };

  return (
    <fieldset class="alternative" ref={box}>
      <legend>{number === 0 ? "Condition" : `Alternative ${number}`}</legend>
      {keysOf(condition).map((key) => (
        <div class="key" key={key} data-key={key}>
          <KeyControl
            conditionKey={key}
            name={`conditions[${number}].${key}`}
            condition={condition}
            onChange={onChange}
          />
          <button type="button" class="plain" aria-label={`Remove ${KEYS[key].label}`} onClick={() => drop(key)}>
            ✕
          </button>
        </div>
      ))}
      {keysOf(condition).length === 0 && <p class="soft">{EVERY_FINDING}</p>}
      <div class="add-key">
        <select
          aria-label="Add to this condition"
          value=""
          onChange={(event) => add(event.currentTarget.value as Key)}
        >
          <option value="">Add a criterion…</option>
          {free.map((key) => (
            <option key={key} value={key}>
              {KEYS[key].label}
            </option>
          ))}
        </select>
        <button type="button" class="plain" onClick={onRemove}>
          Remove the condition
        </button>
      </div>
    </fieldset>
  );
}
