import type { Clock } from "./clock.ts";

/** Reports every exception of one call's callbacks, so that other calls continue. */
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

  /** The same clock, with callbacks that run inside the boundary. */
  clock(clock: Clock): Clock {
    return {
      nowMs: () => clock.nowMs(),
      after: (delayMs, callback) => clock.after(delayMs, () => this.run(callback)),
    };
  }
}
