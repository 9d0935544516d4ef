// The integrations with pino and winston, with the real loggers: what they write has no personal data.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Writable } from "node:stream";
import { describe, test } from "node:test";
import pino from "pino";
import winston from "winston";
import { compileErrors, link } from "./compile.mjs";
import { project } from "./project.mjs";

const installed = project();
const { protectLogs } = await installed.import("textveil/pino");
const { protectFormat } = await installed.import("textveil/winston");
const { TextveilError } = await installed.import();

const PERSONAL = /Emily|Carter|jan\.novak|44051401359|4111/;
const R = "[REDACTED]";
const MAIL = "jan.novak@example.cz";
const refusal = (field) => (error) => {
  assert.ok(error instanceof TextveilError, String(error));
  assert.deepEqual([error.code, error.field], ["invalid_request", field]);
  return true;
};

/** An error with a cause and what libraries add. */
function failure() {
  const cause = new Error(`no user ${MAIL}`);
  return Object.assign(new TypeError("Emily Carter was not found", { cause }), { config: { headers: { "x-user": MAIL } }, code: "E_USER" });
}

const BLOCKING = { mode: "policy", policies: [{ name: "none", action: "BLOCK", conditions: [{ entityTypes: ["pesel"] }] }], defaultAction: "REDACT" };
const REASON = "Textveil withheld this record: it could not be protected (policy_violation).";

describe("pino", () => {
  /** A logger, and the lines that it wrote. */
  function logger(pinoOptions, options, make = (given, stream) => pino(given, stream)) {
    const lines = [];
    const stream = { write: (line) => void lines.push(line) };
    return { lines, log: make(protectLogs(pinoOptions, options), stream), records: () => lines.map((line) => JSON.parse(line)) };
  }

  test("writes messages, objects, arguments and errors without personal data", () => {
    const { log, lines, records } = logger();
    log.info("Dear Emily Carter");
    log.info("mail to %s, %o", MAIL, { pesel: 44051401359 });
    log.info({ order: 4711, customer: { mail: MAIL, pesel: 44051401359, card: 4111111111111111n } }, "paid");
    log.error(failure());
    log.error({ err: failure(), request: { url: `/users/${MAIL}` } }, "failed");
    assert.ok(!PERSONAL.test(lines.join("")), lines.join(""));
    const [one, two, three, four, five] = records();
    assert.deepEqual([one.msg, two.msg.startsWith(`mail to ${R}, `)], [`Dear ${R}`, true]);
    assert.deepEqual([three.order, three.customer, three.msg], [4711, { mail: R, pesel: R, card: R }, "paid"]);
    assert.deepEqual([four.err.type, four.err.code, four.err.message], ["TypeError", "E_USER", `${R} was not found: no user ${R}`]);
    assert.match(four.err.stack, /loggers\.test\.mjs:\d+/);
    assert.equal(five.request.url, `/users/${R}`);
  });

  test("leaves its own fields, and every other character", () => {
    const line = '{"level":30,"time":1760115123456,"pid":4194304,"hostname":"web-1","reqId":"req-1","n":1.50,"big":12345678901234567890,"ok":true,"msg":"packed\\u2028"}\n';
    assert.equal(protectLogs().hooks.streamWrite(line), line);
    // a number that no process has
    assert.equal(protectLogs().hooks.streamWrite('{"level":30,"pid":44051401359,"msg":"x"}\n'), `{"level":30,"pid":"${R}","msg":"x"}\n`);
  });

  test("also from children, mixins, serializers, formatters and own hooks", () => {
    const { log, lines, records } = logger({
      base: { owner: "Emily Carter" },
      mixin: () => ({ mixed: MAIL }),
      serializers: { user: () => `user ${MAIL}` },
      formatters: { level: (label) => ({ level: label }), log: (object) => ({ ...object, logged: MAIL }) },
      hooks: { logMethod(args, method) { method.apply(this, args); }, streamWrite: (line) => line.replace(/\}\n$/, `,"hooked":"${MAIL}"}\n`) },
      messageKey: "message",
      nestedKey: "payload",
    });
    log.child({ session: { mail: MAIL } }, { msgPrefix: `[${MAIL}] ` }).warn({ user: {} }, "gone");
    assert.ok(!PERSONAL.test(lines.join("")), lines.join(""));
    const [record] = records();
    assert.deepEqual([record.level, record.owner, record.session, record.message], ["warn", R, { mail: R }, `[${R}] gone`]);
    assert.deepEqual([record.payload.user, record.payload.logged], [`user ${R}`, R]);
    assert.ok(lines[0].includes(`"hooked":"${R}"`));
  });

  test("protects after the redaction by paths", () => {
    const { log, records } = logger({ redact: ["password"] });
    log.info({ password: "x", mail: MAIL });
    assert.deepEqual([records()[0].password, records()[0].mail], ["[Redacted]", R]);
  });

  test("replaces a line that cannot be protected", () => {
    const { log, records } = logger({ base: null }, BLOCKING);
    log.warn({ pesel: 44051401359 }, "seen");
    log.warn({ mail: MAIL }, "seen");
    const [withheld, fine] = records();
    assert.deepEqual(Object.keys(withheld), ["level", "time", "msg"]);
    assert.deepEqual([withheld.level, withheld.msg, fine.mail], [40, REASON, R]);
    const broken = protectLogs({}, { replace: () => { throw new Error(MAIL); } }).hooks.streamWrite(`not JSON: ${MAIL}\n`);
    assert.deepEqual(JSON.parse(broken), { msg: REASON.replace("policy_violation", "internal_error") });
  });

  test("protects before a transport", () => {
    const out = join(installed.folder, "transport.log");
    link(installed.folder);
    const source = `
      import pino from "pino";
      import { protectLogs } from "textveil/pino";
      const transport = pino.transport({ target: "pino/file", options: { destination: ${JSON.stringify(out)} } });
      pino(protectLogs({}, { mode: "mask" }), transport).info({ mail: "${MAIL}" }, "Dear Emily Carter");`;
    installed.run("transport.mjs", source);
    const record = JSON.parse(readFileSync(out, "utf8"));
    assert.deepEqual([record.mail, record.msg], ["*".repeat(MAIL.length), `Dear ${"*".repeat(12)}`]);
  });

  test("one person keeps one hash with a key", () => {
    const { log, records } = logger({}, { mode: "hash", key: "000102030405060708090a0b0c0d0e0f" });
    log.info({ mail: MAIL });
    log.info({ mail: MAIL });
    const [one, two] = records();
    assert.match(one.mail, /^[0-9a-f]{16}$/);
    assert.equal(one.mail, two.mail);
  });

  test("rejects faulty options at once", () => {
    assert.throws(() => protectLogs({}, { entites: [] }), refusal("entites"));
    assert.throws(() => protectLogs({}, { mode: "placeholder" }), refusal("mode"));
  });
});

describe("winston", () => {
  const { format } = winston;
  const { combine, json, errors, splat, simple, colorize, printf, timestamp } = format;

  /** A logger with these formats, and what it wrote. */
  function logger(formats, options = {}) {
    const lines = [];
    const stream = new Writable({ write: (line, _, done) => done(void lines.push(String(line))) });
    const log = winston.createLogger({ format: combine(...formats), transports: [new winston.transports.Stream({ stream })], ...options });
    return { log, lines, records: () => lines.map((line) => JSON.parse(line)) };
  }

  const use = (log) => {
    log.info("Dear Emily Carter");
    log.info("mail to %s", MAIL, { pesel: 44051401359 });
    log.info("paid", { order: 4711, customer: { mail: MAIL, list: [new Map([["mail", MAIL]])] } });
    log.error("failed", failure());
    log.error(failure());
    log.log({ level: "warn", message: { mail: MAIL } });
  };

  for (const [name, formats] of Object.entries({
    "before the record is written": [errors({ stack: true, cause: true }), splat(), protectFormat(), json()],
    "first of all": [protectFormat(), errors({ stack: true }), splat(), json()],
    "after the record is written": [errors({ stack: true }), splat(), json(), protectFormat()],
    "with text": [errors({ stack: true }), splat(), protectFormat(), colorize(), simple()],
    "after text": [errors({ stack: true }), splat(), colorize(), simple(), protectFormat()],
    "with a template": [errors({ stack: true }), splat(), timestamp(), protectFormat(), printf(({ level, message, timestamp: at, ...rest }) => `${at} ${level} ${message} ${JSON.stringify(rest)}`)],
  })) {
    test(`writes no personal data, ${name}`, () => {
      const { log, lines } = logger(formats);
      use(log);
      assert.equal(lines.length, 6);
      assert.ok(!PERSONAL.test(lines.join("")), lines.join(""));
    });
  }

  test("keeps the shape of a record", () => {
    const { log, records } = logger([errors({ stack: true, cause: true }), splat(), protectFormat(), json()]);
    use(log);
    const [one, two, three, , five, six] = records();
    assert.deepEqual(one, { level: "info", message: `Dear ${R}` });
    assert.deepEqual(two, { level: "info", message: `mail to ${R}`, pesel: R });
    assert.deepEqual(three, { level: "info", message: "paid", order: 4711, customer: { mail: R, list: [{}] } });
    assert.deepEqual([five.message, five.code, five.config], [`${R} was not found`, "E_USER", { headers: { "x-user": R } }]);
    assert.match(five.stack, /^TypeError: \[REDACTED\] was not found\n {4}at .*loggers\.test\.mjs/);
    assert.deepEqual(six, { level: "warn", message: { mail: R } });
  });

  test("also for one transport, for children and for exceptions", () => {
    const lines = [];
    const stream = new Writable({ write: (line, _, done) => done(void lines.push(String(line))) });
    const transport = new winston.transports.Stream({ stream, format: combine(protectFormat(), json()), handleExceptions: true });
    const log = winston.createLogger({ defaultMeta: { owner: "Emily Carter" }, transports: [transport], exitOnError: false });
    log.child({ session: MAIL }).info("in");
    log.exceptions._uncaughtException(failure());
    log.exceptions.unhandle();
    assert.equal(lines.length, 2);
    assert.ok(!PERSONAL.test(lines.join("")), lines.join(""));
    assert.deepEqual(JSON.parse(lines[0]), { level: "info", message: "in", owner: R, session: R });
  });

  test("the caller's objects are not changed", () => {
    const { log } = logger([protectFormat(), json()]);
    const customer = { mail: MAIL };
    log.info("paid", { customer });
    assert.deepEqual(customer, { mail: MAIL });
  });

  test("replaces a record that cannot be protected", () => {
    const { log, records } = logger([protectFormat(BLOCKING), json()]);
    log.warn("seen", { pesel: 44051401359, mail: MAIL });
    assert.deepEqual(records(), [{ level: "warn", message: REASON }]);
    const after = logger([json(), protectFormat(BLOCKING)]);
    after.log.warn("seen", { pesel: 44051401359, mail: MAIL });
    assert.deepEqual(after.records(), [{ level: "warn", message: REASON }]);
  });

  test("bounds a record", () => {
    const { log, records } = logger([protectFormat(), json()]);
    let deep = MAIL;
    for (let level = 0; level < 100; level += 1) deep = { deep };
    log.info("large", { deep, many: Array(20_000).fill(MAIL), long: `${"x ".repeat(600_000)}${MAIL}`, after: MAIL });
    const [record] = records();
    assert.ok(!PERSONAL.test(JSON.stringify(record)));
    assert.match(JSON.stringify(record.deep), /"\[too deep\]"/);
    assert.equal(record.many.at(-1), "[too long]");
  });

  test("rejects faulty options at once", () => {
    assert.throws(() => protectFormat({ entites: [] }), refusal("entites"));
    assert.throws(() => protectFormat({ mode: "placeholder" }), refusal("mode"));
  });
});

test("the types are those of the loggers", () => {
  const code = `
    import pino from "pino";
    import winston from "winston";
    import { protectLogs, type RecordOptions } from "textveil/pino";
    import { protectFormat } from "textveil/winston";
    const options: RecordOptions = { mode: "hash", key: "000102030405060708090a0b0c0d0e0f" };
    const log = pino(protectLogs({ level: "debug", customLevels: { audit: 35 }, mixin: () => ({ a: 1 }) }, options));
    log.info({ a: 1 }, "x");
    log.audit("x");
    pino(protectLogs());
    pino(protectLogs({ redact: ["a"] }), pino.destination(1));
    const { combine, json } = winston.format;
    winston.createLogger({ format: combine(protectFormat(options), json()), transports: [new winston.transports.Console({ format: protectFormat() })] });
    // @ts-expect-error an unknown option
    protectFormat({ entites: [] });
    // @ts-expect-error an unknown mode
    protectLogs({}, { mode: "shred" });`;
  assert.deepEqual(compileErrors(installed.folder, [{ name: "loggers", code }]), []);
});

test("a bundled program protects its lines", () => {
  const file = join(installed.folder, "bundled.mjs");
  writeFileSync(file, `import { protectLogs } from "textveil/pino"; process.stdout.write(protectLogs().hooks.streamWrite('{"level":30,"msg":"${MAIL}"}\\n'));`);
  const out = join(installed.folder, "out.cjs");
  execFileSync(join(import.meta.dirname, "../../node_modules/.bin/esbuild"), [file, "--bundle", "--platform=node", "--log-level=error", `--outfile=${out}`]);
  assert.equal(execFileSync(process.execPath, [out], { encoding: "utf8" }), `{"level":30,"msg":"${R}"}\n`);
});
