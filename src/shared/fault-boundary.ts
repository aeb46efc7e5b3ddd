import type { Clock } from "./clock.ts";

/** Where the faults of one call end: what its callbacks throw is reported and goes no further, so other calls go on. */
export class FaultBoundary {
  readonly report: (error: unknown) => void;

  constructor(report: (error: unknown) => void) {
    this.report = report;
  }

  run(work: () => void): void {
    try {
      work();
    } catch (error) {
      this.report(error);
    }
  }

  /** The same clock, with its callbacks inside the boundary. */
  clock(clock: Clock): Clock {
    return {
      nowMs: () => clock.nowMs(),
      after: (delayMs, callback) => clock.after(delayMs, () => this.run(callback)),
    };
  }
}
