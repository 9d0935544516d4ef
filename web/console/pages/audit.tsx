// The audit: what was asked and what was changed, as a table and as charts.

import { useMemo, useState } from "preact/hooks";
import { ACTION_TITLES } from "../actions.js";
import { listAudit } from "../api.js";
import { figuresOf } from "../audit-figures.js";
import { type RequestRecords, requestRecords } from "../audit-records.js";
import { EVENT_TITLES } from "../events.js";
import { BarChart, TimeChart } from "../parts/chart.js";
import { SelectField, TextField } from "../parts/controls.js";
import { AsCurl } from "../parts/curl.js";
import { Form, FormRefusal } from "../parts/form.js";
import { type Loaded, useLoad } from "../parts/load.js";
import { Refused } from "../parts/notice.js";
import { send } from "../request.js";
import { asTimestamp } from "../timestamp.js";
import { type AuditFilter, type AuditList, EVENTS } from "../types.js";
import { AuditTable } from "./audit-table.js";

const PAGE_SIZE = 25;

/** A page of a search. A search looks at so many records at a time; a cursor leads to those before. */
export interface Place {
  page: number;
  cursor?: string;
}

const NEWEST: Place = { page: 1 };

export function Audit() {
  const [filter, setFilter] = useState<AuditFilter>({});
  // each page leads to the one that was open before
  const [places, setPlaces] = useState([NEWEST]);
  const place = places.at(-1) ?? NEWEST;
  const call = listAudit(filter, place.page, PAGE_SIZE, place.cursor);
  const table = useLoad(async () => ({ place, list: await send(call) }), [filter, place]);
  const charts = useLoad(() => requestRecords(filter), [filter]);
  const apply = (wanted: AuditFilter) => {
    setFilter(wanted);
    setPlaces([NEWEST]);
  };
  const newer = places.length > 1 ? () => setPlaces(places.slice(0, -1)) : undefined;
  const next = table.data && olderThan(table.data);
  const older = next && (() => setPlaces([...places, next]));
  return (
    <>
      <p class="lead">Requests to the gateway and administrative changes; never the values that were found.</p>
      <Filters refusal={table.error?.field ? table.error : undefined} onApply={apply} />
      <Refused error={table.error?.field ? undefined : table.error} />
      {charts.data && <Charts {...charts.data} />}
      {table.data && <AuditTable {...table.data} onNewer={newer} onOlder={older} />}
      <AsCurl call={call} name="This page as curl" />
    </>
  );
}

function olderThan({ place, list: { total, next_cursor } }: { place: Place; list: AuditList }): Place | undefined {
  if (place.page * PAGE_SIZE < total) return { ...place, page: place.page + 1 };
  return next_cursor ? { page: 1, cursor: next_cursor } : undefined;
}

function Charts({ records, total }: RequestRecords) {
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
        <SelectField label="Event" options={[ANY, ...EVENTS.map((event) => [event, `${EVENT_TITLES[event]} (${event})`] as const)]} {...field("event")} />
        <SelectField label="Action" options={[ANY, ...ACTION_TITLES]} {...field("action")} />
        <TextField label="Entity type" look="code" placeholder="email" {...field("entity_type")} />
        <TextField label="Request id" look="code" {...field("request_id")} />
        <TextField label="Actor" look="code" placeholder="key:…" {...field("actor")} />
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
