// A long text in pieces that the engine takes, and what was found in them as of the whole.

/** Characters that the engine looks at in one call; UTF-16 units are never fewer than those. */
export const PIECE = 50_000;

/** A part of a text, and where it begins. */
export interface Piece {
  start: number;
  text: string;
}

/** Where a piece had best end: the first of these that is near its end. A finding may stand on several lines. */
const GAPS = [/\n\s*\n/g, /\n/g, /(?<=\p{L}) (?=\p{L})/gu, /[,;](?=\D)/g, /\s/g];
const NEAR = 4_096;

/** Cuts a text into pieces, at line ends where it has any. */
export function* pieces(text: string, limit = PIECE): Generator<Piece> {
  let start = 0;
  while (start < text.length) {
    const end = start + limit >= text.length ? text.length : start + cut(text.slice(start, start + limit));
    yield { start, text: text.slice(start, end) };
    start = end;
  }
}

/** The length of a piece that goes on. */
function cut(piece: string): number {
  const before = Math.max(piece.length - NEAR, 0);
  const tail = piece.slice(before);
  for (const gap of GAPS) {
    const last = [...tail.matchAll(gap)].at(-1);
    if (last !== undefined) return before + last.index + last[0].length;
  }
  const halfOfPair = /[\uD800-\uDBFF]$/.test(piece);
  return halfOfPair ? piece.length - 1 : piece.length;
}

/** The same place, `by` units further on. */
export function shifted<T extends { start?: number; end?: number }>(place: T, by: number): T {
  if (place.start === undefined || place.end === undefined) return place;
  return { ...place, start: place.start + by, end: place.end + by };
}

/**
 * The places of `before` as they stand in `after`, for the time until the new text has been looked at:
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
