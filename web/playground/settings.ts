// The settings of the page as the options of the package, to be kept, shared, and used in a program.

import { computed } from "@preact/signals";
import { createProtector, detectors, type ProtectOptions, TextveilError } from "textveil";
import { MODES, pageKey, type ShownMode } from "./analysis.js";
import { operators, typeModeOf, typeModes } from "./operators.js";
import { ownRules, takeRules } from "./rules.js";
import { country, minConfidence, mode, preset, sideBySide, THRESHOLDS, typesOff } from "./state.js";

/** The settings that a reader may choose, with the names of the package. */
export type Settings = Pick<
  ProtectOptions<string>,
  | "privacyPreset"
  | "minConfidence"
  | "country"
  | "excludeEntities"
  | "operators"
  | "customDetectors"
  | "allowList"
  | "denyList"
> & { mode?: ShownMode };

/** The settings, without those that have their default. */
export const settings = computed<Settings>(() => {
  const { customDetectors, allowList, denyList } = ownRules.value;
  const isOwnThreshold = minConfidence.value !== THRESHOLDS[preset.value];
  return {
    ...(mode.value !== "replace" && { mode: mode.value }),
    ...(preset.value !== "balanced" && { privacyPreset: preset.value }),
    ...(isOwnThreshold && { minConfidence: minConfidence.value }),
    ...(country.value !== "" && { country: country.value }),
    ...(typesOff.value.size > 0 && { excludeEntities: [...typesOff.value] }),
    // placeholders are for all types
    ...(typeModes.value.size > 0 && mode.value !== "placeholder" && { operators: operators.value }),
    ...(customDetectors.length > 0 && { customDetectors }),
    ...(allowList.length > 0 && { allowList }),
    ...(denyList.length > 0 && { denyList }),
  };
});

/** The settings without the lists, whose values may be personal data. */
export function withoutValues({ allowList: _allowed, denyList: _denied, ...others }: Settings): Settings {
  return others;
}

/**
 * Makes `given` the settings of the page.
 *
 * @returns why the engine rejects them; undefined after they were taken
 */
export function takeSettings(given: unknown): string | undefined {
  if (typeof given !== "object" || given === null || Array.isArray(given)) return "must be an object";
  const { mode: wantedMode = "replace", ...options } = given as Settings;
  const wanted = MODES.find((name) => name === wantedMode);
  if (wanted === undefined) return `mode must be ${MODES.join(", ")}`;
  try {
    // reads all options, and rejects what the engine does not know
    createProtector({ ...options, mode: wanted, ...pageKey.value }).protect("-");
  } catch (error) {
    if (error instanceof TextveilError) return error.message;
    throw error;
  }
  const own = options.privacyPreset ?? "balanced";
  mode.value = wanted;
  sideBySide.value = false;
  preset.value = own;
  minConfidence.value = options.minConfidence ?? THRESHOLDS[own];
  country.value = countryOf(options.country);
  typesOff.value = new Set(options.excludeEntities ?? []);
  const modes = Object.entries(options.operators ?? {}).map(([type, operator]) => [type, typeModeOf(operator)] as const);
  typeModes.value = new Map(modes.flatMap(([type, own]) => (own === undefined ? [] : [[type, own] as const])));
  takeRules(options);
  return undefined;
}

/** A country of the list; any other one is no evidence. */
function countryOf(code = ""): string {
  const known = detectors().detectors.some(({ region }) => region === code.toUpperCase());
  return known ? code.toUpperCase() : "";
}
