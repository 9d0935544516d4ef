// Sentry: hooks that protect what the SDK sends.

import { object } from "./call.js";
import type { BinaryOptions } from "./options.js";
import { Records, type RecordOptions } from "./record.js";

export type { RecordOptions } from "./record.js";

/**
 * Options of `protectEvents`.
 *
 * @example
 * protectEvents({ release: "shop@1.2.3" }, { mode: "mask", binary: "pass" }).release; // "shop@1.2.3"
 */
export interface EventOptions extends RecordOptions {
  /**
   * The treatment of attachments that are not text, such as screenshots. `refuse`, also when absent: a note replaces
   * their content. `pass`: they are sent as they are.
   */
  binary?: BinaryOptions["binary"];
}

type Fields = Record<string, unknown>;
type Hook = (record: Fields, hint?: Fields) => unknown;

/** The methods of a client of Sentry that are used. */
interface Client {
  on(hook: string, callback: (record: Fields, hint?: Fields) => void): unknown;
}

interface Integration {
  name: string;
  setup?(client: Client): void;
  processEvent?(event: Fields, hint: Fields): unknown;
}

/** The options of Sentry that are used: its SDKs, and their versions, have types of their own for records. */
interface SentryOptions {
  beforeSend?: Hook;
  beforeSendSpan?: Hook;
  beforeSendLog?: Hook;
  beforeSendMetric?: Hook;
  integrations?: Integration[] | ((defaults: Integration[]) => Integration[]);
  traceLifecycle?: unknown;
}

/**
 * Protects what Sentry sends, by value.
 *
 * Takes the options of `Sentry.init` and adds hooks: errors, messages, breadcrumbs, requests, users, transactions, spans,
 * logs, metrics, feedback, sessions and attachments of text are protected. Your own hooks are called before. A record that
 * cannot be protected becomes one that says so; a metric is dropped. Recordings of Session Replay and profiles are not
 * inspected.
 *
 * In a page, errors wait until the package is loaded; spans and logs before that are withheld.
 *
 * @throws {TextveilError} `invalid_request` naming an option
 * @example
 * const options = protectEvents({ dsn: "https://key@sentry.example.com/1" }, { mode: "mask" }); // for Sentry.init
 * Object.keys(options).includes("beforeSend"); // true
 */
export function protectEvents<Options extends object>(sentryOptions: Options, options?: EventOptions): Options {
  const { binary, ...rest } = object(options);
  const own = sentryOptions as SentryOptions;
  const guard = new Guard(new Records(rest), binary === "pass");
  const hooks: SentryOptions = {
    beforeSend: after(own.beforeSend, (event, hint) => guard.event(event, hint)),
    beforeSendSpan: ofLifecycle(own.traceLifecycle, (span) => guard.span(changed(own.beforeSendSpan, span))),
    beforeSendLog: after(own.beforeSendLog, (log) => guard.log(log)),
    beforeSendMetric: after(own.beforeSendMetric, (metric) => guard.metric(metric)),
    integrations: withIntegration(own.integrations, integrationOf(guard)),
  };
  return { ...sentryOptions, ...hooks };
}

/** Calls a hook of the caller first; what it drops stays dropped. */
function after(own: Hook | undefined, protect: Hook): Hook {
  return (record, hint) => {
    const given = own === undefined ? record : own(record, hint);
    const then = (changed: unknown): unknown => (isFields(changed) ? protect(changed, hint) : changed);
    return isFields(given) && typeof given["then"] === "function" ? (given as unknown as Promise<unknown>).then(then) : then(given);
  };
}

/** Calls the caller's hook of spans. Sentry sends the span as it was where the hook throws or gives nothing. */
function changed(own: Hook | undefined, span: Fields): Fields {
  try {
    const given = own?.(span);
    return isFields(given) ? given : span;
  } catch {
    return span;
  }
}

/** Marks a hook of spans for a lifecycle: Sentry 11 calls a hook with `_static`, and 10 one with `_streamed`. */
function ofLifecycle(lifecycle: unknown, hook: Hook): Hook {
  return Object.defineProperties(hook, { _static: { value: lifecycle === "static" }, _streamed: { value: lifecycle === "stream" } });
}

function withIntegration(own: SentryOptions["integrations"], added: Integration): NonNullable<SentryOptions["integrations"]> {
  return typeof own === "function" ? (defaults) => [...own(defaults), added] : [...(own ?? []), added];
}

/**
 * Protects what no option has a hook for: feedback, sessions, names of transactions in headers, errors of the SDK. And
 * transactions, since Sentry 11 warns of their hook.
 */
function integrationOf(guard: Guard): Integration {
  return {
    name: "Textveil",
    setup(client) {
      client.on("beforeSendEvent", (event, hint) => {
        const isInternal = isFields(hint?.["data"]) && hint["data"]["__sentry__"] === true;
        if (event["type"] !== undefined || isInternal) guard.seal(event, hint);
      });
      client.on("beforeSendSession", (session) => guard.replace(session, ["did", "ipAddress", "userAgent", "attrs"]));
      client.on("createDsc", (context) => guard.replace(context, ["transaction"]));
    },
    processEvent: (event) => guard.whenLoaded(() => event),
  };
}

/** Fields of events that the SDK itself writes, and the constants of a release. The metadata are not sent. */
const OF_EVENTS = ["event_id", "type", "platform", "level", "timestamp", "start_timestamp", "release", "dist", "environment", "sdk", "modules", "debug_meta", "sdkProcessingMetadata"];
/** Those of spans. */
const OF_SPANS = ["trace_id", "span_id", "parent_span_id", "segment_id", "profile_id", "start_timestamp", "end_timestamp", "timestamp", "exclusive_time", "status", "is_segment", "origin"];

const IDS = /^(?:(?:event|trace|span|parent_span|segment|profile|profiler|replay|debug)_id|sid)$/;
const TIMES = /(?:^|_)timestamp$/;

/** Whether a value is an identifier of a trace, a time or a place in the code, and no text. */
function isOwn(key: string, value: unknown): boolean {
  if (typeof value === "string") return IDS.test(key) && /^[0-9a-f]{16}$|^[0-9a-f]{8}-?(?:[0-9a-f]{4}-?){3}[0-9a-f]{12}$/i.test(value);
  if (typeof value !== "number") return false;
  if (TIMES.test(key)) return value > 1e9 && value < 5e9;
  return (key === "lineno" || key === "colno") && Number.isInteger(value) && value < 1e7;
}

/** Protects the records of a client. */
class Guard {
  readonly #records: Records;
  readonly #passesBinary: boolean;

  constructor(records: Records, passesBinary: boolean) {
    this.#records = records;
    this.#passesBinary = passesBinary;
    records.load()?.catch(() => {});
  }

  /** Does work when the package is loaded, or when that failed: each record then says why. */
  whenLoaded<T>(work: () => T): T | Promise<T> {
    const loading = this.#records.load();
    return loading === undefined ? work() : loading.then(work, work);
  }

  /** Protects an event and what is attached to it. */
  event(event: Fields, hint: Fields | undefined): Fields | Promise<Fields> {
    return this.whenLoaded(() => this.#event(event, hint));
  }

  /** The same for an event that Sentry sends itself. */
  seal(event: Fields, hint: Fields | undefined): void {
    const safe = this.#event(event, hint);
    for (const name of Object.keys(event)) delete event[name];
    Object.assign(event, safe);
  }

  #event(event: Fields, hint: Fields | undefined): Fields {
    if (Array.isArray(hint?.["attachments"])) hint["attachments"] = hint["attachments"].map((one: Fields) => this.#attachment(one));
    const [own, rest] = split(event, OF_EVENTS);
    return this.#records.safely(
      () => ({ ...own, ...this.#records.value(rest, isOwn) }),
      (reason) => {
        const { trace } = (rest["contexts"] ?? {}) as { trace?: Fields };
        const ids = Object.entries(trace ?? {}).filter(([name, value]) => isOwn(name, value));
        const text = own["type"] === "transaction" ? { transaction: reason, spans: [] } : { message: reason };
        const feedback = own["type"] === "feedback" ? { feedback: { message: reason } } : {};
        return { ...own, ...text, contexts: { trace: Object.fromEntries(ids), ...feedback } };
      },
    );
  }

  span(span: Fields): Fields {
    const [own, rest] = split(span, OF_SPANS);
    return this.#records.safely(
      () => ({ ...own, ...this.#records.value(rest, isOwn) }),
      (reason) => ({ ...own, name: reason, description: reason, attributes: {}, data: {} }),
    );
  }

  log(log: Fields): Fields {
    return this.#records.safely(
      () => this.#records.value(log, isOwn),
      (message) => ({ level: log["level"], message, attributes: {} }),
    );
  }

  metric(metric: Fields): Fields | null {
    return this.#records.safely<Fields | null>(
      () => ({ ...metric, ...this.#records.value({ name: metric["name"], attributes: metric["attributes"] }, isOwn) }),
      () => null,
    );
  }

  /** Protects fields of an object that Sentry sends itself. */
  replace(record: Fields, names: readonly string[]): void {
    for (const name of names.filter((name) => record[name] !== undefined)) {
      record[name] = this.#records.safely<unknown>(
        () => this.#records.value({ [name]: record[name] }, isOwn)[name],
        () => undefined,
      );
    }
  }

  #attachment(attachment: Fields): Fields {
    const { data } = attachment;
    const name = (): Fields => {
      // the extension would be read as the end of a mail address
      const [, stem, extension] = /^(.*?)(\.[a-z0-9]{1,8})?$/is.exec(String(attachment["filename"])) ?? [];
      return { filename: this.#records.text(stem ?? "") + (extension ?? "") };
    };
    return this.#records.safely(
      () => {
        if (typeof data === "string") return { ...attachment, ...name(), data: this.#records.text(data) };
        if (this.#passesBinary) return { ...attachment, ...name() };
        const text = new TextDecoder("utf-8", { fatal: true }).decode(data as Uint8Array);
        return { ...attachment, ...name(), data: this.#records.text(text) };
      },
      (reason) => ({ attachmentType: attachment["attachmentType"], filename: "withheld.txt", contentType: "text/plain", data: reason }),
    );
  }
}

/** The fields of these names, and the others. */
function split(record: Fields, names: readonly string[]): [Fields, Fields] {
  const [own, rest]: [Fields, Fields] = [{}, {}];
  for (const [name, value] of Object.entries(record)) (names.includes(name) ? own : rest)[name] = value;
  return [own, rest];
}

function isFields(value: unknown): value is Fields {
  return typeof value === "object" && value !== null;
}
