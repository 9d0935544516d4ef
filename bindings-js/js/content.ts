// The format of a document by its content. It needs the module, which a page that only reads names of files does not load.

import type { Format } from "./format.js";
import { call } from "./instance.js";

/** The number of first bytes of a document that may tell its format. @internal */
export const TELLING = 8 << 10;

/** The format that the first bytes of a document tell; plain text where they tell none. @internal */
export function formatOfContent(start: Uint8Array): Format {
  return (call((engine) => engine.formatOfContent(start.subarray(0, TELLING))) as Format | undefined) ?? "text";
}
