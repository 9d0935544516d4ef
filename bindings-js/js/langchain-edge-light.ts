// LangChain in Vercel's edge runtime.

import "./edge-light.js";

export * from "./langchain.js";
