// Measurements of a tool, in Node and in a page alike.

import { dense, lines, log, prose } from "./texts.mjs";

const LENGTH = 38_000;
const VARIANTS = 4;
const WARM_UP = 0.5;
const SECONDS = 1.5;
const TEXTS = { prose, dense, log };

/** From nothing loaded to the first answer, in milliseconds; of a tool with a function `start`, from its call on. */
export async function ready(load) {
  let begun = performance.now();
  const { verbs, start } = await load();
  if (start !== undefined) {
    begun = performance.now();
    await start();
  }
  await verbs.protect("PESEL 44051401359, jan.novak@example.cz");
  return performance.now() - begun;
}

/** Speed of each verb, and its findings on lines with one identifier or none. */
export async function measure(verbs) {
  const speed = {};
  for (const [name, verb] of Object.entries(verbs)) {
    speed[name] = {};
    for (const [kind, make] of Object.entries(TEXTS)) {
      speed[name][kind] = (await pace(verb, variants(make, LENGTH))).bytes / 1e6;
    }
    speed[name].calls = (await pace(verb, variants(prose, 1000))).calls;
  }
  return { speed, found: await count(verbs.protect) };
}

function variants(make, length) {
  return Array.from({ length: VARIANTS }, (_, index) => make(length, index + 1));
}

/** Calls and bytes of UTF-8 a second, once the runtime has compiled what it will. */
async function pace(verb, texts) {
  const sizes = texts.map((text) => new TextEncoder().encode(text).length);
  await repeat(verb, texts, WARM_UP);
  const { calls, seconds } = await repeat(verb, texts, SECONDS);
  const bytes = sizes.reduce((sum, size) => sum + size, 0) / sizes.length;
  return { calls: calls / seconds, bytes: (calls * bytes) / seconds };
}

/** Another text in each call, since a tool may remember the last one. */
async function repeat(verb, texts, atLeast) {
  const start = performance.now();
  for (let calls = 0; ; ) {
    for (const text of texts) await verb(text);
    calls += texts.length;
    const seconds = (performance.now() - start) / 1000;
    if (seconds >= atLeast) return { calls, seconds };
  }
}

/** By kind: how many were planted and how many are gone; and lines without personal data that were changed. */
async function count(protect) {
  const found = { quiet: { of: 0, changed: 0 }, kinds: {} };
  for (const { text, kind, planted } of lines(1800, 7)) {
    const output = await protect(text);
    if (kind === undefined) {
      found.quiet.of += 1;
      found.quiet.changed += Number(output !== text);
    } else {
      const counts = (found.kinds[kind] ??= { of: 0, gone: 0 });
      counts.of += 1;
      counts.gone += Number(!output.includes(planted));
    }
  }
  return found;
}
