// The options of uPlot's drawings.

import { useEffect, useRef } from "preact/hooks";
import uPlot from "uplot";
import type { Bar, Series } from "./chart.js";

export interface Colours {
  text: string;
  line: string;
  bar: string;
  series: string[];
}

export interface Plot {
  options: Omit<uPlot.Options, "width">;
  data: uPlot.AlignedData;
}

const FONT = '12px system-ui, "Segoe UI", "DejaVu Sans", sans-serif';
const WHOLE = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1e3, 2e3, 5e3, 1e4, 2e4, 5e4, 1e5, 1e6, 1e7];
const MINUTE = 60;
const QUARTER = 900;
const DAY = 86_400;
const HOUR_OF_DAY = new Intl.DateTimeFormat("en-GB", { timeStyle: "short" });
const SECOND_OF_DAY = new Intl.DateTimeFormat("en-GB", { timeStyle: "medium" });
const DAY_OF_YEAR = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short" });

/** Room for a line of labels below a chart, in pixels. */
const LABELS = 28;

/** Draws into the element that it gives; anew when `dependencies`, the theme or the width change. */
export function usePlot(draw: (colours: Colours) => Plot, colours: () => Colours, dependencies: unknown[]) {
  const host = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const element = host.current;
    if (!element) return;
    let plot: uPlot | undefined;
    const redraw = () => {
      plot?.destroy();
      const { options, data } = draw(colours());
      plot = new uPlot({ ...options, width: element.clientWidth }, data, element);
    };
    const resizing = new ResizeObserver(redraw);
    const theme = matchMedia("(prefers-color-scheme: dark)");
    resizing.observe(element);
    theme.addEventListener("change", redraw);
    return () => {
      resizing.disconnect();
      theme.removeEventListener("change", redraw);
      plot?.destroy();
    };
  }, dependencies);
  return host;
}

/** Columns, each series on top of the ones before it. */
export function timePlot(at: number[], series: Series[], colours: Colours): Plot {
  const steps = at.slice(1).map((moment, index) => moment - (at[index] ?? moment));
  // a column without others has no neighbour to keep away from
  const step = steps.length > 0 ? Math.min(...steps) : MINUTE;
  const [first = 0, last = 0] = [at[0], at.at(-1)];
  const span = last - first;
  const format = span > 2 * DAY ? DAY_OF_YEAR : span > QUARTER ? HOUR_OF_DAY : SECOND_OF_DAY;
  const heights = stacked(series);
  // the highest sums first, so that each series is drawn over the part of it that is not its own
  const backwards = series.map((_, index) => series.length - 1 - index);
  return {
    options: {
      ...common(190),
      scales: {
        x: { time: true, range: () => [first - step / 2, last + step / 2] },
        y: { range: (_, __, high) => [0, Math.max(high, 1) * 1.05] },
      },
      axes: [
        { ...axis(colours), size: LABELS, values: (_, moments) => moments.map((moment) => format.format(moment * 1000)) },
        { ...axis(colours), incrs: WHOLE, size: 48 },
      ],
      series: [
        {},
        ...backwards.map((index) => ({
          fill: colours.series[index] ?? colours.bar,
          width: 0,
          points: { show: false },
          paths: columns([0.8, 40]),
        })),
      ],
    },
    data: [at, ...backwards.map((index) => heights[index] ?? [])],
  };
}

/** Bars that begin at the left, with their labels before them. */
export function barPlot(bars: Bar[], colours: Colours): Plot {
  const places = bars.map((_, index) => index);
  return {
    options: {
      ...common(LABELS + 16 + 28 * bars.length),
      scales: {
        x: { time: false, ori: 1, dir: -1, range: [-0.5, bars.length - 0.5] },
        y: { ori: 0, dir: 1, range: (_, __, high) => [0, Math.max(high, 1) * 1.05] },
      },
      axes: [
        {
          ...axis(colours),
          side: 3,
          size: 132,
          grid: { show: false },
          splits: () => places,
          values: () => bars.map(({ label }) => shortened(label)),
        },
        { ...axis(colours), side: 2, size: LABELS, incrs: WHOLE },
      ],
      series: [{}, { fill: colours.bar, width: 0, points: { show: false }, paths: columns([0.7, 20]) }],
    },
    data: [places, bars.map(({ value }) => value)],
  };
}

function common(height: number) {
  return { height, legend: { show: false }, cursor: { show: false } };
}

function axis({ text, line }: Colours): uPlot.Axis {
  return { stroke: text, font: FONT, grid: { stroke: line, width: 1 }, ticks: { stroke: line, width: 1, size: 4 } };
}

/** `size` is the share of a column's room, and the most that it may be in pixels. */
function columns(size: [number, number]): uPlot.Series.PathBuilder {
  const bars = uPlot.paths.bars;
  if (!bars) throw new Error("this build of uPlot has no bars");
  return bars({ size });
}

function stacked(series: Series[]): number[][] {
  const sums: number[] = [];
  return series.map(({ values }) =>
    values.map((value, index) => {
      const sum = (sums[index] ?? 0) + value;
      sums[index] = sum;
      return sum;
    }),
  );
}

function shortened(label: string): string {
  return label.length > 18 ? `${label.slice(0, 17)}…` : label;
}
