// The places of findings while their text changes.

/** The same place, `by` units further on. */
export function shifted<T extends { start?: number; end?: number }>(place: T, by: number): T {
  if (place.start === undefined || place.end === undefined) return place;
  return { ...place, start: place.start + by, end: place.end + by };
}

/**
 * Moves the places of `before` to those of `after`, until the new text has been looked at:
 * those before the change stay, those behind it move, and those it touches go.
 */
export function carriedOver<T extends { start: number; end: number }>(
  places: readonly T[],
  before: string,
  after: string,
): readonly T[] {
  if (before === after) return places;
  const shorter = Math.min(before.length, after.length);
  let head = 0;
  while (head < shorter && before[head] === after[head]) head++;
  let tail = 0;
  while (tail < shorter - head && before.at(-1 - tail) === after.at(-1 - tail)) tail++;
  const by = after.length - before.length;
  return places.flatMap((place) => {
    if (place.end <= head) return [place];
    return place.start >= before.length - tail ? [shifted(place, by)] : [];
  });
}
