import { performance } from "node:perf_hooks";
import type { Clock } from "../../shared/clock.ts";

/** Share of the time that the event loop is busy, below which another caller's noise is suppressed, and above which one caller's is not. */
const START_BELOW = 0.6;
const STOP_ABOVE = 0.8;
/** One caller's suppression starts or stops in this time. */
const PERIOD_MS = 1000;

/**
 * Suppresses the noise of as many callers as the event loop has time for. A loop without rest reads all callers' audio late
 * (docs/decisions/0104-noise-suppression.md).
 */
export class SuppressionRoom {
  readonly #clock: Clock;
  readonly #busyShare: () => number;
  #measuredMs = -Infinity;
  #due: "start" | "stop" | undefined;

  /** `busyShare`: share of the time since its last call that the event loop was busy, 0 to 1. */
  constructor(clock: Clock, busyShare = loopBusyShare()) {
    this.#clock = clock;
    this.#busyShare = busyShare;
  }

  /** True for the caller whose suppression starts now. */
  mayStart(): boolean {
    return this.#take("start");
  }

  /** True for the caller whose suppression stops now. */
  mustStop(): boolean {
    return this.#take("stop");
  }

  #take(change: "start" | "stop"): boolean {
    const nowMs = this.#clock.nowMs();
    if (nowMs - this.#measuredMs >= PERIOD_MS) {
      this.#measuredMs = nowMs;
      const busy = this.#busyShare();
      this.#due = busy < START_BELOW ? "start" : busy > STOP_ABOVE ? "stop" : undefined;
    }
    if (this.#due !== change) return false;
    this.#due = undefined;
    return true;
  }
}

function loopBusyShare(): () => number {
  let last = performance.eventLoopUtilization();
  return () => {
    const now = performance.eventLoopUtilization();
    const { utilization } = performance.eventLoopUtilization(now, last);
    last = now;
    return utilization;
  };
}
