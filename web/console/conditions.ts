// The keys of a condition: how each is named, begun and told.

import type { Condition } from "./types.js";

export type Key = keyof Condition;

interface KeyEntry {
  label: string;
  /** The first value of a key that is added; undefined is asked for. */
  first: Condition[Key];
  tell: (value: never) => string;
}

const list = (values: string[]) => values.join(", ");

export const KEYS: Record<Key, KeyEntry> = {
  entity_types: { label: "Type is one of", first: [], tell: list },
  exclude_entity_types: { label: "Type is not one of", first: [], tell: (types: string[]) => `not ${list(types)}` },
  categories: { label: "Category is one of", first: [], tell: list },
  countries: { label: "Country is one of", first: [], tell: list },
  confidence_min: { label: "Confidence is at least", first: undefined, tell: (share: number) => `confidence ≥ ${share}` },
  risk_level_min: { label: "Risk is at least", first: "HIGH", tell: (level: string) => `risk ≥ ${level}` },
  validated: { label: "Checked by its rule", first: true, tell: (is: boolean) => (is ? "validated" : "not validated") },
  min_count: { label: "Findings of the type, at least", first: undefined, tell: (count: number) => `${count} or more` },
  direction: { label: "Direction", first: "input", tell: (way: string) => way },
  roles: { label: "Role is one of", first: [], tell: (roles: string[]) => `said by ${list(roles)}` },
  providers: { label: "Provider is one of", first: [], tell: (names: string[]) => `at ${list(names)}` },
  models: { label: "Model is one of", first: [], tell: (names: string[]) => `model ${list(names)}` },
  tools: { label: "Tool is one of", first: [], tell: (names: string[]) => `tool ${list(names)}` },
};

export const keysOf = (condition: Condition) => (Object.keys(KEYS) as Key[]).filter((key) => key in condition);

/** In words, for a list of policies. */
export function told(conditions: readonly Condition[]): string {
  const alternatives = conditions.map(cleaned).map((condition) => {
    const parts = keysOf(condition).map((key) => KEYS[key].tell(condition[key] as never));
    return parts.join(" · ") || "every finding";
  });
  return alternatives.join(" or ") || "every finding";
}

/** Without keys that say nothing: absent, null and an empty list of exclusions are the same. */
export function cleaned(condition: Condition): Condition {
  const said = Object.entries(condition).filter(
    ([key, value]) => value !== null && !(key === "exclude_entity_types" && (value as string[]).length === 0),
  );
  return Object.fromEntries(said);
}
