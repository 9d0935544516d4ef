// The options of protection and of the search.

import { useSignal } from "@preact/signals";
import { detectors } from "textveil";
import { MODES, type ShownMode } from "./analysis.js";
import { countryName, language, percent, t } from "./i18n/index.js";
import { countryCodes } from "./names.js";
import { country, minConfidence, mode, preset, sideBySide, THRESHOLDS } from "./state.js";

const PRESETS = ["conservative", "balanced", "aggressive"] as const;

/** The modes are those of the text; a conversation has placeholders. */
export function Options({ withModes }: { withModes: boolean }) {
  const isOpen = useSignal(false);
  return (
    <>
      {/* on a phone the text comes first; the style shows the button there only */}
      <button type="button" class="options-toggle" aria-expanded={isOpen.value} aria-controls="options" onClick={() => (isOpen.value = !isOpen.value)}>
        {t(isOpen.value ? "hideOptions" : "showOptions")}
      </button>
      <form id="options" data-open={isOpen.value} aria-label={t("options")} autocomplete="off" onSubmit={(event) => event.preventDefault()}>
      {withModes && <Modes />}
      <label class="field">
        <span>{t("report")}</span>
        <select
          name="privacy_preset"
          value={preset.value}
          onChange={({ currentTarget }) => {
            preset.value = currentTarget.value as (typeof PRESETS)[number];
            minConfidence.value = THRESHOLDS[preset.value];
          }}
        >
          {PRESETS.map((name) => (
            <option key={name} value={name}>
              {t(name)}
            </option>
          ))}
        </select>
      </label>
      <label class="field">
        <span>
          {t("minConfidence")} <output>{percent(minConfidence.value)}</output>
        </span>
        <input
          type="range"
          name="min_confidence"
          min="0.05"
          max="1"
          step="0.05"
          value={minConfidence.value}
          aria-valuetext={percent(minConfidence.value)}
          onInput={({ currentTarget }) => {
            minConfidence.value = currentTarget.valueAsNumber;
          }}
        />
      </label>
      <label class="field">
        <span>{t("country")}</span>
        <select
          name="country"
          value={country.value}
          onChange={({ currentTarget }) => {
            country.value = currentTarget.value;
          }}
        >
          <option value="">{t("fromText")}</option>
          {countries().map(([name, code]) => (
            <option key={code} value={code}>
              {name}
            </option>
          ))}
        </select>
      </label>
      </form>
    </>
  );
}

function Modes() {
  const choose = (chosen: ShownMode | "compare") => {
    sideBySide.value = chosen === "compare";
    if (chosen !== "compare") mode.value = chosen;
  };
  const checked = sideBySide.value ? "compare" : mode.value;
  return (
    <fieldset class="segments">
      <legend>{t("protectBy")}</legend>
      {([...MODES, "compare"] as const).map((name) => (
        <label key={name}>
          <input type="radio" name="mode" value={name} checked={checked === name} onChange={() => choose(name)} />
          <span>{t(name)}</span>
        </label>
      ))}
    </fieldset>
  );
}

/** Name and code of the countries that have detectors of their own. */
function countries(): [name: string, code: string][] {
  return countryCodes(detectors().detectors)
    .map((code): [string, string] => [countryName(code), code])
    .sort(([a], [b]) => a.localeCompare(b, language.value));
}
