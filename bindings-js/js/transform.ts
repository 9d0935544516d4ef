// Streams of Node: `textveil/node`, apart from the rest since its types need those of Node.

import { Transform } from "node:stream";
import { transformWith, type ProtectTransform } from "./transform-with.js";

/**
 * `protectStream` as a `Transform` of Node, for `pipe` and `pipeline`: takes buffers and strings, gives strings.
 *
 * @throws {TextveilError} as `protectStream`
 * @example
 * await pipeline(createReadStream("a.log"), protectTransform({ mode: "mask" }), createWriteStream("b.log"));
 */
export const protectTransform: ProtectTransform = transformWith(Transform);
