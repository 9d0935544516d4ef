// The changes of an import, computed before it is sent.

import { cleaned } from "./conditions.js";
import { draftOf } from "./policy-order.js";
import { ApiError } from "./request.js";
import { isSame } from "./same.js";
import { byTypeName } from "./type-names.js";
import type { Configuration, Export, ImportDocument, ImportMode, Policy } from "./types.js";

export interface FieldChange {
  field: string;
  before: string;
  after: string;
}

export interface Preview {
  fields: FieldChange[];
  added: string[];
  replaced: string[];
  removed: string[];
}

/** Reads a file; says what is wrong with it where it is no document of this kind. */
export function parseDocument(text: string): ImportDocument {
  let document: unknown;
  try {
    document = JSON.parse(text);
  } catch {
    throw new ApiError(0, "this file is not JSON");
  }
  if (!isObject(document)) throw new ApiError(0, "this file has no JSON object");
  const { configuration, policies } = document;
  if (configuration === undefined && policies === undefined) {
    throw new ApiError(0, "this file has neither a configuration nor policies");
  }
  if (configuration != null && !isObject(configuration)) throw new ApiError(0, "its configuration must be a JSON object");
  if (!isListOrNone(policies)) throw new ApiError(0, "its policies must be a list of JSON objects");
  if (!(policies ?? []).every(({ conditions }) => isListOrNone(conditions))) {
    throw new ApiError(0, "the conditions of each policy must be a list of JSON objects");
  }
  return document as ImportDocument;
}

export function previewOf(current: Export, document: ImportDocument, mode: ImportMode): Preview {
  const configuration = document.configuration ?? undefined;
  return {
    fields: configuration ? fieldChanges(current.configuration, configuration, mode) : [],
    ...policyChanges(current.policies, document.policies ?? undefined, mode),
  };
}

/** Maps of the configuration, in which a replacement leaves nothing that it does not name. */
const MAPS = ["providers", "risk_levels"];

function fieldChanges(current: Configuration, wanted: Record<string, unknown>, mode: ImportMode): FieldChange[] {
  const [before, after] = [flattened(inOneSpelling(current)), flattened(inOneSpelling(wanted))];
  const names = [...new Set([...before.keys(), ...after.keys()])].filter((name) => name !== "workspace_id").sort();
  return names.flatMap((field) => {
    const was = before.get(field);
    const will = after.has(field) ? after.get(field) : mode === "merge" ? was : absent(field);
    return isSame(was, will) ? [] : [{ field, before: shown(was), after: shown(will) }];
  });
}

/** Types may be in any case, and are the same. */
function inOneSpelling(configuration: object): object {
  const { risk_levels } = configuration as { risk_levels?: unknown };
  return isObject(risk_levels) ? { ...configuration, risk_levels: byTypeName(risk_levels) } : configuration;
}

function absent(field: string): string | undefined {
  return MAPS.some((map) => field.startsWith(`${map}.`)) ? undefined : "its default";
}

function policyChanges(current: Policy[], wanted: ImportDocument["policies"] | undefined, mode: ImportMode) {
  if (!wanted) return { added: [], replaced: [], removed: [] };
  const name = (policy: { name: string }) => policy.name;
  const before = (id: string | undefined) => current.find((policy) => policy.id === id);
  const kept = new Set(wanted.map(({ id }) => id));
  return {
    added: wanted.filter(({ id }) => !before(id)).map(name),
    replaced: wanted.filter((policy) => differs(before(policy.id), policy)).map(name),
    removed: mode === "replace" ? current.filter(({ id }) => !kept.has(id)).map(name) : [],
  };
}

function differs(before: Policy | undefined, after: Partial<Policy>): boolean {
  if (!before) return false;
  const { name, description = "", priority = 0, action, conditions, is_default = false, restore } = after;
  const wanted = {
    ...{ name, description, priority, action, conditions: (conditions ?? []).map(cleaned), is_default },
    ...(restore !== undefined && { restore }),
  };
  return !isSame({ ...draftOf(before), conditions: before.conditions.map(cleaned) }, wanted);
}

/** Values by their full names, such as `streaming.enabled`. */
function flattened(object: object, path = ""): Map<string, unknown> {
  const entries = Object.entries(object).flatMap(([name, value]): [string, unknown][] =>
    isObject(value) ? [...flattened(value, `${path}${name}.`)] : [[path + name, value]],
  );
  return new Map(entries);
}

function isListOrNone(value: unknown): value is Record<string, unknown>[] | null | undefined {
  return value == null || (Array.isArray(value) && value.every(isObject));
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function shown(value: unknown): string {
  return value === undefined || value === null ? "none" : String(value);
}
