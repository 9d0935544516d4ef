// The types of the peers differ between ES modules and CommonJS.
export * from "./esm/ai.js";
