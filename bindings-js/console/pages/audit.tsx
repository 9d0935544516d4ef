// The audit: what was asked and what was changed, as a table and as charts.

import { useMemo, useState } from "preact/hooks";
import { listAudit } from "../api.js";
import { figuresOf } from "../audit-figures.js";
import { BarChart, TimeChart } from "../parts/chart.js";
import { SelectField, TextField } from "../parts/controls.js";
import { AsCurl } from "../parts/curl.js";
import { Form, FormRefusal } from "../parts/form.js";
import { type Loaded, useLoad } from "../parts/load.js";
import { Refused } from "../parts/notice.js";
import { send } from "../request.js";
import { asTimestamp } from "../timestamp.js";
import { ACTIONS, type AuditFilter, type AuditList, type AuditRecord, EVENTS } from "../types.js";
import { AuditTable } from "./audit-table.js";

const PAGE_SIZE = 25;
/** Records that the charts are made of at most, and how many come at a time. */
const CHARTED = 1000;
const CHUNK = 100;

export function Audit() {
  const [filter, setFilter] = useState<AuditFilter>({});
  const [page, setPage] = useState(1);
  const table = useLoad(() => send(listAudit(filter, page, PAGE_SIZE)), [filter, page]);
  const charts = useLoad(() => chartedRecords(filter), [filter]);
  const apply = (wanted: AuditFilter) => {
    setFilter(wanted);
    setPage(1);
  };
  return (
    <>
      <p class="lead">What the gateway was asked and what was changed; never what was found.</p>
      <Filters refusal={table.error?.field ? table.error : undefined} onApply={apply} />
      <Refused error={table.error?.field ? undefined : table.error} />
      {charts.data && <Charts {...charts.data} />}
      {table.data && <AuditTable list={table.data} onPage={setPage} />}
      <AsCurl call={listAudit(filter, page, PAGE_SIZE)} name="This page as curl" />
    </>
  );
}

interface Charted {
  records: AuditRecord[];
  total: number;
}

/** The newest requests that the filter lets through: changes of the configuration are in no chart. */
async function chartedRecords(filter: AuditFilter): Promise<Charted> {
  if (filter.event && filter.event !== "request") return { records: [], total: 0 };
  const records: AuditRecord[] = [];
  let list: AuditList;
  do {
    list = await send(listAudit({ ...filter, event: "request" }, records.length / CHUNK + 1, CHUNK));
    records.push(...list.records);
  } while (list.records.length === CHUNK && records.length < Math.min(list.total, CHARTED));
  return { records, total: list.total };
}

function Charts({ records, total }: Charted) {
  const { at, requests, findings, types } = useMemo(() => figuresOf(records), [records]);
  return (
    <div class="charts">
      <TimeChart title="Requests by action" at={at} series={requests} />
      <TimeChart title="Findings by action" at={at} series={findings} />
      <BarChart title="Findings by type" of="Type" bars={types} />
      {records.length < total && (
        <p class="note">
          The charts show the newest {records.length} of {total} requests; a narrower time shows the rest.
        </p>
      )}
    </div>
  );
}

const ANY = ["", "any"] as const;

function Filters({ refusal, onApply }: { refusal: Loaded<unknown>["error"]; onApply: (filter: AuditFilter) => void }) {
  const [typed, setTyped] = useState<AuditFilter>({});
  const field = (name: keyof AuditFilter) => ({
    name,
    value: typed[name] ?? "",
    onChange: (value: string) => setTyped({ ...typed, [name]: value || undefined }),
  });
  const apply = () => {
    const { from, to } = typed;
    onApply({ ...typed, from: from && asTimestamp(from), to: to && asTimestamp(to) });
  };
  const clear = () => {
    setTyped({});
    onApply({});
  };
  return (
    <Form label="Filter" refusal={refusal} onSubmit={apply}>
      <div class="columns tight">
        <TextField label="From" type="datetime-local" {...field("from")} />
        <TextField label="To" type="datetime-local" {...field("to")} />
        <SelectField label="Event" options={[ANY, ...EVENTS.map((event) => [event, event] as const)]} {...field("event")} />
        <SelectField label="Action" options={[ANY, ...ACTIONS.map((one) => [one, one] as const)]} {...field("action")} />
        <TextField label="Entity type" look="code" placeholder="email" {...field("entity_type")} />
        <TextField label="Request id" look="code" {...field("request_id")} />
        <div class="actions">
          <button type="submit" class="primary">
            Apply
          </button>
          <button type="button" onClick={clear}>
            Clear
          </button>
        </div>
      </div>
      <FormRefusal />
    </Form>
  );
}
