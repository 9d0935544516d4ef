// One instance for `import` and `require`, as node.mjs.
export * from "./cjs/sentry-node.js";
