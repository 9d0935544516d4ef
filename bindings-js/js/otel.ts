// OpenTelemetry: wrappers of exporters, which get protected spans and log records.

import { looksLikeJson } from "./format.js";
import { Records, type RecordOptions } from "./record.js";
import { isPlain } from "./wire.js";

export type { RecordOptions } from "./record.js";

type Fields = Record<string, unknown>;

/**
 * An exporter of OpenTelemetry, of any of its versions.
 *
 * @example
 * const { ConsoleSpanExporter } = await import("@opentelemetry/sdk-trace-base");
 * protectSpans(new ConsoleSpanExporter()) instanceof ConsoleSpanExporter; // true
 */
export interface Exporter {
  export(items: never[], done: never): void;
  shutdown(): Promise<void>;
}

/**
 * Wraps an exporter of spans, which gets protected ones.
 *
 * Names, attributes, events, links, messages of the status and resources are protected by value. A span that cannot be protected
 * is replaced by one that says so.
 *
 * @throws {TextveilError} `invalid_request` naming an option
 * @example
 * const { BasicTracerProvider, InMemorySpanExporter, SimpleSpanProcessor } = await import("@opentelemetry/sdk-trace-base");
 * const exporter = new InMemorySpanExporter(); // any exporter
 * const provider = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(protectSpans(exporter))] });
 * provider.getTracer("shop").startSpan("pay emily@example.com").end();
 * exporter.getFinishedSpans()[0]?.name; // "pay [REDACTED]"
 */
export function protectSpans<E extends Exporter>(exporter: E, options?: RecordOptions): E {
  return wrapped(exporter, options, (records, span) => {
    const { name, attributes, status, events, links } = span as Fields & { status?: Fields; events?: Fields[]; links?: Fields[] };
    const own = picked(span, OF_SPANS);
    return records.safely<Fields>(
      () => {
        const texts = records.value({
          name,
          attributes,
          status: status?.["message"],
          events: events?.map((event) => ({ name: event["name"], attributes: event["attributes"] })),
          links: links?.map((link) => ({ attributes: link["attributes"] })),
        });
        return {
          ...own,
          ...texts,
          attributes: withJson(records, attributes, texts.attributes),
          status: { ...status, message: texts.status },
          events: merged(records, events, texts.events),
          links: merged(records, links, texts.links),
        };
      },
      (reason) => ({ ...own, name: reason, attributes: {}, status: { code: status?.["code"] }, events: [], links: [] }),
    );
  });
}

/**
 * Wraps an exporter of log records, which gets protected ones.
 *
 * Bodies, attributes, names and resources are protected by value. A record that cannot be protected is replaced by one
 * that says so.
 *
 * @throws {TextveilError} `invalid_request` naming an option
 * @example
 * const { InMemoryLogRecordExporter, LoggerProvider, SimpleLogRecordProcessor } = await import("@opentelemetry/sdk-logs");
 * const exporter = new InMemoryLogRecordExporter(); // any exporter
 * const provider = new LoggerProvider({ processors: [new SimpleLogRecordProcessor({ exporter: protectLogs(exporter) })] });
 * provider.getLogger("shop").emit({ body: "Dear Emily Carter" });
 * exporter.getFinishedLogRecords()[0]?.body; // "Dear [REDACTED]"
 */
export function protectLogs<E extends Exporter>(exporter: E, options?: RecordOptions): E {
  return wrapped(exporter, options, (records, log) => {
    const { body, attributes, severityText, eventName } = log;
    const own = picked(log, OF_LOGS);
    return records.safely<Fields>(
      () => {
        const texts = records.value({ body, attributes, severityText, eventName });
        return { ...own, ...texts, body: withJson(records, body, texts.body), attributes: withJson(records, attributes, texts.attributes) };
      },
      (reason) => ({ ...own, body: reason, attributes: {} }),
    );
  });
}

/** Fields of spans that have no text of the application. Others are left out. */
const OF_SPANS = ["kind", "parentSpanContext", "parentSpanId", "startTime", "endTime", "duration", "ended", "instrumentationScope", "instrumentationLibrary", "droppedAttributesCount", "droppedEventsCount", "droppedLinksCount"];
/** Those of log records. */
const OF_LOGS = ["hrTime", "hrTimeObserved", "spanContext", "severityNumber", "instrumentationScope", "droppedAttributesCount"];

/** The exporter with another `export`; everything else is its own. */
function wrapped<E extends Exporter>(exporter: E, options: RecordOptions | undefined, protect: (records: Records, item: Fields) => Fields): E {
  const records = new Records(options);
  const resourceOf = resources(records);
  records.load()?.catch(() => {});
  const send = (items: Fields[], done: unknown): void => {
    const safe = items.map((item) => {
      const { spanContext, resource } = item;
      const more: Fields = isFields(resource) ? { resource: resourceOf(resource) } : {};
      if (typeof spanContext === "function") more["spanContext"] = () => spanContext.call(item) as unknown;
      return { ...protect(records, item), ...more };
    });
    exporter.export(safe as never[], done as never);
  };
  return new Proxy(exporter, {
    get(target, name) {
      if (name === "export") {
        return (items: Fields[], done: unknown) => {
          const loading = records.load();
          const now = (): void => send(items, done);
          // the reason of a failure is that of each item
          if (loading === undefined) now();
          else void loading.then(now, now);
        };
      }
      const value: unknown = Reflect.get(target, name, target);
      // methods may read private fields
      return typeof value === "function" ? (value.bind(target) as unknown) : value;
    },
  });
}

/** Protects each resource once: exporters group by their identity. */
function resources(records: Records): (resource: Fields) => Fields {
  const known = new WeakMap<object, Fields>();
  return (resource) => {
    const before = known.get(resource);
    if (before !== undefined) return before;
    const made = records.safely<Fields>(
      () => ({ ...picked(resource, ["schemaUrl"]), attributes: records.value(resource["attributes"]) }),
      () => ({ attributes: {} }),
    );
    if (resource["asyncAttributesPending"] !== true) known.set(resource, made);
    return made;
  };
}

/** The fields of these names that are there, also those of the class. */
function picked(item: Fields, names: readonly string[]): Fields {
  return Object.fromEntries(names.filter((name) => item[name] !== undefined).map((name) => [name, item[name]]));
}

/** Each item with the protected ones of its fields. */
function merged(records: Records, items: Fields[] | undefined, protectedItems: Fields[] | undefined): Fields[] {
  return (items ?? []).map((item, at) => {
    const texts: unknown = protectedItems?.[at];
    if (!isFields(texts)) throw new Error("the item was beyond the bounds of a record");
    return { ...item, ...texts, attributes: withJson(records, item["attributes"], texts["attributes"]) };
  });
}

/**
 * Reads strings that are JSON as such, among protected values: instrumentations write messages of models and bodies of
 * requests in this form. Read as text, a number would be replaced by a word without quotes.
 */
function withJson(records: Records, own: unknown, safe: unknown): unknown {
  if (typeof own === "string") {
    const isBounded = typeof safe !== "string" || /^\[too \w+\]$/.test(safe);
    return isBounded || !looksLikeJson(own) ? safe : records.text(own);
  }
  if (Array.isArray(own) && Array.isArray(safe)) return safe.map((value, at) => withJson(records, own[at], value));
  if (!isPlain(own) || !isPlain(safe)) return safe;
  // keys may be replaced, their order is the same
  const values = Object.values(own);
  return Object.fromEntries(Object.entries(safe).map(([key, value], at) => [key, withJson(records, values[at], value)]));
}

function isFields(value: unknown): value is Fields {
  return typeof value === "object" && value !== null;
}
