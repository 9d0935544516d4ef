// One instance for `import` and `require`, as node.mjs; `Transform` is imported here, since a bundler cannot turn a
// `require` of Node's modules into an import.
import { Transform } from "node:stream";
import { transformWith } from "./cjs/transform-with.js";

export const protectTransform = transformWith(Transform);
