// One instance for `import` and `require`, as node.mjs.
import type { OpenCodePlugin } from "./cjs/opencode.js";

export * from "./cjs/opencode.js";
declare const plugin: OpenCodePlugin;
export default plugin;
