// The keys of a condition: how each is named, begun and told.

import { typeName } from "./type-names.js";
import type { Condition } from "./types.js";

export type Key = keyof Condition;

interface KeyEntry {
  label: string;
  /** The first value of a key that is added; undefined is asked for. */
  first: Condition[Key];
  tell: (value: never) => string;
}

const list = (values: string[]) => values.join(", ");
const types = (names: string[]) => list(names.map(typeName));

export const KEYS: Record<Key, KeyEntry> = {
  entity_types: { label: "Entity types", first: [], tell: types },
  exclude_entity_types: { label: "Excluded entity types", first: [], tell: (names: string[]) => `not ${types(names)}` },
  categories: { label: "Categories", first: [], tell: list },
  countries: { label: "Countries", first: [], tell: list },
  confidence_min: { label: "Minimum confidence", first: undefined, tell: (share: number) => `confidence ≥ ${share}` },
  risk_level_min: { label: "Minimum risk level", first: "HIGH", tell: (level: string) => `risk ≥ ${level}` },
  validated: { label: "Validated", first: true, tell: (is: boolean) => (is ? "validated" : "not validated") },
  min_count: { label: "Minimum findings of the type", first: undefined, tell: (count: number) => `${count} or more` },
  direction: { label: "Direction", first: "input", tell: (way: string) => way },
  roles: { label: "Roles", first: [], tell: (roles: string[]) => `role ${list(roles)}` },
  providers: { label: "Providers", first: [], tell: (names: string[]) => `provider ${list(names)}` },
  models: { label: "Models", first: [], tell: (names: string[]) => `model ${list(names)}` },
  tools: { label: "Tools", first: [], tell: (names: string[]) => `tool ${list(names)}` },
};

export const keysOf = (condition: Condition) => (Object.keys(KEYS) as Key[]).filter((key) => key in condition);

/** Returns the labels of the keys that have no value yet. An empty list of exclusions is one. */
export function unfilled(conditions: readonly Condition[]): string[] {
  const keys = conditions.flatMap((condition) =>
    keysOf(condition).filter((key) => {
      const value = condition[key];
      return value === undefined || Number.isNaN(value) || (Array.isArray(value) && value.length === 0 && key !== "exclude_entity_types");
    }),
  );
  return [...new Set(keys)].map((key) => KEYS[key].label);
}

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
