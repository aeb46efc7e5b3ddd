import type { Metrics } from "./metrics.ts";

/** The metrics that one call writes. */
export interface CallMetrics extends Omit<Metrics, "stage" | "registry" | "gauge" | "counter" | "offersTool"> {
  readonly stage: { observe(labels: { readonly stage: string }, seconds: number): void };
}

/** The same metrics, whose times of stages are seen by a trace too: both have the same numbers. */
export function measuredMetrics(metrics: Metrics, seen: (stage: string, seconds: number) => void): CallMetrics {
  const { realTimeFactor, inFlight, failures, turns, doubtfulTurns, interruptions, toolCalls, toolSeconds } = metrics;
  return {
    realTimeFactor,
    inFlight,
    failures,
    turns,
    doubtfulTurns,
    interruptions,
    toolCalls,
    toolSeconds,
    stage: {
      observe(labels, seconds) {
        metrics.stage.observe(labels, seconds);
        seen(labels.stage, seconds);
      },
    },
  };
}
