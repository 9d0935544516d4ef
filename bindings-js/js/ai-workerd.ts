// The AI SDK in Cloudflare's workerd.

import "./workerd.js";

export * from "./ai.js";
