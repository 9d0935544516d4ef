// Options as the engine reads them. Names here are in camelCase, those of the engine and the service in snake_case; the
// values are the same. Answers have names in camelCase when they arrive here.

import { invalid } from "./error.js";
import { KEYED_BY_CALLER, WIRE_NAMES } from "./wire-names.js";

// maps, as an object would also know `constructor`
const TO_WIRE = new Map(Object.entries(WIRE_NAMES));
const FROM_WIRE = new Map([...TO_WIRE].map(([name, wire]) => [wire, name]));

/** Whether a value is an object as literals make it, of any realm. A Map, or what inherits options, has others unseen. */
export function isPlain(value: unknown): value is object {
  if (typeof value !== "object" || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}

/** A value that no option takes, in place of those that JSON would drop or empty: the engine rejects the name or the value. */
const INVALID = "-0.5";

/** The place of a value in the options: the name or the index of each object and list around it. */
interface Place {
  around: Place | undefined;
  at: string | number;
}

/** Writes options as JSON with the engine's names. */
export function optionsJson(options: object): string {
  return written(options, undefined, false);
}

/** Writes one option as JSON; an empty text for one that is undefined. */
export function optionJson(name: string, value: unknown): string {
  return field(name, value, undefined, false);
}

function written(value: unknown, place: Place | undefined, isKeyedByCaller: boolean): string {
  if (typeof value === "string" || typeof value === "boolean") return JSON.stringify(value);
  // a number that JSON cannot write must not turn into an absent field
  if (typeof value === "number" || typeof value === "bigint") return Number.isFinite(value) ? String(value) : `"${value}"`;
  if (value == null) return "null";
  if (Array.isArray(value)) return `[${Array.from(value, (item: unknown, at) => written(item, { around: place, at }, false)).join()}]`;
  if (!isPlain(value)) return INVALID;
  return joined(Object.entries(value).map(([name, item]) => field(name, item, place, isKeyedByCaller)));
}

/** Joins fields to an object; an empty text is an absent one. */
export function joined(fields: string[]): string {
  return `{${fields.filter((text) => text !== "").join()}}`;
}

function field(name: string, value: unknown, around: Place | undefined, isKeyedByCaller: boolean): string {
  const place = { around, at: name };
  const known = isKeyedByCaller ? undefined : FROM_WIRE.get(name);
  if (known !== undefined) throw invalid(pathOf(place), `is the name in the HTTP API; write \`${known}\``);
  if (value === undefined) return "";
  const wire = isKeyedByCaller ? name : (TO_WIRE.get(name) ?? name);
  return `${JSON.stringify(wire)}:${written(value, place, !isKeyedByCaller && KEYED_BY_CALLER.includes(name))}`;
}

function pathOf({ around, at }: Place): string {
  if (around === undefined) return String(at);
  return typeof at === "number" ? `${pathOf(around)}[${at}]` : `${pathOf(around)}.${at}`;
}

/** The path of a field with the names here: `custom_detectors[0].check_len` is `customDetectors[0].checkLen`. */
export function fromWire(field: string): string {
  const parts = field.split(".");
  return parts
    .map((part, at) => {
      if (KEYED_BY_CALLER.includes(parts[at - 1] ?? "")) return part;
      const name = part.replace(/\[.*/, "");
      return (FROM_WIRE.get(name) ?? name) + part.slice(name.length);
    })
    .join(".");
}

/** A message with the names here. */
export function fromWireText(message: string): string {
  return message.replace("GET /api/v1/detectors lists", "`detectors()` lists").replaceAll(/\b[a-z]+(?:_[a-z]+)+\b/g, (name) => FROM_WIRE.get(name) ?? name);
}
