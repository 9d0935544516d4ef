// The risk of findings, by their type; conditions of policies refer to it.

import { Adding, SelectField } from "../parts/controls.js";
import { typeName } from "../type-names.js";
import { RISK_LEVELS, type RiskLevel } from "../types.js";
import { type Edited, undoOf } from "./edited.js";

/** The level of a type that is not listed. */
const UNLISTED: RiskLevel = "MEDIUM";

export function RiskLevels({ draft, stored, set }: Edited) {
  const levels = draft.risk_levels;
  const names = [...new Set([...Object.keys(stored.risk_levels), ...Object.keys(levels)])].sort();
  const put = (name: string, level: RiskLevel | undefined) => {
    const { [name]: _before, ...others } = levels;
    set({ risk_levels: level ? { ...others, [name]: level } : others });
  };

  return (
    <section class="panel" aria-labelledby="risk-title">
      <h2 id="risk-title">Risk levels</h2>
      <p class="soft">Types that are not listed are {UNLISTED}.</p>
      <div class="columns">
        {names.map((name) => (
          <SelectField
            key={name}
            name={`risk_levels.${name}`}
            label={name}
            options={[["", "not listed"], ...RISK_LEVELS.map((level) => [level, level] as const)]}
            value={levels[name] ?? ""}
            onChange={(level) => put(name, level || undefined)}
            onUndo={undoOf(levels[name], stored.risk_levels[name], (level) => put(name, level))}
          />
        ))}
      </div>
      <Adding
        name="risk_levels"
        label="Another type"
        verb="Add the type"
        placeholder="iban"
        spelt={typeName}
        taken={Object.keys(levels)}
        onAdd={(type) => put(type, "HIGH")}
      />
    </section>
  );
}
