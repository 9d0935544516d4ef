// Measures the npm package next to others of its kind, all in one run: size, time to ready, speed, and what
// they find, since speed alone tells little. `cargo xtask bench --only javascript` builds what it needs.

import { execFile } from "node:child_process";
import { cpus } from "node:os";
import { promisify } from "node:util";
import { SKIPPED } from "../test/browser.mjs";
import { firstLine, pages } from "./page.mjs";

const TOOLS = { "textveil": "textveil", "arcjet": "@arcjet/redact", "openredaction": "@openredaction/core", "redact-pii": "redact-pii" };
const STARTS = 7;
const run = promisify(execFile);

const tools = Object.keys(TOOLS);
const WITH_BYTES = "textveil-with-bytes";
const site = await pages([...tools, WITH_BYTES]);
try {
  console.log(`Node ${process.version} on ${cpus().length} × ${cpus()[0].model}; the medians of ${STARTS} starts\n`);
  showSizes();
  await inNode();
  await inChromium();
} finally {
  await site.close();
}

function showSizes() {
  const kilobytes = ({ raw, gzip, brotli }) => [raw, gzip, brotli].map((bytes) => (bytes / 1000).toFixed(1));
  const rows = tools.flatMap((tool) => {
    const sizes = site.sizes(tool);
    if (!sizes) return [[TOOLS[tool], "–", "–", "–"]];
    const wasm = sizes.wasm.raw > 0 ? [[`${TOOLS[tool]}, its .wasm alone`, ...kilobytes(sizes.wasm)]] : [];
    return [[TOOLS[tool], ...kilobytes(sizes.all)], ...wasm];
  });
  table("What a page downloads, as Vite builds it (kB)", ["", "raw", "gzip", "brotli"], rows);
}

async function inNode() {
  await inRuntime("Node", async (what, tool) => {
    const { stdout } = await run(process.execPath, ["node.mjs", what, tool], { cwd: import.meta.dirname });
    return JSON.parse(stdout.trim().split("\n").at(-1));
  });
}

async function inChromium() {
  if (SKIPPED) return;
  await inRuntime("Chromium", (what, tool) => {
    if (site.broken[tool]) throw new Error(site.broken[tool]);
    return site.run(what, tool);
  });
  if (site.broken[WITH_BYTES]) throw new Error(site.broken[WITH_BYTES]);
  const starts = [];
  for (let start = 0; start < STARTS; start += 1) starts.push(await site.run("ready", WITH_BYTES));
  console.log(`textveil is ready in Chromium ${median(starts).toFixed(0)} ms after its bytes are there\n`);
}

/** Every tool in one runtime; one that does not run there is named below the tables. */
async function inRuntime(runtime, ask) {
  const figures = {};
  const lacking = [];
  for (const tool of tools) {
    try {
      const starts = [];
      for (let start = 0; start < STARTS; start += 1) starts.push(await ask("ready", tool));
      figures[tool] = { ready: median(starts), ...(await ask("measure", tool)) };
    } catch (error) {
      lacking.push(`${TOOLS[tool]} does not run in ${runtime}: ${firstLine(error)}`);
    }
  }
  showSpeed(runtime, figures);
  showFound(runtime, figures);
  for (const line of lacking) console.log(`${line}\n`);
}

function showSpeed(runtime, figures) {
  const columns = ["", "ready ms", "prose MB/s", "dense MB/s", "log MB/s", "1 kB calls/s"];
  const rows = Object.entries(figures).flatMap(([tool, { ready, speed }]) =>
    Object.entries(speed).map(([verb, { prose, dense, log, calls }], index) => {
      const paces = [prose, dense, log].map((pace) => pace.toFixed(2));
      return [`${TOOLS[tool]}, ${verb}`, index === 0 ? ready.toFixed(0) : "", ...paces, calls.toFixed(0)];
    }),
  );
  table(`Speed in ${runtime}`, columns, rows);
}

function showFound(runtime, figures) {
  const kinds = Object.keys(Object.values(figures)[0].found.kinds);
  const rows = Object.entries(figures).map(([tool, { found }]) => [
    TOOLS[tool],
    ...kinds.map((kind) => percent(found.kinds[kind].gone, found.kinds[kind].of)),
    percent(found.quiet.changed, found.quiet.of),
  ]);
  table(`Identifiers found in ${runtime}, and sentences without any that were changed all the same`, ["", ...kinds, "false"], rows);
}

function percent(part, whole) {
  return `${Math.round((100 * part) / whole)} %`;
}

function median(numbers) {
  return numbers.toSorted((a, b) => a - b)[numbers.length >> 1];
}

function table(title, head, rows) {
  const widths = head.map((_, column) => Math.max(...[head, ...rows].map((row) => row[column].length)));
  const line = (row) => row.map((cell, column) => (column === 0 ? cell.padEnd(widths[0]) : cell.padStart(widths[column]))).join("  ");
  console.log([title, line(head), ...rows.map(line), ""].join("\n"));
}
