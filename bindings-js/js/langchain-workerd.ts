// LangChain in Cloudflare's workerd.

import "./workerd.js";

export * from "./langchain.js";
