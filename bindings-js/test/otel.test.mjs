// The wrappers for exporters of OpenTelemetry, with its SDK and the exporters that send OTLP: what arrives has no personal data.

import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import { text } from "node:stream/consumers";
import { after, before, describe, test } from "node:test";
import { context, SpanKind, SpanStatusCode, trace } from "@opentelemetry/api";
import { SeverityNumber } from "@opentelemetry/api-logs";
import { OTLPLogExporter } from "@opentelemetry/exporter-logs-otlp-http";
import { OTLPTraceExporter } from "@opentelemetry/exporter-trace-otlp-http";
import { InMemoryLogRecordExporter, LoggerProvider, SimpleLogRecordProcessor } from "@opentelemetry/sdk-logs";
import { BasicTracerProvider, BatchSpanProcessor, InMemorySpanExporter, SimpleSpanProcessor } from "@opentelemetry/sdk-trace-base";
import { compileErrors } from "./compile.mjs";
import { project } from "./project.mjs";

const installed = project();
const { protectLogs, protectSpans } = await installed.import("textveil/otel");
const { TextveilError } = await installed.import();

const R = "[REDACTED]";
const MAIL = "jan.novak@example.cz";
const PERSONAL = /Emily|Carter|jan\.novak|44051401359/;
const BLOCKING = { mode: "policy", policies: [{ name: "none", action: "BLOCK", conditions: [{ entityTypes: ["pesel"] }] }], defaultAction: "REDACT" };
const REASON = "Textveil withheld this record: it could not be protected (policy_violation).";
const refusal = (field) => (error) => {
  assert.ok(error instanceof TextveilError, String(error));
  assert.deepEqual([error.code, error.field], ["invalid_request", field]);
  return true;
};

/** A resource as detectors make it: the owner of a process, and a value that comes later. */
const resource = { attributes: { "service.name": "shop", "process.owner": "Emily Carter" } };

/** Makes two spans with everything that a span can have. */
function useTracer(provider) {
  const tracer = provider.getTracer("shop", "1.2.3");
  const parent = tracer.startSpan(`pay ${MAIL}`, { kind: SpanKind.SERVER, attributes: { mail: MAIL, pesel: 44051401359, n: 7, list: [MAIL, "x"], ok: true } });
  const child = tracer.startSpan("query", { links: [{ context: parent.spanContext(), attributes: { of: MAIL } }] }, trace.setSpan(context.active(), parent));
  child.addEvent(`mail to ${MAIL}`, { to: MAIL });
  child.recordException(new Error(`no user ${MAIL}`, { cause: new Error("Emily Carter") }));
  child.setStatus({ code: SpanStatusCode.ERROR, message: `no user ${MAIL}` });
  child.end();
  parent.end();
  return { parent, child };
}

function useLogger(provider) {
  const logger = provider.getLogger("shop", "1.2.3");
  logger.emit({ body: `mail to ${MAIL}`, severityNumber: SeverityNumber.INFO, severityText: "INFO", attributes: { pesel: 44051401359, n: 7 } });
  logger.emit({ body: { customer: { mail: MAIL, list: ["Emily Carter"] }, n: 7 }, eventName: "paid", attributes: {} });
  logger.emit({ body: new TextEncoder().encode(MAIL), attributes: {} });
}

describe("OTLP over HTTP", () => {
  const received = [];
  const server = createServer(async (request, response) => {
    received.push([request.url, JSON.parse(await text(request))]);
    response.setHeader("content-type", "application/json").end("{}");
  });
  let url;
  before(async () => {
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    url = `http://127.0.0.1:${server.address().port}`;
  });
  after(() => server.close());

  test("spans arrive without personal data, and with everything else", async () => {
    const exporter = new OTLPTraceExporter({ url: `${url}/v1/traces`, headers: { "x-a": "b" } });
    const provider = new BasicTracerProvider({ resource: (await import("@opentelemetry/resources")).resourceFromAttributes(resource.attributes), spanProcessors: [new BatchSpanProcessor(protectSpans(exporter))] });
    const { parent, child } = useTracer(provider);
    await provider.shutdown();
    const [[path, body]] = received.splice(0);
    assert.equal(path, "/v1/traces");
    assert.ok(!PERSONAL.test(JSON.stringify(body)), JSON.stringify(body));
    assert.equal(body.resourceSpans.length, 1);
    const [{ resource: sent, scopeSpans: [{ scope, spans }] }] = body.resourceSpans;
    const values = (attributes) => Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]]));
    assert.deepEqual([values(sent.attributes)["service.name"], scope], ["shop", { name: "shop", version: "1.2.3" }]);
    const [query, pay] = spans;
    assert.deepEqual([pay.name, pay.kind, pay.traceId, pay.spanId], [`pay ${R}`, 2, parent.spanContext().traceId, parent.spanContext().spanId]);
    assert.deepEqual(values(pay.attributes), { mail: R, pesel: R, n: 7, list: { values: [{ stringValue: R }, { stringValue: "x" }] }, ok: true });
    assert.deepEqual([query.parentSpanId, query.spanId, query.status], [pay.spanId, child.spanContext().spanId, { code: 2, message: `no user ${R}` }]);
    assert.deepEqual([query.events[0].name, values(query.events[0].attributes)], [`mail to ${R}`, { to: R }]);
    assert.equal(values(query.events[1].attributes)["exception.message"], `no user ${R}`);
    assert.match(values(query.events[1].attributes)["exception.stacktrace"], /otel\.test\.mjs/);
    assert.deepEqual([query.links[0].traceId, values(query.links[0].attributes)], [pay.traceId, { of: R }]);
    for (const name of ["startTimeUnixNano", "endTimeUnixNano"]) assert.match(String(query[name]), /^\d{19}$/);
  });

  test("log records do, too", async () => {
    const exporter = new OTLPLogExporter({ url: `${url}/v1/logs` });
    const provider = new LoggerProvider({ processors: [new SimpleLogRecordProcessor({ exporter: protectLogs(exporter) })] });
    useLogger(provider);
    await provider.shutdown();
    const bodies = received.splice(0).map(([, body]) => body);
    assert.ok(!PERSONAL.test(JSON.stringify(bodies)), JSON.stringify(bodies));
    const records = bodies.flatMap(({ resourceLogs }) => resourceLogs.flatMap(({ scopeLogs }) => scopeLogs.flatMap(({ logRecords }) => logRecords)));
    assert.deepEqual([records[0].body, records[0].severityText, records[0].severityNumber], [{ stringValue: `mail to ${R}` }, "INFO", 9]);
    assert.deepEqual(records[0].attributes, [{ key: "pesel", value: { stringValue: R } }, { key: "n", value: { intValue: 7 } }]);
    assert.deepEqual([records[1].eventName, JSON.stringify(records[1].body).includes(R)], ["paid", true]);
    assert.deepEqual(records[2].body, { stringValue: "[binary]" });
  });
});

describe("an exporter", () => {
  test("gets what it would get, with protected texts", () => {
    const exporter = new InMemorySpanExporter();
    const provider = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(protectSpans(exporter, { mode: "mask" }))] });
    const { child } = useTracer(provider);
    const [query, pay] = exporter.getFinishedSpans();
    const plain = ["kind", "startTime", "endTime", "duration", "ended", "parentSpanContext", "instrumentationScope", "droppedAttributesCount", "droppedEventsCount", "droppedLinksCount"];
    for (const name of plain) assert.deepEqual(query[name], child[name], name);
    assert.deepEqual(query.spanContext(), child.spanContext());
    assert.deepEqual([query.events[0].time, query.links[0].context], [child.events[0].time, child.links[0].context]);
    assert.equal(pay.name, `pay ${"*".repeat(MAIL.length)}`);
    // exporters group spans by these
    assert.equal(query.resource, pay.resource);
    assert.equal(query.instrumentationScope, pay.instrumentationScope);
    // the span of the application is unchanged
    assert.equal(child.status.message, `no user ${MAIL}`);
  });

  test("is the caller's in everything else", async () => {
    const exporter = new InMemorySpanExporter();
    const safe = protectSpans(exporter);
    assert.ok(safe instanceof InMemorySpanExporter);
    assert.deepEqual(safe.getFinishedSpans(), []);
    await safe.forceFlush();
    await safe.shutdown();
    class Private {
      #open = true;
      export(spans, done) {
        done({ code: this.#open ? 0 : 1 });
      }
      async shutdown() {
        this.#open = false;
      }
    }
    const own = protectSpans(new Private());
    const code = () => new Promise((done) => own.export([], (result) => done(result.code)));
    assert.equal(await code(), 0);
    await own.shutdown();
    assert.equal(await code(), 1);
  });

  test("gets a replacement for an item that cannot be protected", () => {
    const exporter = new InMemorySpanExporter();
    const { parent } = useTracer(new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(protectSpans(exporter, BLOCKING))] }));
    const [query, pay] = exporter.getFinishedSpans();
    assert.deepEqual([query.name, query.events[0].name], ["query", `mail to ${R}`]);
    assert.deepEqual([pay.name, pay.attributes, pay.events, pay.links], [REASON, {}, [], []]);
    assert.deepEqual(pay.spanContext(), parent.spanContext());
    const logs = new InMemoryLogRecordExporter();
    useLogger(new LoggerProvider({ processors: [new SimpleLogRecordProcessor({ exporter: protectLogs(logs, BLOCKING) })] }));
    const [record] = logs.getFinishedLogRecords();
    assert.deepEqual([record.body, record.attributes, record.severityNumber], [REASON, {}, SeverityNumber.INFO]);
  });

  test("gets no part of a span beyond the bounds", () => {
    const exporter = new InMemorySpanExporter();
    const provider = new BasicTracerProvider({ spanLimits: { eventCountLimit: 20_000 }, spanProcessors: [new SimpleSpanProcessor(protectSpans(exporter))] });
    const span = provider.getTracer("shop").startSpan("many");
    for (let count = 0; count < 15_000; count += 1) span.addEvent(`mail to ${MAIL}`);
    span.end();
    const [{ name, events }] = exporter.getFinishedSpans();
    assert.deepEqual([name, events], [REASON.replace("policy_violation", "internal_error"), []]);
  });

  test("gets JSON in a string as JSON", () => {
    const own = `{"pesel": 44051401359, "n": 12345678901234567890, "by": ["Emily Carter"]}`;
    const wanted = `{"pesel": "${R}", "n": 12345678901234567890, "by": ["${R}"]}`;
    const exporter = new InMemorySpanExporter();
    const tracer = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(protectSpans(exporter))] }).getTracer("shop");
    const span = tracer.startSpan("ask", { attributes: { [MAIL]: 1, "gen_ai.input.messages": own, list: ["x", own], text: "{pesel: 44051401359}" } });
    span.addEvent("asked", { own }).end();
    const [{ attributes, events }] = exporter.getFinishedSpans();
    assert.deepEqual(attributes, { [R]: 1, "gen_ai.input.messages": wanted, list: ["x", wanted], text: `{pesel: ${R}}` });
    assert.deepEqual(events[0].attributes, { own: wanted });
    const logs = new InMemoryLogRecordExporter();
    const logger = new LoggerProvider({ processors: [new SimpleLogRecordProcessor({ exporter: protectLogs(logs) })] }).getLogger("shop");
    for (const body of [own, { own }, new Date(0)]) logger.emit({ body, attributes: { own } });
    const [text, fields, date] = logs.getFinishedLogRecords();
    assert.deepEqual([text.body, text.attributes, fields.body, date.body], [wanted, { own: wanted }, { own: wanted }, new Date(0)]);
  });

  test("gets the attributes of a resource when they are there", async () => {
    const { resourceFromAttributes } = await import("@opentelemetry/resources");
    const exporter = new InMemorySpanExporter();
    const later = resourceFromAttributes({ "service.name": "shop", "host.name": Promise.resolve(MAIL) });
    const provider = new BasicTracerProvider({ resource: later, spanProcessors: [new SimpleSpanProcessor(protectSpans(exporter))] });
    useTracer(provider);
    await provider.forceFlush();
    for (const { resource: own } of exporter.getFinishedSpans()) assert.deepEqual(own.attributes, { "service.name": "shop", "host.name": R });
  });

  test("rejects faulty options at once", () => {
    assert.throws(() => protectSpans(new InMemorySpanExporter(), { entites: [] }), refusal("entites"));
    assert.throws(() => protectLogs(new InMemoryLogRecordExporter(), { mode: "placeholder" }), refusal("mode"));
  });
});

test("the types are those of OpenTelemetry", () => {
  const code = `
    import { OTLPLogExporter } from "@opentelemetry/exporter-logs-otlp-http";
    import { OTLPTraceExporter } from "@opentelemetry/exporter-trace-otlp-http";
    import { BatchLogRecordProcessor, LoggerProvider, type LogRecordExporter } from "@opentelemetry/sdk-logs";
    import { BasicTracerProvider, BatchSpanProcessor, type SpanExporter } from "@opentelemetry/sdk-trace-base";
    import { protectLogs, protectSpans, type RecordOptions } from "textveil/otel";
    const options: RecordOptions = { mode: "hash", key: "000102030405060708090a0b0c0d0e0f" };
    const spans: SpanExporter = protectSpans(new OTLPTraceExporter(), options);
    const logs: LogRecordExporter = protectLogs(new OTLPLogExporter());
    new BasicTracerProvider({ spanProcessors: [new BatchSpanProcessor(spans)] });
    new LoggerProvider({ processors: [new BatchLogRecordProcessor({ exporter: logs })] });
    // @ts-expect-error an unknown option
    protectSpans(spans, { entites: [] });
    // @ts-expect-error it is no exporter
    protectSpans({});`;
  assert.deepEqual(compileErrors(installed.folder, [{ name: "otel", code }]), []);
});
