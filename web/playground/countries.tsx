// The countries that the text is about, with the evidence for each.

import { useSignal } from "@preact/signals";
import type { CountryDetection } from "textveil";
import { Details } from "./details.js";
import { Reasons } from "./findings.js";
import { countryName, percent, t } from "./i18n/index.js";
import { Meter } from "./meter.js";
import { analysis } from "./state.js";

/** Less likely ones say little. */
const SHOWN = 5;

export function Countries() {
  const countries = analysis.value.countries.slice(0, SHOWN);
  return (
    <section class="pane" aria-labelledby="countries-title">
      <div class="bar">
        <h2 id="countries-title">{t("countries")}</h2>
      </div>
      {countries.length === 0 ? (
        <p class="note pane-note">{t("noCountry")}</p>
      ) : (
        <>
          <ul id="countries">
            {countries.map((country) => (
              <Country key={country.code} {...country} />
            ))}
          </ul>
          <p class="note pane-note">{t("countryNote")}</p>
        </>
      )}
    </section>
  );
}

function Country({ code, confidence, evidence }: CountryDetection) {
  const isOpen = useSignal(false);
  return (
    <li data-country={code}>
      <Details isOpen={isOpen}>
        <summary>
          <span>{countryName(code)}</span>
          <Meter part={confidence} label={t("confidence", { percent: percent(confidence) })} />
        </summary>
        {isOpen.value && (
          <div class="why">
            <Reasons evidence={evidence ?? []} />
          </div>
        )}
      </Details>
    </li>
  );
}
