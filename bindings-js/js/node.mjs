// One instance for `import` and `require`: the same keys, the same `TextveilError`.
export * from "./cjs/node.js";
