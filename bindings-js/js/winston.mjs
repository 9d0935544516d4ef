// One instance for `import` and `require`, as node.mjs.
export * from "./cjs/winston.js";
