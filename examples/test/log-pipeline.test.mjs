// Log lines through the pipe and through the transport.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { before, describe, test } from "node:test";
import { project, run } from "./project.mjs";
import { assertProtected, SECRETS, TEXT } from "./specimens.mjs";

describe("the log pipeline", () => {
  let folder;

  before(() => {
    folder = project("log-pipeline");
  });

  const records = (output) => output.trim().split("\n").map((line) => JSON.parse(line));

  function assertLogged(output) {
    assert.deepEqual(SECRETS.filter((secret) => output.includes(secret)), []);
    assert.deepEqual(records(output).map(({ order }) => order), [4711, 4711, 4711]);
    assert.equal(records(output)[2].room, "B-12");
  }

  test("protects what an application writes", () => {
    const output = run(folder, ["npm", "run", "--silent", "start"]);
    assertLogged(output);
    assert.equal(records(output)[0].customer.pesel, "[REDACTED]");
    assert.match(records(output)[1].msg, /^refund to \[REDACTED\] failed, trying again$/);
  });

  test("protects as a pino transport, to the last line", () => {
    const output = run(folder, ["npm", "run", "--silent", "start:transport"]);
    assertLogged(output);
    assert.equal(records(output)[0].customer.mail, "*".repeat(SECRETS[1].length));
  });

  test("keeps lines apart that are no JSON", () => {
    const output = run(folder, ["node", "protect-logs.mjs"], { input: `starting\n${TEXT}\n{"order":4711}\n` });
    assertProtected(output);
    assert.deepEqual([output.split("\n").length, output.split("\n")[2]], [4, '{"order":4711}']);
  });

  test("hands a line on without waiting for the next", async () => {
    const child = spawn("node", ["protect-logs.mjs"], { cwd: folder, stdio: ["pipe", "pipe", "inherit"] });
    const lines = createInterface(child.stdout);
    child.stdin.write(`${JSON.stringify({ msg: TEXT })}\n`);
    const [line] = await once(lines, "line");
    assertProtected(line);
    child.stdin.end();
    await once(child, "exit");
  });

  test("needs no more memory for more lines", async () => {
    const little = await peak(folder, 2);
    const much = await peak(folder, 22);
    // lines that were kept would be 20 MB more at least
    assert.ok(much - little < 10, `${little} MB for 2 MB, ${much} MB for 22 MB`);
  });
});

/**
 * The most that the pipeline keeps in memory, in MB, for so many MB of lines.
 *
 * Neither garbage nor the pages of the process count: on a busy machine the first is collected late and the second are returned late.
 */
async function peak(folder, megabytes) {
  const measured = `
    let peak = 0;
    setInterval(() => {
      gc();
      const { heapUsed, external } = process.memoryUsage();
      peak = Math.max(peak, heapUsed + external);
    }, 20).unref();
    process.on('exit', () => console.error(peak));`;
  const measure = `data:text/javascript,${encodeURIComponent(measured)}`;
  const words = ["--expose-gc", "--max-semi-space-size=1", "--import", measure, join(folder, "protect-logs.mjs")];
  const child = spawn("node", words, { cwd: folder, stdio: ["pipe", "ignore", "pipe"] });
  let said = "";
  child.stderr.on("data", (piece) => (said += piece));
  const lines = `${JSON.stringify({ level: 30, order: 4711, msg: "packed and sent to the door" })}\n`.repeat(1000);
  for (let written = 0; written < megabytes * 1e6; written += lines.length) {
    if (!child.stdin.write(lines)) await once(child.stdin, "drain");
  }
  child.stdin.end();
  await once(child, "exit");
  return Math.round(Number(said) / 2 ** 20);
}
