// Charts: a canvas to look at, and the same figures as a table.

import type { RefObject } from "preact";
import { useMemo, useRef, useState } from "preact/hooks";
import type { Action } from "../types.js";
import { barPlot, type Colours, timePlot, usePlot } from "./plot.js";
import { Table } from "./table.js";

export interface Series {
  label: string;
  /** The source of its colour: an action, or how requests ended. */
  tone: Action | "ok" | "rejected" | "failed";
  values: number[];
}

interface TimeChartProps {
  title: string;
  /** Unix time of each column, in seconds. */
  at: number[];
  series: Series[];
}

const MOMENT = new Intl.DateTimeFormat("en-GB", { dateStyle: "short", timeStyle: "medium" });

/** Columns over time, stacked by series. */
export function TimeChart({ title, at, series }: TimeChartProps) {
  const figure = useRef<HTMLElement>(null);
  const host = usePlot((colours) => timePlot(at, series, colours), () => coloursOf(figure), [at, series]);
  const rows = at.map((moment, row) => [
    MOMENT.format(moment * 1000),
    ...series.map(({ values }) => String(values[row] ?? 0)),
  ]);
  const total = (values: number[]) => values.reduce((sum, value) => sum + value, 0);
  const described = series.map(({ label, values }) => `${label} ${total(values)}`).join(", ");
  return (
    <figure class="chart" ref={figure}>
      <figcaption>
        <h2>{title}</h2>
        <ul class="legend">
          {series.map(({ label, tone }) => (
            <li key={label}>
              <span class="swatch" data-tone={tone} />
              {label}
            </li>
          ))}
        </ul>
      </figcaption>
      {at.length === 0 ? (
        <p class="empty">Nothing to show yet.</p>
      ) : (
        <div class="plot" role="img" aria-label={`${title}: ${described}`} ref={host} />
      )}
      <Figures title={title} heads={["Time", ...series.map(({ label }) => label)]} rows={rows} />
    </figure>
  );
}

export interface Bar {
  label: string;
  value: number;
}

interface BarChartProps {
  title: string;
  /** The meaning of the labels, for the head of the table. */
  of: string;
  bars: Bar[];
}

/** Bars that are shown at first. */
const MOST = 10;

/** Bars from the left, by name: the first ones, and the rest on demand. */
export function BarChart({ title, of, bars }: BarChartProps) {
  const figure = useRef<HTMLElement>(null);
  const [isWhole, setWhole] = useState(false);
  const shown = useMemo(() => (isWhole ? bars : bars.slice(0, MOST)), [bars, isWhole]);
  const host = usePlot((colours) => barPlot(shown, colours), () => coloursOf(figure), [shown]);
  const described = shown.map(({ label, value }) => `${label} ${value}`).join(", ");
  return (
    <figure class="chart" ref={figure}>
      <figcaption>
        <h2>{title}</h2>
      </figcaption>
      {bars.length === 0 ? (
        <p class="empty">Nothing to show yet.</p>
      ) : (
        <div class="plot" role="img" aria-label={`${title}: ${described}`} ref={host} />
      )}
      {bars.length > MOST && (
        <button type="button" class="plain" aria-expanded={isWhole} onClick={() => setWhole(!isWhole)}>
          {isWhole ? `Show the first ${MOST}` : `Show all ${bars.length}`}
        </button>
      )}
      <Figures title={title} heads={[of, "Count"]} rows={bars.map(({ label, value }) => [label, String(value)])} />
    </figure>
  );
}

function Figures({ title, heads, rows }: { title: string; heads: string[]; rows: string[][] }) {
  if (rows.length === 0) return null;
  return (
    <details class="figures">
      <summary>As a table</summary>
      <Table title={title} heads={heads}>
        {rows.map(([head, ...cells], row) => (
          <tr key={row}>
            <th scope="row">{head}</th>
            {cells.map((cell, column) => (
              <td key={column}>{cell}</td>
            ))}
          </tr>
        ))}
      </Table>
    </details>
  );
}

/** The colours of the style sheet, as the canvas needs them: resolved for the theme that is on. */
function coloursOf(figure: RefObject<HTMLElement | null>): Colours {
  const plot = figure.current?.querySelector(".plot");
  const style = plot ? getComputedStyle(plot) : undefined;
  const swatches = [...(figure.current?.querySelectorAll(".swatch") ?? [])];
  return {
    text: style?.color ?? "",
    line: style?.borderTopColor ?? "",
    bar: style?.fill ?? "",
    series: swatches.map((swatch) => getComputedStyle(swatch).backgroundColor),
  };
}
