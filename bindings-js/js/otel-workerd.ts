// OpenTelemetry in Cloudflare's workerd.

import documents from "../wasm/documents_bg.wasm";
import { loadDocumentsSync } from "./documents-instance.js";
import "./workerd.js";

export * from "./otel.js";

loadDocumentsSync(documents);
