// Streams of Node: `textveil/node`, apart from the rest since its types need those of Node.

import { Transform } from "node:stream";
import { transformWith, type ProtectTransform } from "./transform-with.js";

/**
 * `protectStream` as a `Transform` of Node, for `pipe` and `pipeline`: takes buffers and strings, gives strings.
 *
 * @throws {TextveilError} as `protectStream`
 * @example
 * const transform = protectTransform({ mode: "mask" });
 * transform.end("Dear Emily Carter");
 * let masked = "";
 * for await (const piece of transform) masked += piece;
 * masked; // "Dear ************"
 */
export const protectTransform: ProtectTransform = transformWith(Transform);
