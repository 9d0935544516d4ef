// Audit records, as many as charts show or a check reads.

import { listAudit } from "./api.js";
import { send } from "./request.js";
import type { AuditFilter, AuditList, AuditRecord } from "./types.js";

/** Records that charts are made of at most, and how many come at a time. */
const CHARTED = 1000;
const CHUNK = 100;
/** Records that a check reads at most: more take minutes. */
export const CHECKED = 20_000;

export interface RequestRecords {
  /** The newest requests. */
  records: AuditRecord[];
  /** The number of requests. */
  total: number;
}

/** The newest requests that the filter lets through: changes of the configuration are in no chart. */
export async function requestRecords(filter: AuditFilter): Promise<RequestRecords> {
  if (filter.event && filter.event !== "request") return { records: [], total: 0 };
  const records: AuditRecord[] = [];
  let list: AuditList;
  do {
    list = await send(listAudit({ ...filter, event: "request" }, records.length / CHUNK + 1, CHUNK));
    records.push(...list.records);
  } while (list.records.length === CHUNK && records.length < Math.min(list.total, CHARTED));
  return { records, total: list.total };
}

/**
 * Every record of the workspace, the newest first, up to `CHECKED`. New records shift the pages meanwhile, so that some
 * come twice; they are in the list once.
 */
export async function everyRecord(onRead: (n: number) => void): Promise<{ records: AuditRecord[]; isAll: boolean }> {
  const records = new Map<string, AuditRecord>();
  let cursor: string | undefined;
  do {
    let list: AuditList;
    let page = 0;
    do {
      list = await send(listAudit({}, ++page, CHUNK, cursor));
      for (const record of list.records) records.set(`${record.chain} ${record.sequence}`, record);
      onRead(records.size);
      if (records.size >= CHECKED) return { records: [...records.values()], isAll: false };
    } while (list.records.length === CHUNK);
    cursor = list.next_cursor ?? undefined;
  } while (cursor !== undefined);
  return { records: [...records.values()], isAll: true };
}
