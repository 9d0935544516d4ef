// OpenTelemetry in Vercel's edge runtime.

import documents from "../wasm/documents_bg.wasm?module";
import { loadDocumentsSync } from "./documents-instance.js";
import "./edge-light.js";

export * from "./otel.js";

loadDocumentsSync(documents);
