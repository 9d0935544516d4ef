/**
 * A field for a moment has the person's own time; the service asks for one with its offset. A text that is not a moment,
 * such as one in the year 20261, stays as it is typed: the service says so at its field.
 */
export function asTimestamp(local: string): string {
  const moment = new Date(local);
  return Number.isNaN(moment.getTime()) ? local : moment.toISOString();
}
