// Forms: their fields, read together, and their files.

import type { Engine } from "./engine.js";
import { invalid } from "./error.js";
import { protectFileWith } from "./file.js";
import { isText } from "./formats/index.js";
import { Passage, Value } from "./formats/passage.js";
import type { FormDataOptions, ProtectOptions } from "./options.js";

/** Protects a form. */
export async function protectFormDataWith(
  engine: Engine,
  form: FormData,
  { binary, signal, ...options }: FormDataOptions,
): Promise<FormData> {
  if (!(form instanceof FormData)) throw invalid("form", "must be a FormData");
  const entries = [...form];
  signal?.throwIfAborted();
  const fields = entries.filter((entry): entry is [string, string] => typeof entry[1] === "string");
  const texts = protectFields(engine, fields, options);
  const out = new FormData();
  for (const [name, value] of entries) {
    signal?.throwIfAborted();
    if (typeof value === "string") {
      out.append(name, texts.shift() ?? "");
    } else if (binary === "pass" && !isText(value.type)) {
      out.append(name, value, value.name);
    } else {
      const { file } = await protectFileWith(engine, value, { ...options, signal });
      out.append(name, file, value.name);
    }
  }
  return out;
}

/** Protects the values of fields, each of which is read behind its name, and all of them together. */
export function protectFields(
  engine: Engine,
  fields: readonly (readonly [string, string])[],
  options: ProtectOptions<string>,
): string[] {
  const passage = new Passage((text) => engine.protect(text, options).entities);
  const values = fields.map(([label, text]) => new Value(text, text, (changed) => changed, { label }));
  for (const value of values) passage.add(value);
  passage.judge();
  return values.map((value) => value.written());
}
