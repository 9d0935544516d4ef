// Written by `generate/`, from the OpenAPI document and the catalogue. Do not edit.

/** The names of options in the service's JSON, by their names here. */
export const WIRE_NAMES: Readonly<Record<string, string>> = {
  allowList: "allow_list",
  checkLen: "check_len",
  confidenceMin: "confidence_min",
  customDetectors: "custom_detectors",
  defaultAction: "default_action",
  denyList: "deny_list",
  entityType: "entity_type",
  entityTypes: "entity_types",
  excludeEntities: "exclude_entities",
  excludeEntityTypes: "exclude_entity_types",
  isDefault: "is_default",
  keepFirst: "keep_first",
  keepLast: "keep_last",
  maskChar: "mask_char",
  minConfidence: "min_confidence",
  minCount: "min_count",
  newValue: "new_value",
  noneOf: "none_of",
  offsetUnit: "offset_unit",
  oneOf: "one_of",
  privacyPreset: "privacy_preset",
};

/** Options with names of the caller: types, lengths. */
export const KEYED_BY_CALLER: readonly string[] = ["operators", "lengths"];
