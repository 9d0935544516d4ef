// The counters of the service, read again and again while the page is open.

import { useLayoutEffect, useMemo, useState } from "preact/hooks";
import { actionTitle } from "../actions.js";
import { getMetrics } from "../api.js";
import { byLabel, meanOf, type Sample, samplesOf, sumOf } from "../metrics.js";
import { BarChart, type Series, TimeChart } from "../parts/chart.js";
import { AsCurl } from "../parts/curl.js";
import { asApiError } from "../parts/load.js";
import { Refused } from "../parts/notice.js";
import { ApiError, send } from "../request.js";
import { WorkspaceUsage } from "./workspace-usage.js";

/** Between readings, in milliseconds. */
const INTERVAL = 5_000;
/** Readings that the chart of the last minutes shows. */
const KEPT = 61;

interface Reading {
  /** Unix time in seconds. */
  at: number;
  samples: Sample[];
}

export function Usage() {
  const [isPaused, setPaused] = useState(false);
  const { readings, error } = useReadings(isPaused);
  const samples = readings.at(-1)?.samples;
  return (
    <>
      <p class="lead">The requests come from the audit of the workspace, the counters below from the service.</p>
      <WorkspaceUsage />
      <div class="section-head">
        <h2>The service</h2>
        <p class="soft">The counters cover all workspaces since start. They need the scope metrics.</p>
      </div>
      <div class="actions">
        <button type="button" aria-pressed={isPaused} onClick={() => setPaused(!isPaused)}>
          Pause
        </button>
        <span class="note">
          {isPaused ? "Paused" : `Read every ${INTERVAL / 1000} seconds while this page is in sight`}
        </span>
      </div>
      <Refused error={error} />
      {samples && <Tiles samples={samples} />}
      <Live readings={readings} />
      {samples && <Totals samples={samples} />}
      <AsCurl call={getMetrics()} />
    </>
  );
}

function useReadings(isPaused: boolean): { readings: Reading[]; error: ApiError | undefined } {
  const [readings, setReadings] = useState<Reading[]>([]);
  const [error, setError] = useState<ApiError>();
  // a layout effect: an effect would go on reading until the next frame after the pause
  useLayoutEffect(() => {
    if (isPaused) return;
    let isOpen = true;
    let isReading = false;
    const read = async () => {
      // one at a time, so that they come in their order
      if (document.hidden || isReading) return;
      isReading = true;
      try {
        const reading = { at: Date.now() / 1000, samples: samplesOf(await send(getMetrics())) };
        if (!isOpen) return;
        setReadings((before) => [...before, reading].slice(-KEPT));
        setError(undefined);
      } catch (refusal) {
        if (isOpen) setError(asApiError(refusal));
      } finally {
        isReading = false;
      }
    };
    void read();
    const timer = setInterval(() => void read(), INTERVAL);
    return () => {
      isOpen = false;
      clearInterval(timer);
    };
  }, [isPaused]);
  return { readings, error };
}

/** The page's own readings are requests too, and would drown the others. */
const isCounted = ({ route }: Sample["labels"]) => route !== "/metrics";

const REQUESTS = "textveil_requests_total";

function Tiles({ samples }: { samples: Sample[] }) {
  const tiles: [string, string][] = [
    ["Requests", whole(sumOf(samples, REQUESTS, isCounted))],
    ["Requests to language models", whole(sumOf(samples, "textveil_gateway_requests_total"))],
    ["Findings", whole(sumOf(samples, "textveil_entities_total"))],
    ["Blocked", whole(sumOf(samples, "textveil_gateway_blocks_total"))],
    ["Fallbacks", whole(sumOf(samples, "textveil_gateway_fallbacks_total"))],
    ["Bypasses", whole(sumOf(samples, "textveil_gateway_bypasses_total"))],
    ["Gateway overhead", milliseconds(meanOf(samples, "textveil_gateway_overhead_seconds"))],
    ["Provider latency", milliseconds(meanOf(samples, "textveil_gateway_upstream_seconds"))],
  ];
  return (
    <dl class="tiles">
      {tiles.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}

const OUTCOMES: [label: string, tone: Series["tone"], counts: (status: string) => boolean][] = [
  ["answered", "ok", (status) => status < "400"],
  ["rejected", "rejected", (status) => status >= "400" && status < "500"],
  ["failed", "failed", (status) => status >= "500"],
];

/** Requests between one reading and the next. */
function Live({ readings }: { readings: Reading[] }) {
  const { at, series } = useMemo(() => {
    const pairs = readings.slice(1).map((reading, index) => [readings[index] ?? reading, reading] as const);
    const count = ({ samples }: Reading, counts: (status: string) => boolean) =>
      sumOf(samples, REQUESTS, (labels) => isCounted(labels) && counts(labels["status"] ?? ""));
    return {
      at: pairs.map(([, after]) => Math.round(after.at)),
      series: OUTCOMES.map(([label, tone, counts]) => ({
        label,
        tone,
        // a counter that fell began anew
        values: pairs.map(([before, after]) => Math.max(0, count(after, counts) - count(before, counts))),
      })),
    };
  }, [readings]);
  return <TimeChart title="Live requests" at={at} series={series} />;
}

function Totals({ samples }: { samples: Sample[] }) {
  const charts = useMemo(() => {
    const routes = byLabel(samples, REQUESTS, "route", isCounted);
    return {
      routes: routes.map(({ label, value }) => ({ label: label.replace("/api/v1/", ""), value })),
      statuses: byLabel(samples, REQUESTS, "status", isCounted),
      types: byLabel(samples, "textveil_entities_total", "type"),
      actions: byLabel(samples, "textveil_gateway_entities_total", "action").map(({ label, value }) => ({ label: actionTitle(label), value })),
      failures: byLabel(samples, "textveil_gateway_failures_total", "code"),
    };
  }, [samples]);
  return (
    <div class="charts">
      <BarChart title="Requests by route" of="Route" bars={charts.routes} />
      <BarChart title="Requests by status" of="Status" bars={charts.statuses} />
      <BarChart title="Findings by type" of="Type" bars={charts.types} />
      <BarChart title="Findings in the gateway by action" of="Action" bars={charts.actions} />
      <BarChart title="Failures in the gateway by code" of="Code" bars={charts.failures} />
    </div>
  );
}

function whole(count: number): string {
  return count.toLocaleString("en-GB");
}

function milliseconds(mean: number | undefined): string {
  return mean === undefined ? "–" : `${mean < 10 ? mean.toFixed(1) : Math.round(mean)} ms`;
}
