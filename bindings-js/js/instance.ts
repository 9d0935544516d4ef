// The one instance of the engine in this module: loading it, and calling into it.

import start, * as wasm from "../wasm/textveil.js";
import { reader } from "./answers.js";
import { defect, TextveilError, type ErrorCode } from "./error.js";
import type { WasmSource } from "./options.js";
import { instantiate, type OnRead } from "./source.js";
import { fromWire, fromWireText } from "./wire.js";

let loaded = false;
let loading: Promise<void> | undefined;
/** Whether the caller wants names whose module is not loaded yet. Until then a call would miss names silently. */
let lacksNames = false;

/** Loads the engine, once; a call after a failure tries again. */
export function load(source: WasmSource | Promise<WasmSource>, onRead?: OnRead): Promise<void> {
  if (loaded) return Promise.resolve();
  loading ??= instantiate(start, source, "wasm", onRead).then(
    begin,
    (error: unknown) => {
      loading = undefined;
      throw error;
    },
  );
  return loading;
}

/** Resolves when the engine is loaded; rejects where nobody loads it. */
export async function whenLoaded(): Promise<void> {
  await loading;
  engine();
}

/** Loads the engine, once, without waiting. */
export function loadSync(source: BufferSource | WebAssembly.Module): void {
  if (loaded) return;
  wasm.initSync({ module: source });
  begin();
}

function begin(): void {
  wasm.readWith(reader);
  loaded = true;
}

/** Rejects calls while names are missing, or lets them through. */
export function setLacksNames(lacks: boolean): void {
  lacksNames = lacks;
}

/** Whether calls are let through. */
export function isLoaded(): boolean {
  return loaded && !lacksNames;
}

/** The loaded engine. */
export function engine(): typeof wasm {
  if (loaded) return wasm;
  throw new TextveilError("not_loaded", "textveil is not loaded; call `await init()` first");
}

/** Calls into the engine and turns whatever it throws into a `TextveilError`. */
export function call<T>(verb: (engine: typeof wasm) => T): T {
  const ready = engine();
  if (lacksNames) {
    throw new TextveilError("not_loaded", "names are not loaded; await `init()`, or call `init({ names: false })`");
  }
  try {
    return verb(ready);
  } catch (thrown) {
    throw typeof thrown === "string" ? refusal(thrown) : defect(thrown);
  }
}

function refusal(json: string): TextveilError {
  const { code, message, field, details } = JSON.parse(json) as {
    code: ErrorCode;
    message: string;
    field?: string;
    details?: Record<string, number>;
  };
  if (field === undefined) return new TextveilError(code, message, field, details);
  const named = fromWire(field);
  // a message begins with the field
  const expected = fromWireText(message.slice(field.length));
  return new TextveilError(code, named + expected, named, details);
}
