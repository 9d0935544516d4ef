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
const INVALID = -0.5;

/** The value with the engine's names. */
export function toWire(value: unknown, path = "", isKeyedByCaller = false): unknown {
  if (typeof value === "function" || typeof value === "symbol") return INVALID;
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map((item, at) => toWire(item, `${path}[${at}]`));
  if (!isPlain(value)) return INVALID;
  const out = Object.create(null) as Record<string, unknown>;
  for (const [name, item] of Object.entries(value)) {
    const at = path === "" ? name : `${path}.${name}`;
    if (isKeyedByCaller) {
      out[name] = toWire(item, at);
      continue;
    }
    const known = FROM_WIRE.get(name);
    if (known !== undefined) throw invalid(at, `is the name in the HTTP API; write \`${known}\``);
    out[TO_WIRE.get(name) ?? name] = toWire(item, at, KEYED_BY_CALLER.includes(name));
  }
  return out;
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
