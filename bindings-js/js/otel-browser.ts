// OpenTelemetry in browsers: the WebAssembly is loaded as `init` does.

import "./browser.js";

export * from "./otel.js";
