import type { Metrics } from "./metrics.ts";

/** The same metrics, whose times of stages are seen by a trace too: both have the same numbers. */
export function measuredMetrics(metrics: Metrics, seen: (stage: string, seconds: number) => void): Metrics {
  const stage = {
    observe(labels: { readonly stage: string }, seconds: number) {
      metrics.stage.observe(labels, seconds);
      seen(labels.stage, seconds);
    },
  };
  return Object.create(metrics, { stage: { value: stage } }) as Metrics;
}
