// Sums over audit records.

import { actionTitle } from "./actions.js";
import type { Bar, Series } from "./parts/chart.js";
import { typeName } from "./type-names.js";
import { ACTIONS, type AuditRecord } from "./types.js";

const MINUTE = 60;
/** Widths that a column can have, in seconds. */
const WIDTHS = [1, 5, 15, 60, 360, 1440, 10_080].map((minutes) => minutes * MINUTE);
/** Most columns of a chart. */
const COLUMNS = 40;

export interface Figures {
  at: number[];
  requests: Series[];
  findings: Series[];
  types: Bar[];
}

export function figuresOf(records: AuditRecord[]): Figures {
  const moments = records.map(({ at }) => Date.parse(at) / 1000);
  const [first, last] = [Math.min(...moments), Math.max(...moments)];
  const width = WIDTHS.find((one) => (last - first) / one < COLUMNS) ?? (last - first) / COLUMNS;
  const column = (moment: number) => Math.floor(moment / width) - Math.floor(first / width);
  const count = records.length === 0 ? 0 : column(last) + 1;
  const at = Array.from({ length: count }, (_, index) => (Math.floor(first / width) + index) * width);

  const series = (weight: (record: AuditRecord) => number): Series[] =>
    ACTIONS.map((action) => {
      const values = at.map(() => 0);
      for (const [index, record] of records.entries()) {
        if (actionOf(record) !== action) continue;
        const place = column(moments[index] ?? first);
        values[place] = (values[place] ?? 0) + weight(record);
      }
      return { label: actionTitle(action), tone: action, values };
    }).filter(({ values }) => values.some((value) => value > 0));

  return { at, requests: series(() => 1), findings: series(findingsOf), types: typesOf(records) };
}

/** A request in which nothing was decided was let through. */
function actionOf({ action }: AuditRecord) {
  return action ?? "ALLOW";
}

export function findingsOf({ entities }: AuditRecord): number {
  return Object.values(entities ?? {}).reduce((sum, count) => sum + count, 0);
}

function typesOf(records: AuditRecord[]): Bar[] {
  const counts = new Map<string, number>();
  for (const { entities } of records) {
    for (const [type, count] of Object.entries(entities ?? {})) {
      counts.set(typeName(type), (counts.get(typeName(type)) ?? 0) + count);
    }
  }
  return [...counts].map(([label, value]) => ({ label, value })).sort((one, other) => other.value - one.value);
}
