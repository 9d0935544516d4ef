// Requests of the workspace in a period, from its audit records: the counters of the service have no workspaces.

import { useMemo, useState } from "preact/hooks";
import { figuresOf, findingsOf } from "../audit-figures.js";
import { requestRecords } from "../audit-records.js";
import { BarChart, TimeChart } from "../parts/chart.js";
import { Segments } from "../parts/controls.js";
import { useLoad } from "../parts/load.js";
import { Refused } from "../parts/notice.js";
import { workspace } from "../session.js";
import type { AuditRecord } from "../types.js";

const DAY_MS = 86_400_000;
const PERIODS = [
  ["1", "24 hours"],
  ["7", "7 days"],
  ["30", "30 days"],
] as const;
type Days = (typeof PERIODS)[number][0];

export function WorkspaceUsage() {
  const [days, setDays] = useState<Days>("7");
  const { data, error } = useLoad(
    () => requestRecords({ from: new Date(Date.now() - Number(days) * DAY_MS).toISOString() }),
    [days],
  );
  return (
    <section class="workspace-usage" aria-labelledby="workspace-usage-title">
      <h2 id="workspace-usage-title">Workspace {workspace.value}</h2>
      <Segments legend="Period" options={PERIODS} value={days} onChange={setDays} />
      <Refused error={error} />
      {data && <Figures {...data} />}
    </section>
  );
}

function Figures({ records, total }: { records: AuditRecord[]; total: number }) {
  const { at, requests, types } = useMemo(() => figuresOf(records), [records]);
  const models = useMemo(() => countsOf(records, ({ model }) => model), [records]);
  const actors = useMemo(() => countsOf(records, ({ actor }) => actor), [records]);
  const tiles: [string, number][] = [
    ["Requests", total],
    ["Findings", records.reduce((sum, record) => sum + findingsOf(record), 0)],
    ["Blocked", records.filter(({ action }) => action === "BLOCK").length],
    ["Bypasses", records.filter(({ bypassed }) => bypassed).length],
  ];
  return (
    <>
      <dl class="tiles workspace-tiles">
        {tiles.map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value.toLocaleString("en-GB")}</dd>
          </div>
        ))}
      </dl>
      {records.length < total && (
        <p class="note">
          Only the number of requests covers all; the other figures cover the newest {records.length}.
        </p>
      )}
      <div class="charts">
        <TimeChart title="Requests of the workspace" at={at} series={requests} />
        <BarChart title="Types found in the workspace" of="Type" bars={types} />
        <BarChart title="Requests by model" of="Model" bars={models} />
        <BarChart title="Requests by actor" of="Actor" bars={actors} />
      </div>
    </>
  );
}

function countsOf(records: readonly AuditRecord[], labelOf: (record: AuditRecord) => string | null | undefined) {
  const counts = new Map<string, number>();
  for (const record of records) {
    const label = labelOf(record);
    if (label) counts.set(label, (counts.get(label) ?? 0) + 1);
  }
  return [...counts].map(([label, value]) => ({ label, value })).sort((one, other) => other.value - one.value);
}
