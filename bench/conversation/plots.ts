import type { Stage } from "./summary.ts";

const WIDTH = 720;
const HEIGHT = 260;
const MARGIN = 56;
/** Shorter stages have no memory plot. */
const MEMORY_FROM_SECONDS = 120;
const STEPS = [0, 1, 2, 3, 4];

interface Line {
  readonly name: string;
  readonly points: readonly (readonly [x: number, y: number])[];
}

interface Axis {
  /** End of the axis, four whole steps from 0. */
  readonly most: number;
  readonly label: (value: number) => string;
}

/** An axis up to at least `most` with four steps that are multiples of `step`. */
function axis(most: number, step: number, label: (value: number) => string): Axis {
  return { most: 4 * step * Math.max(1, Math.ceil(most / (4 * step))), label };
}

/** Cumulative distribution of a measure, one line per number of callers. Empty without measurements. */
export function distribution(
  title: string,
  stages: readonly Stage[],
  pick: (turn: Stage["turns"][number]) => number | undefined,
): string {
  const measured = stages.map(({ summary: { callers }, turns }) => {
    const values = turns.map(pick).filter((value) => value !== undefined);
    return {
      name: `${String(callers)} ${callers === 1 ? "caller" : "callers"}`,
      values: values.toSorted((a, b) => a - b),
    };
  });
  const largest = Math.max(0, ...measured.flatMap(({ values }) => values));
  if (largest === 0) return "";
  const across = axis(largest, 100, (ms) => `${String(ms)} ms`);
  const up = { most: 1, label: (share: number) => `${String(100 * share)} %` };
  const lines = measured.map(({ name, values }): Line => {
    const steps = values.flatMap((value, at) => [
      [value, at / values.length] as const,
      [value, (at + 1) / values.length] as const,
    ]);
    return { name, points: steps.length === 0 ? [] : [...steps, [across.most, 1]] };
  });
  return plot(title, across, up, lines);
}

/** Resident memory over a long stage, one line per process. Empty for a short stage. */
export function memoryPlot({ summary, memory }: Stage): string {
  const last = memory.at(-1);
  if (last === undefined || last.seconds < MEMORY_FROM_SECONDS) return "";
  const lines = Object.keys(last.residentByProcess).map((process): Line => {
    const name = process.replace(/(?:-worker)?\.[jt]s$/u, "");
    const points = memory.map(
      ({ seconds, residentByProcess }) => [seconds / 60, (residentByProcess[process] ?? 0) / 1e6] as const,
    );
    return { name: name === "main" ? "server" : name, points };
  });
  const largest = Math.max(...lines.flatMap(({ points }) => points.map(([, megabytes]) => megabytes)));
  const across = axis(last.seconds / 60, 1, (minutes) => `${String(minutes)} min`);
  const up = axis(largest, 25, (megabytes) => `${String(megabytes)} MB`);
  return plot(`Resident memory with ${String(summary.callers)} callers`, across, up, lines);
}

function plot(title: string, across: Axis, up: Axis, lines: readonly Line[]): string {
  const x = (value: number) => (MARGIN + ((WIDTH - 2 * MARGIN) * value) / across.most).toFixed(1);
  const y = (value: number) => (HEIGHT - MARGIN - ((HEIGHT - 2 * MARGIN) * value) / up.most).toFixed(1);
  const grid = STEPS.map((step) => {
    const [right, height] = [(across.most * step) / 4, (up.most * step) / 4];
    return (
      `<line class="grid" x1="${x(0)}" x2="${x(across.most)}" y1="${y(height)}" y2="${y(height)}"/>` +
      `<text x="${String(MARGIN - 4)}" y="${y(height)}" dy="4" text-anchor="end">${up.label(height)}</text>` +
      `<text x="${x(right)}" y="${String(HEIGHT - MARGIN + 18)}" text-anchor="middle">${across.label(right)}</text>`
    );
  });
  const drawn = lines.map(({ name, points }, at) => {
    if (points.length === 0) return "";
    const path = points.map(([right, height]) => `${x(right)},${y(height)}`).join(" ");
    const legend = `<text class="line${String(at % 5)}" x="${String(MARGIN + 130 * at)}" y="18">${escape(name)}</text>`;
    return `<polyline class="line${String(at % 5)}" points="${path}"/>${legend}`;
  });
  return `<figure><figcaption>${escape(title)}</figcaption><svg viewBox="0 0 ${String(WIDTH)} ${String(HEIGHT)}" role="img" aria-label="${escape(title)}">${[...grid, ...drawn].join("")}</svg></figure>`;
}

export function escape(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");
}
