// How much harm findings can do, by their type; conditions of policies refer to it.

import { useState } from "preact/hooks";
import { SelectField, TextField } from "../parts/controls.js";
import { RISK_LEVELS, type RiskLevel } from "../types.js";
import { type Edited, undoOf } from "./edited.js";

/** What a type has that is not listed. */
const UNLISTED: RiskLevel = "MEDIUM";

export function RiskLevels({ draft, stored, set }: Edited) {
  const [type, setType] = useState("");
  const levels = draft.risk_levels;
  const names = [...new Set([...Object.keys(stored.risk_levels), ...Object.keys(levels)])].sort();
  const put = (name: string, level: RiskLevel | undefined) => {
    const { [name]: _before, ...others } = levels;
    set({ risk_levels: level ? { ...others, [name]: level } : others });
  };
  const add = () => {
    put(type, "HIGH");
    setType("");
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
      <div class="adding">
        <TextField
          name="risk_levels"
          label="Another type"
          look="code"
          placeholder="IBAN"
          value={type}
          onChange={(value) => setType(value.trim().toUpperCase())}
        />
        <button type="button" disabled={type === "" || type in levels} onClick={add}>
          Rate it
        </button>
      </div>
    </section>
  );
}
