import type { Clock } from "../../shared/clock.ts";
import type { Log } from "../../shared/log.ts";

const LOG_PERIOD_MS = 60_000;

/** Why the server ended a socket that was not a call; label of `oakvoice_sockets_ended_total`, see docs/operations.md. */
export const END_REASONS = [
  "body",
  "crowded",
  "expect",
  "flood",
  "malformed",
  "pipelined",
  "timeout",
  "too_many_headers",
] as const;

export type EndReason = (typeof END_REASONS)[number];

/** Counts ended sockets by reason and logs them, at most one line per period: a line per socket would be a flood too. */
export class EndedSockets {
  /** Since the start. Every reason is present from the start, so that a monitor sees the first increase. */
  readonly counts: Record<EndReason, number>;
  readonly #clock: Clock;
  readonly #log: Log;
  #unlogged: Partial<Record<EndReason, number>> = {};
  #cancelPeriod: (() => void) | undefined;

  constructor(clock: Clock, log: Log) {
    this.counts = Object.fromEntries(END_REASONS.map((reason) => [reason, 0])) as Record<EndReason, number>;
    this.#clock = clock;
    this.#log = log;
  }

  count(reason: EndReason): void {
    this.counts[reason] += 1;
    this.#unlogged[reason] = (this.#unlogged[reason] ?? 0) + 1;
    if (this.#cancelPeriod === undefined) this.#writeLine();
  }

  close(): void {
    this.#cancelPeriod?.();
  }

  #writeLine(): void {
    this.#log.info({ reasons: this.#unlogged }, "sockets ended");
    this.#unlogged = {};
    this.#cancelPeriod = this.#clock.after(LOG_PERIOD_MS, () => {
      this.#cancelPeriod = undefined;
      if (Object.keys(this.#unlogged).length > 0) this.#writeLine();
    });
  }
}
