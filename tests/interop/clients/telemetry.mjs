// Exports one log record and one span with the exporters of OpenTelemetry, set by the environment; prints what they said.

import { DiagLogLevel, SpanStatusCode, diag } from "@opentelemetry/api";
import { SeverityNumber } from "@opentelemetry/api-logs";
import { OTLPLogExporter } from "@opentelemetry/exporter-logs-otlp-http";
import { OTLPTraceExporter } from "@opentelemetry/exporter-trace-otlp-http";
import { resourceFromAttributes } from "@opentelemetry/resources";
import { LoggerProvider, SimpleLogRecordProcessor } from "@opentelemetry/sdk-logs";
import { BasicTracerProvider, SimpleSpanProcessor } from "@opentelemetry/sdk-trace-base";

const { address, number, name } = JSON.parse(process.argv[2]);
const said = [];
const note = (...parts) => said.push(parts.map(String).join(" "));
diag.setLogger({ verbose() {}, debug() {}, info() {}, warn: note, error: note }, DiagLogLevel.WARN);

/** Remembers the result of each export. */
const results = [];
const remembering = (exporter) => ({
  export: (items, done) =>
    exporter.export(items, (result) => {
      results.push({ code: result.code, error: result.error && `${result.error.code ?? ""} ${result.error.message}` });
      done(result);
    }),
  forceFlush: () => exporter.forceFlush?.() ?? Promise.resolve(),
  shutdown: () => exporter.shutdown(),
});

const resource = resourceFromAttributes({ "service.name": "shop", "user.email": address });
const tracers = new BasicTracerProvider({
  resource,
  spanProcessors: [new SimpleSpanProcessor(remembering(new OTLPTraceExporter()))],
});
const span = tracers.getTracer("shop", "1.0.0").startSpan(`mail ${address}`, { attributes: { pesel: Number(number), n: 7 } });
span.addEvent("sent", { to: [address, "nobody"] });
span.recordException(new Error(`no mailbox ${address}`));
span.setStatus({ code: SpanStatusCode.ERROR, message: `failed for ${name}, ${address}` });
span.end();
await tracers.forceFlush().catch(() => {}); // the results have the reason
await tracers.shutdown().catch(() => {});

const loggers = new LoggerProvider({
  resource,
  processors: [new SimpleLogRecordProcessor({ exporter: remembering(new OTLPLogExporter()) })],
});
const logger = loggers.getLogger("shop");
const record = { severityNumber: SeverityNumber.INFO, severityText: "INFO" };
logger.emit({ ...record, body: `${name} wrote from ${address}`, attributes: { pesel: number, "order.id": 4711 } });
logger.emit({ ...record, body: { user: { mail: address, raw: new TextEncoder().encode(address) } } });
await loggers.forceFlush().catch(() => {});
await loggers.shutdown().catch(() => {});

console.log(JSON.stringify({ results, said }));
