import type { Clock } from "../../shared/clock.ts";
import { OakError } from "../../shared/errors.ts";

const MOST_PER_OWNER = 20;
const MOST_TIMERS = 10_000;
/** A timer that is due while its owner is away is kept for this long. */
const KEPT_MS = 3_600_000;
/** A connection that cannot ring now is asked again after this time. */
const RETRY_MS = 2_000;

export interface Timer {
  /** Unique, also over boxes. */
  readonly id: string;
  readonly kind: "timer" | "reminder";
  /** The caller's name for it. May be empty. */
  readonly label: string;
  /** When it rings, as the model tells it: a time of day. Empty: the time that is left is reported. */
  readonly at: string;
}

/** The timers of one caller. */
export interface CallTimers {
  /** Does nothing for a timer that is set. @throws OakError `TOOL_REFUSED` when too many are set. */
  set(timer: Timer, delayMs: number): void;
  list(): readonly { readonly timer: Timer; readonly leftMs: number }[];
  cancel(timer: Timer): void;
}

/** Calls `rung` when the caller hears it. False when it cannot ring now. */
type Ring = (timer: Timer, rung: () => void) => boolean;

interface Entry {
  readonly owner: string;
  readonly timer: Timer;
  readonly dueMs: number;
  stop: () => void;
  /** The connection that says it as soon as it can. */
  ringing: Ring | undefined;
}

/** The timers of all callers. They stay set when a caller leaves, and ring when the same caller is back. Nothing is written to the disk. */
export class TimerBook {
  readonly #clock: Clock;
  readonly #entries = new Set<Entry>();
  /** The connections of each owner, oldest first. The last one that can rings. */
  readonly #present = new Map<string, readonly Ring[]>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** `ring` is called when a timer of the owner is due, at once for those that were due meanwhile. Until `signal` aborts. */
  attach(owner: string, signal: AbortSignal, ring: Ring): CallTimers {
    this.#present.set(owner, [...(this.#present.get(owner) ?? []), ring]);
    signal.addEventListener("abort", () => this.#leave(owner, ring), { once: true });
    for (const entry of this.#of(owner)) if (this.#leftMs(entry) <= 0 && entry.ringing === undefined) this.#ring(entry);
    return {
      set: (timer, delayMs) => this.#set(owner, timer, delayMs),
      list: () => this.#of(owner).map((entry) => ({ timer: entry.timer, leftMs: this.#leftMs(entry) })),
      cancel: (timer) => {
        for (const entry of this.#of(owner)) if (entry.timer === timer) this.#remove(entry);
      },
    };
  }

  close(): void {
    for (const entry of this.#entries) this.#remove(entry);
  }

  #leave(owner: string, ring: Ring): void {
    const left = this.#present.get(owner)?.filter((other) => other !== ring) ?? [];
    if (left.length === 0) this.#present.delete(owner);
    else this.#present.set(owner, left);
    for (const entry of this.#of(owner)) if (entry.ringing === ring) this.#ring(entry);
  }

  #leftMs({ dueMs }: Entry): number {
    return dueMs - this.#clock.nowMs();
  }

  #set(owner: string, timer: Timer, delayMs: number): void {
    if (this.#of(owner).some((entry) => entry.timer.id === timer.id)) return;
    if (this.#entries.size >= MOST_TIMERS) this.#makeRoom();
    if (this.#of(owner).length >= MOST_PER_OWNER || this.#entries.size >= MOST_TIMERS)
      throw new OakError("too many timers are set. Cancel one first.", { code: "TOOL_REFUSED" });
    const entry: Entry = { owner, timer, dueMs: this.#clock.nowMs() + delayMs, stop: () => {}, ringing: undefined };
    entry.stop = this.#clock.after(delayMs, () => this.#ring(entry));
    this.#entries.add(entry);
  }

  /** Forgets the oldest timer of a caller who has left: most of them never come back. */
  #makeRoom(): void {
    const oldest = [...this.#entries].find(({ owner }) => !this.#present.has(owner));
    if (oldest !== undefined) this.#remove(oldest);
  }

  #ring(entry: Entry): void {
    const present = this.#present.get(entry.owner);
    entry.stop();
    entry.ringing = present?.findLast((ring) => ring(entry.timer, () => this.#remove(entry)));
    if (present === undefined) entry.stop = this.#clock.after(KEPT_MS, () => this.#remove(entry));
    else if (entry.ringing === undefined) entry.stop = this.#clock.after(RETRY_MS, () => this.#ring(entry));
  }

  #remove(entry: Entry): void {
    entry.stop();
    this.#entries.delete(entry);
  }

  #of(owner: string): readonly Entry[] {
    return [...this.#entries].filter((entry) => entry.owner === owner);
  }
}
