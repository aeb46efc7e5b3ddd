import { axis, plot, SHARES, type Line } from "../plot.ts";
import type { Stage } from "../../src/simulated-callers/summary.ts";

/** Shorter stages have no memory plot. */
const MEMORY_FROM_SECONDS = 120;

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
  const lines = measured.map(({ name, values }): Line => {
    const steps = values.flatMap((value, at) => [
      [value, at / values.length] as const,
      [value, (at + 1) / values.length] as const,
    ]);
    return { name, points: steps.length === 0 ? [] : [...steps, [across.most, 1]] };
  });
  return plot(title, across, SHARES, lines);
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
