import type { Stage } from "../../src/simulated-callers/summary.ts";

/** The content of bench.json and bench.html. */
export interface Report {
  readonly scenario: string;
  readonly started: string;
  readonly machine: string;
  readonly stages: readonly Stage[];
  /** Undefined without limits. */
  readonly failed: readonly string[] | undefined;
}
