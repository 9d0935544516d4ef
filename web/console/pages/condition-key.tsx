// The control for one key of a condition.

import { type Key, KEYS } from "../conditions.js";
import { ListField, NumberField, SelectField } from "../parts/controls.js";
import { Field } from "../parts/form.js";
import { CATEGORIES, type Condition, RISK_LEVELS } from "../types.js";

interface KeyProps {
  conditionKey: Key;
  /** As a refusal names it. */
  name: string;
  condition: Condition;
  onChange: (condition: Condition) => void;
}

const LIST_HINTS: Partial<Record<Key, string>> = {
  entity_types: "email, credit_card, iban",
  exclude_entity_types: "email, url",
  countries: "DE, PL",
  roles: "user, tool",
  providers: "openai, or the id of one",
  models: "gpt-4o*, with * for anything",
  tools: "web_search, send_mail",
};

export function KeyControl({ conditionKey: key, name, condition, onChange }: KeyProps) {
  const field = { name, label: KEYS[key].label };
  const set = (value: Condition[Key]) => onChange({ ...condition, [key]: value });
  switch (key) {
    case "confidence_min":
    case "min_count":
      return (
        <NumberField {...field} required step={key === "min_count" ? 1 : 0.01} value={condition[key]} onChange={set} />
      );
    case "risk_level_min":
      return <SelectField {...field} options={RISK_LEVELS} value={condition[key] ?? "HIGH"} onChange={set} />;
    case "direction":
      return (
        <SelectField
          {...field}
          options={[
            ["input", "input: towards a model"],
            ["output", "output: from a model"],
          ]}
          value={condition[key] ?? "input"}
          onChange={set}
        />
      );
    case "validated":
      return (
        <SelectField
          {...field}
          options={[
            ["true", "yes"],
            ["false", "no"],
          ]}
          value={condition[key] ? "true" : "false"}
          onChange={(value) => set(value === "true")}
        />
      );
    case "categories":
      return <Categories {...field} values={condition[key] ?? []} onChange={set} />;
    default:
      return <ListField {...field} placeholder={LIST_HINTS[key] ?? ""} values={condition[key] ?? []} onChange={set} />;
  }
}

interface CategoriesProps {
  name: string;
  label: string;
  values: string[];
  onChange: (values: string[]) => void;
}

function Categories({ name, label, values, onChange }: CategoriesProps) {
  const toggle = (category: string, isOn: boolean) =>
    onChange(CATEGORIES.filter((one) => (one === category ? isOn : values.includes(one))));
  return (
    <Field
      isGroup
      name={name}
      label={label}
      control={({ id, ...control }) => (
        <div class="ticks" role="group" aria-labelledby={id}>
          {CATEGORIES.map((category) => (
            <label key={category} data-category={category}>
              <input
                {...control}
                type="checkbox"
                checked={values.includes(category)}
                onChange={(event) => toggle(category, event.currentTarget.checked)}
              />
              <span>{category}</span>
            </label>
          ))}
        </div>
      )}
    />
  );
}
