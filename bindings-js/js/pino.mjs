// One instance for `import` and `require`, as node.mjs.
export * from "./cjs/pino.js";
