// Forms: their fields, read together, and their files.

import { protectFields } from "./document.js";
import type { Engine } from "./engine.js";
import { invalid } from "./error.js";
import { protectFileWith } from "./file.js";
import { isText } from "./format.js";
import type { FormDataOptions } from "./options.js";

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
  const texts = await protectFields(fields, engine.passages(options));
  const out = new FormData();
  for (const [name, value] of entries) {
    signal?.throwIfAborted();
    if (typeof value === "string") {
      out.append(name, texts.shift() ?? "");
    } else if (binary === "pass" && !isText(value.type)) {
      out.append(name, value, value.name);
    } else {
      const { file } = await protectFileWith(engine, value, { ...options, signal });
      // an input without a file has one without a name
      out.append(name, file, value.name && file.name);
    }
  }
  return out;
}
