// Prometheus' text format, as /metrics has it, and what the page makes of it.

import type { Bar } from "./parts/chart.js";

export interface Sample {
  name: string;
  labels: Record<string, string>;
  value: number;
}

const LINE = /^([A-Za-z_:][\w:]*)(?:\{(.*)\})? (\S+)$/;
const LABEL = /(\w+)="((?:[^"\\]|\\.)*)"/g;

export function samplesOf(text: string): Sample[] {
  return text.split("\n").flatMap((line) => {
    const [, name, labels = "", value] = LINE.exec(line) ?? [];
    if (name === undefined) return [];
    const named = [...labels.matchAll(LABEL)].map(([, label, content]) => [label, content] as const);
    return [{ name, labels: Object.fromEntries(named), value: Number(value) }];
  });
}

/** The sum of a counter, over those samples that `counts`. */
export function sumOf(samples: Sample[], name: string, counts: (labels: Sample["labels"]) => boolean = () => true): number {
  return samples
    .filter((sample) => sample.name === name && counts(sample.labels))
    .reduce((sum, { value }) => sum + value, 0);
}

/** The mean of a histogram, in milliseconds; none where nothing was measured. */
export function meanOf(samples: Sample[], name: string): number | undefined {
  const count = sumOf(samples, `${name}_count`);
  return count === 0 ? undefined : (sumOf(samples, `${name}_sum`) / count) * 1000;
}

/** A counter by one of its labels, the largest first. */
export function byLabel(
  samples: Sample[],
  name: string,
  label: string,
  counts: (labels: Sample["labels"]) => boolean = () => true,
): Bar[] {
  const sums = new Map<string, number>();
  for (const sample of samples) {
    if (sample.name !== name || !counts(sample.labels)) continue;
    const key = sample.labels[label] ?? "";
    sums.set(key, (sums.get(key) ?? 0) + sample.value);
  }
  return [...sums].map(([key, value]) => ({ label: key, value })).sort((one, other) => other.value - one.value);
}
