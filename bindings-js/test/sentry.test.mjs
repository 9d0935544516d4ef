// The hooks for Sentry, with the client of its SDKs for servers, and with the SDK for browsers in Chromium: what they send has no
// personal data.

import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { before, describe, test } from "node:test";
import * as Sentry from "@sentry/core";
import { ServerRuntimeClient } from "@sentry/core/server";
import { build } from "vite";
import { launch, record, serve, SKIPPED } from "./browser.mjs";
import { compileErrors, link } from "./compile.mjs";
import { project } from "./project.mjs";

const installed = project();
const { protectEvents } = await installed.import("textveil/sentry");
const { TextveilError } = await installed.import();

const R = "[REDACTED]";
const MAIL = "jan.novak@example.cz";
const PERSONAL = /Emily|Carter|jan\.novak|44051401359|203\.0\.113\.7/;
const IP = "203.0.113.7";
const BLOCKING = { mode: "policy", policies: [{ name: "none", action: "BLOCK", conditions: [{ entityTypes: ["pesel"] }] }], defaultAction: "REDACT" };
const refusal = (field) => (error) => {
  assert.ok(error instanceof TextveilError, String(error));
  assert.deepEqual([error.code, error.field], ["invalid_request", field]);
  return true;
};

/** Starts a client, as `Sentry.init` does; gives it with the bodies that it sends. */
function start(sentryOptions, options) {
  // its scopes and buffers are of the process
  delete globalThis.__SENTRY__;
  const bodies = [];
  const transport = (own) => Sentry.createTransport(own, async ({ body }) => (bodies.push(typeof body === "string" ? body : new TextDecoder().decode(body)), { statusCode: 200 }));
  const given = { dsn: "https://key@sentry.example.com/1", transport, stackParser: () => [], tracesSampleRate: 1, enableLogs: true, platform: "node", runtime: { name: "node" }, ...sentryOptions };
  const ready = protectEvents(given, options);
  const integrations = Sentry.getIntegrationsToSetup({ defaultIntegrations: [Sentry.linkedErrorsIntegration()], integrations: ready.integrations });
  Sentry.initAndBind(ServerRuntimeClient, { ...ready, integrations });
  return { bodies, client: Sentry.getClient(), flush: () => Sentry.flush(2_000) };
}

/** The payloads of the items of a type. */
function items(bodies, type) {
  return bodies.flatMap((body) => {
    const lines = body.split("\n").slice(1);
    return lines.flatMap((line, at) => (at % 2 === 0 && line !== "" && JSON.parse(line).type === type ? [lines[at + 1]] : []));
  });
}

/** Sends one record of each kind. */
function sendAll() {
  Sentry.setUser({ id: MAIL, email: MAIL, username: "Emily Carter", ip_address: IP });
  Sentry.setTag("customer", MAIL);
  Sentry.setExtra("order", { pesel: 44051401359, [MAIL]: 1 });
  Sentry.setContext("account", { owner: "Emily Carter", n: 7 });
  Sentry.addBreadcrumb({ category: "http", message: `GET /users/${MAIL}`, data: { url: `/users/${MAIL}`, status_code: 404 } });
  Sentry.captureException(Object.assign(new TypeError(`no user ${MAIL}`, { cause: new Error("Emily Carter") }), { config: MAIL }), { attachments: [{ filename: `${MAIL}.txt`, data: `Dear Emily Carter, PESEL 44051401359` }, { filename: "bytes.log", data: new TextEncoder().encode(MAIL) }] });
  Sentry.captureMessage(`mail to ${MAIL}`, "warning");
  Sentry.captureEvent({ message: "request", request: { url: `https://example.com/?q=${MAIL}`, data: { pesel: 44051401359 }, cookies: { user: MAIL } }, transaction: `GET ${MAIL}`, server_name: "emilys-laptop" });
  Sentry.startSpan({ name: `pay ${MAIL}`, attributes: { mail: MAIL, pesel: 44051401359, n: 7, list: [MAIL] } }, () => {
    Sentry.startSpan({ name: `query ${MAIL}`, op: "db", attributes: { statement: `select * from users where mail = '${MAIL}'` } }, () => {});
  });
  Sentry.logger.info(`mail to ${MAIL}`, { pesel: 44051401359, n: 7 });
  Sentry.logger.warn(Sentry.logger.fmt`mail to ${MAIL}`);
  Sentry.metrics.count("mails", 1, { attributes: { mail: MAIL } });
  Sentry.captureFeedback({ message: "I am Emily Carter", email: MAIL, name: "Emily Carter" });
  Sentry.startSession();
  Sentry.captureSession(true);
}

for (const traceLifecycle of [undefined, "stream", "static"]) {
  describe(`a client with the lifecycle ${traceLifecycle}`, () => {
    test("sends no personal data", async () => {
      const { bodies, flush } = start({ ...(traceLifecycle === undefined ? {} : { traceLifecycle }), release: "shop@1.2.3", environment: "production" });
      sendAll();
      await flush();
      const all = bodies.join("\n");
      const [, found] = PERSONAL.exec(all) ? [0, all.slice(Math.max(0, PERSONAL.exec(all).index - 200), PERSONAL.exec(all).index + 50)] : [];
      assert.equal(found, undefined);
      const kinds = ["event", "attachment", "session", "feedback", "log", "trace_metric", traceLifecycle === "static" ? "transaction" : "span"];
      for (const kind of kinds) assert.ok(items(bodies, kind).length > 0, `nothing of ${kind} in ${bodies.map((body) => body.split("\n")[1]).join()}`);
    });

    test("keeps what is not personal", async () => {
      const { bodies, flush } = start({ ...(traceLifecycle === undefined ? {} : { traceLifecycle }), release: "shop@1.2.3" });
      sendAll();
      await flush();
      const [first, second] = items(bodies, "event").map((event) => JSON.parse(event));
      const [cause, error] = first.exception.values;
      assert.deepEqual([error.type, error.value, cause.value], ["TypeError", `no user ${R}`, R]);
      assert.deepEqual(first.contexts.account, { owner: R, n: 7 });
      assert.deepEqual(first.extra.order, { pesel: R, [R]: 1 });
      assert.deepEqual([first.breadcrumbs[0].message, first.breadcrumbs[0].data.status_code], [`GET /users/${R}`, 404]);
      assert.deepEqual([typeof first.timestamp, typeof first.breadcrumbs[0].timestamp, first.release], ["number", "number", "shop@1.2.3"]);
      assert.match(first.event_id, /^[0-9a-f]{32}$/);
      assert.match(first.contexts.trace.trace_id, /^[0-9a-f]{32}$/);
      assert.deepEqual([second.message, second.level], [`mail to ${R}`, "warning"]);
      const [log] = JSON.parse(items(bodies, "log")[0]).items;
      assert.deepEqual([log.body, log.level, log.attributes.pesel.value, log.attributes.n.value], [`mail to ${R}`, "info", R, 7]);
      const [metric] = JSON.parse(items(bodies, "trace_metric")[0]).items;
      assert.deepEqual([metric.name, metric.value, metric.attributes.mail.value], ["mails", 1, R]);
    });
  });
}

describe("a client", () => {
  const plain = { message: "packed", extra: { order: 4711, at: "2026-01-05T10:00:00Z", path: "/srv/app/index.js" }, tags: { region: "eu-west-1" } };

  test("sends an event without personal data as it is", async () => {
    const sent = [];
    for (const options of [undefined, { mode: "mask" }]) {
      const { bodies, flush } = start({}, options);
      Sentry.captureEvent(structuredClone(plain));
      await flush();
      sent.push(JSON.parse(items(bodies, "event")[0]));
    }
    const { message, extra, tags, contexts } = sent[0];
    assert.deepEqual({ message, extra, tags }, plain);
    assert.match(contexts.trace.span_id, /^[0-9a-f]{16}$/);
  });

  test("calls the caller's hooks before, whose results are protected", async () => {
    const seen = [];
    const mine = (name, change) => (record) => (seen.push(name), change(record));
    const { bodies, flush } = start({
      beforeSend: mine("event", (event) => (event.message === "drop" ? null : Promise.resolve({ ...event, message: MAIL }))),
      beforeSendSpan: mine("span", (span) => ({ ...span, name: MAIL })),
      beforeSendLog: mine("log", (log) => (log.message === "drop" ? null : { ...log, message: MAIL })),
      beforeSendMetric: mine("metric", () => null),
      integrations: (defaults) => [...defaults, { name: "Mine", setupOnce: () => void seen.push("integration") }],
    });
    Sentry.captureMessage("drop");
    Sentry.captureMessage("keep");
    Sentry.startSpan({ name: "x" }, () => {});
    Sentry.logger.info("drop");
    Sentry.logger.info("keep");
    Sentry.metrics.count("x", 1);
    await flush();
    assert.deepEqual([...new Set(seen)].sort(), ["event", "integration", "log", "metric", "span"]);
    assert.deepEqual(items(bodies, "event").map((event) => JSON.parse(event).message), [R]);
    assert.deepEqual(JSON.parse(items(bodies, "span")[0]).items.map(({ name }) => name), [R]);
    assert.deepEqual(JSON.parse(items(bodies, "log")[0]).items.map(({ body }) => body), [R]);
    assert.deepEqual(items(bodies, "trace_metric"), []);
  });

  test("protects a span although the caller's hook fails", async () => {
    for (const beforeSendSpan of [() => { throw new Error("mine"); }, () => null]) {
      const { bodies, flush } = start({ beforeSendSpan });
      Sentry.startSpan({ name: MAIL }, () => {});
      await flush();
      assert.deepEqual(JSON.parse(items(bodies, "span")[0]).items.map(({ name }) => name), [R]);
    }
  });

  test("replaces records that cannot be protected", async () => {
    const { bodies, flush } = start({}, BLOCKING);
    sendAll();
    await flush();
    assert.ok(!PERSONAL.test(bodies.join("\n")));
    const reason = "Textveil withheld this record: it could not be protected (policy_violation).";
    const [event] = items(bodies, "event").map((one) => JSON.parse(one));
    const [feedback] = items(bodies, "feedback").map((one) => JSON.parse(one));
    assert.deepEqual([event.contexts.trace.trace_id.length, feedback.contexts.feedback.message], [32, reason]);
    assert.deepEqual([event.message, event.exception, event.extra], [reason, undefined, undefined]);
    assert.match(event.event_id, /^[0-9a-f]{32}$/);
    const spans = items(bodies, "span").flatMap((one) => JSON.parse(one).items);
    assert.ok(spans.some(({ name }) => name === reason));
    for (const { trace_id: id } of spans) assert.match(id, /^[0-9a-f]{32}$/);
    const logs = items(bodies, "log").flatMap((one) => JSON.parse(one).items);
    assert.ok(logs.some(({ body }) => body === reason));
  });

  test("leaves out attachments that are not text, or passes them", async () => {
    const png = { filename: "screen.png", data: Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 0xff), contentType: "image/png", attachmentType: "event.attachment" };
    for (const [binary, wanted] of [[undefined, /^Textveil withheld/], ["pass", /\ufffd/]]) {
      const { bodies, flush } = start({}, { binary });
      Sentry.captureException(new Error("x"), { attachments: [png] });
      await flush();
      assert.match(items(bodies, "attachment")[0], wanted);
    }
    assert.equal(png.filename, "screen.png");
  });

  test("rejects faulty options at once", () => {
    assert.throws(() => protectEvents({}, { entites: [] }), refusal("entites"));
    assert.throws(() => protectEvents({}, { mode: "placeholder" }), refusal("mode"));
  });
});

const PAGE = '<!doctype html><title>sentry</title><link rel="icon" href="data:," /><script type="module" src="./main.js"></script>';
const MAIN = `
  import * as Sentry from "@sentry/browser";
  import { protectEvents } from "textveil/sentry";
  const bodies = [];
  const transport = (own) => Sentry.createTransport(own, async ({ body }) => (bodies.push(typeof body === "string" ? body : new TextDecoder().decode(body)), { statusCode: 200 }));
  const options = { dsn: "https://key@sentry.example.com/1", transport, tracesSampleRate: 1, enableLogs: true, sendDefaultPii: true };
  Sentry.init(protectEvents(options, { mode: "mask" }));
  // the engine is not loaded yet: an error waits for it, a log is withheld
  Sentry.captureException(new Error("no user ${MAIL}"));
  Sentry.logger.info("early ${MAIL}");
  while (!bodies.some((body) => body.includes("no user"))) await new Promise((done) => setTimeout(done, 20));
  Sentry.logger.info("late ${MAIL}");
  Sentry.startSpan({ name: "pay ${MAIL}" }, () => {});
  await Sentry.flush(2000);
  window.answer = bodies;`;

describe("in Chromium", { skip: SKIPPED }, () => {
  let browser;
  before(async () => {
    browser = await launch();
  });

  test("errors wait until the package is loaded; what cannot wait is withheld", async () => {
    link(installed.folder);
    writeFileSync(join(installed.folder, "index.html"), PAGE);
    writeFileSync(join(installed.folder, "main.js"), MAIN);
    await build({ root: installed.folder, logLevel: "error", build: { target: "es2022" } });
    const site = await serve(join(installed.folder, "dist"));
    const page = await browser.newPage();
    try {
      const seen = record(page);
      await page.goto(`${site.address}#${MAIL}`);
      await page.waitForFunction(() => window.answer).catch((error) => assert.fail(`${error}\n${seen.errors.join("\n")}`));
      const bodies = await page.evaluate("window.answer");
      assert.ok(!PERSONAL.test(bodies.join("\n")), bodies.join("\n"));
      const masked = "*".repeat(MAIL.length);
      assert.equal(JSON.parse(items(bodies, "event")[0]).exception.values[0].value, `no user ${masked}`);
      const logs = items(bodies, "log").flatMap((one) => JSON.parse(one).items.map(({ body }) => body));
      assert.deepEqual(logs, ["Textveil withheld this record: it could not be protected (not_loaded).", `late ${masked}`]);
    } finally {
      await page.close();
      await site.close();
    }
  });
});

test("the types are those of Sentry", () => {
  const code = `
    import * as Sentry from "@sentry/browser";
    import { protectEvents, type EventOptions } from "textveil/sentry";
    const options: EventOptions = { mode: "hash", key: "000102030405060708090a0b0c0d0e0f", binary: "pass" };
    Sentry.init(protectEvents({ dsn: "https://key@sentry.example.com/1", beforeSend: (event: Sentry.ErrorEvent) => event, sampleRate: 0.5 }, options));
    Sentry.init(protectEvents<Sentry.BrowserOptions>({ dsn: "https://key@sentry.example.com/1", beforeSend: (event) => event }));
    // @ts-expect-error an unknown option
    protectEvents({}, { entites: [] });`;
  assert.deepEqual(compileErrors(installed.folder, [{ name: "sentry", code }]), []);
});
