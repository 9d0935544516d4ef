// The review: one finding after the other is accepted or rejected, also by keys.

import { computed, signal } from "@preact/signals";
import type { Finding } from "./analysis.js";
import { analysis, decide, isProtected, typesOff } from "./state.js";

/** The place of the finding under review, as `placeOf` gives it. */
const place = signal("");

/** Counts the steps of the review: also one that leads to the same finding again. */
export const stepsTaken = signal(0);

/** Tells the findings of a text apart. */
export function placeOf({ start, type }: Finding): string {
  return `${start} ${type}`;
}

/** The number of the finding under review; -1 before the review begins and after the finding is gone. */
export const reviewed = computed(() => analysis.value.findings.findIndex((finding) => placeOf(finding) === place.value));

/** The finding under review. */
export const underReview = computed<Finding | undefined>(() => analysis.value.findings[reviewed.value]);

/**
 * Goes to the next finding, or to the one before; after the last one comes the first.
 *
 * @param from where the cursor is in the text, for a review that begins there
 */
export function step(by: 1 | -1, from = -1): void {
  const { findings } = analysis.value;
  if (findings.length === 0) return;
  const at = reviewed.value >= 0 && from < 0 ? reviewed.value + by : firstFrom(findings, from, by);
  const finding = findings[(at + findings.length) % findings.length];
  if (finding === undefined) return;
  place.value = placeOf(finding);
  stepsTaken.value += 1;
}

/** Accepts or rejects the finding under review and goes to the next one; says what was decided. */
export function decideReviewed(accept: boolean): Finding | undefined {
  const finding = underReview.value;
  // a type that is off is switched on where types are
  if (finding === undefined || typesOff.value.has(finding.type)) return undefined;
  if (isProtected(finding) !== accept) decide([finding], accept);
  step(1);
  return finding;
}

function firstFrom(findings: readonly Finding[], from: number, by: 1 | -1): number {
  if (by === 1) {
    const next = findings.findIndex(({ start }) => start > from);
    return next < 0 ? 0 : next;
  }
  return findings.findLastIndex(({ end }) => end < from || from < 0);
}
