// The replacement of each type: as for all types, another mode with its settings, or none.

import { Field } from "./field.js";
import { MODES, type TypeOwnMode } from "./analysis.js";
import { passFocusOn } from "./focus.js";
import { t } from "./i18n/index.js";
import { setTypeMode, type TypeMode, typeModes } from "./operators.js";
import { category, mode, setTypeOn, typesFound, typesOff } from "./state.js";
import { TypeTitle } from "./type-title.js";

type Choice = TypeOwnMode | "all" | "off";

const CHOICES: readonly Choice[] = ["all", ...MODES.filter((mode) => mode !== "placeholder"), "off"];

export function ByType() {
  const found = typesFound.value.map(([type]) => type);
  const types = [...new Set([...found, ...typeModes.value.keys(), ...typesOff.value])];
  return (
    <section class="pane by-type" aria-labelledby="by-type-title">
      <div class="bar">
        <h2 id="by-type-title">{t("byType")}</h2>
      </div>
      {mode.value === "placeholder" && typeModes.value.size > 0 && <p class="note pane-note">{t("byTypePlaceholder")}</p>}
      {types.length === 0 ? (
        <p class="note pane-note">{t("byTypeEmpty")}</p>
      ) : (
        <ul id="by-type">
          {types.map((type) => (
            <TypeRow key={type} type={type} />
          ))}
        </ul>
      )}
    </section>
  );
}

function TypeRow({ type }: { type: string }) {
  const own = typeModes.value.get(type);
  const choice: Choice = typesOff.value.has(type) ? "off" : (own?.mode ?? "all");
  const choose = (chosen: Choice, select: Element) => {
    // a type that the text does not have is listed for its own choice alone
    const isFound = typesFound.value.some(([found]) => found === type);
    if (chosen === "all" && !isFound) passFocusOn(select, "#by-type > li", document.getElementById("text"));
    setTypeOn(type, chosen !== "off");
    setTypeMode(type, chosen === "all" || chosen === "off" ? undefined : { mode: chosen });
  };
  return (
    <li data-category={category(type)} data-type={type}>
      <label class="field">
        <TypeTitle class="type" type={type} />
        <select value={choice} onChange={({ currentTarget }) => choose(currentTarget.value as Choice, currentTarget)}>
          {CHOICES.map((name) => (
            <option key={name} value={name}>
              {t(name === "all" ? "asForAll" : name === "off" ? "leave" : name)}
            </option>
          ))}
        </select>
      </label>
      {own !== undefined && choice === own.mode && <Settings type={type} own={own} />}
    </li>
  );
}

function Settings({ type, own }: { type: string; own: TypeMode }) {
  const change = (part: Partial<TypeMode>) => setTypeMode(type, { ...own, ...part });
  if (own.mode === "mask") {
    return (
      <label class="field keep-last">
        <span>{t("keepLast")}</span>
        <input
          type="number"
          min={0}
          max={64}
          value={own.keepLast ?? 0}
          onInput={({ currentTarget }) => change({ keepLast: wholeNumber(currentTarget.value) })}
        />
      </label>
    );
  }
  if (own.mode !== "replace") return null;
  return (
    <Field
      id={`new-value-${type}`}
      label={t("newValue")}
      value={own.newValue ?? "[REDACTED]"}
      onInput={(newValue) => change({ newValue })}
    />
  );
}

function wholeNumber(text: string): number {
  const number = Math.trunc(Number(text));
  return Number.isFinite(number) ? Math.min(Math.max(number, 0), 64) : 0;
}
