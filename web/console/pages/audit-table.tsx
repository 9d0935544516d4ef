// A page of audit records.

import type { ComponentChildren } from "preact";
import { findingsOf } from "../audit-figures.js";
import { EVENT_TITLES } from "../events.js";
import { Table } from "../parts/table.js";
import { ActionBadge, Time } from "../parts/tone.js";
import { typeName } from "../type-names.js";
import type { AuditList, AuditRecord } from "../types.js";
import type { Place } from "./audit.js";

const HEADS = ["Time", "Event", "Actor", "Action", "Findings", "Details"];

interface Props {
  place: Place;
  list: AuditList;
  /** Missing where there is no such page. */
  onNewer: (() => void) | undefined;
  onOlder: (() => void) | undefined;
}

export function AuditTable({ place, list, onNewer, onOlder }: Props) {
  const { records, total, page, page_size, complete, next_cursor } = list;
  const pages = Math.max(1, Math.ceil(total / page_size));
  return (
    <section class="panel flush" aria-labelledby="records-title">
      <div class="bar">
        <h2 id="records-title">Records</h2>
        <p role="status" class="note">
          {total} {total === 1 ? "record" : "records"}
          {place.cursor && " further back"}, page {page} of {pages}
          {next_cursor ? "; older ones follow" : !complete && "; some cannot be read"}
        </p>
        <button type="button" disabled={!onNewer} onClick={onNewer}>
          Newer
        </button>
        <button type="button" disabled={!onOlder} onClick={onOlder}>
          Older
        </button>
      </div>
      <Table title="Table of the records" heads={HEADS} look="records">
        {records.map((record) => (
          <Row key={record.hash} record={record} />
        ))}
      </Table>
      {records.length === 0 && <p class="empty">No record.</p>}
    </section>
  );
}

function Row({ record }: { record: AuditRecord }) {
  const { at, event, actor, action, entities = {} } = record;
  const types = Object.entries(entities).map(([type, count]) => `${typeName(type)} ${count}`);
  return (
    // as cards, rows and cells would lose their roles
    <tr role="row">
      <td role="cell" class="when">
        <Time at={at} />
      </td>
      <td role="cell" class="event">
        {EVENT_TITLES[event]} <code class="note">{event}</code>
      </td>
      <td role="cell" class="actor">
        <code>{actor}</code>
      </td>
      <td role="cell">{action && <ActionBadge action={action} />}</td>
      <td role="cell">{findingsOf(record) > 0 && types.join(", ")}</td>
      <td role="cell">
        <Details record={record} />
      </td>
    </tr>
  );
}

function Details({ record }: { record: AuditRecord }) {
  const { route, provider, model, status, policies, fields, subject, masked_text, bypassed, withheld, request_id } = record;
  const said: [string, ComponentChildren][] = [
    ["status", status],
    ["route", route],
    ["provider", provider],
    ["model", model],
    ["policies", policies?.join(", ")],
    ["fields", fields?.join(", ")],
    ["subject", subject],
    ["text", masked_text],
    ["bypassed", bypassed && "uninspected parts"],
    ["withheld", withheld && `${withheld} placeholders of the answer`],
    ["request id", request_id],
    ["chain", `${record.chain}, number ${record.sequence}`],
    ["hash", record.hash],
  ];
  const shown = said.filter(([, value]) => value);
  const summary = [status, model, fields?.join(", ")].filter(Boolean).join(" · ") || "details";
  return (
    <details>
      <summary>{summary}</summary>
      <dl class="facts">
        {shown.map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
    </details>
  );
}
