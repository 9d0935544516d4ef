// The AI SDK in Vercel's edge runtime.

import "./edge-light.js";

export * from "./ai.js";
