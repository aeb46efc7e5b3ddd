import { addAbortListener } from "node:events";
import { systemClock, type Clock } from "../../../shared/clock.ts";
import { OakError } from "../../../shared/errors.ts";
import { Slots } from "../../../child-processes/slots.ts";
import type { TranscribeRequest } from "../speech-to-text.ts";

/** "urgent": an overlap, whose words may stop a reply. "language": identifies the caller's language. */
export type JobKind = TranscribeRequest["kind"] | "urgent" | "language";

export const kindOf = ({ kind, isUrgent }: Pick<TranscribeRequest, "kind" | "isUrgent">): JobKind =>
  kind === "partial" && isUrgent === true ? "urgent" : kind;

interface Job {
  readonly caller: number;
  readonly kind: JobKind;
  /** Aborted when the job must give its lane back. */
  readonly stop: AbortController;
  readonly reject: (reason: unknown) => void;
  isRunning: boolean;
}

/** Largest share of the lanes' time that partials of all callers take together. One caller's budget alone allows half of a core. */
const PARTIALS_SHARE = 0.5;

/** Finals that wait at the same time, one for each caller. A final is never dropped below this. */
const MAX_WAITING_FINALS = 256;

/**
 * Gives a few decoding lanes to many callers. A final waits for a lane and takes one from other work. An urgent decode waits too,
 * and takes a lane from partials. A partial is refused with STT_BUSY when it cannot start at once, or when its caller already has a
 * job. Partials leave one of several lanes free, so that a final seldom waits for a partial to stop. All partials together take
 * at most half of the lanes' time. The query for a language waits for a lane and takes none.
 */
export class LanePool<Lane extends string | number | object> {
  readonly #lanes: Slots<Lane>;
  readonly #maxPartials: number;
  readonly #jobs = new Set<Job>();
  readonly #clock: Pick<Clock, "nowMs">;
  readonly #count: number;
  /** When partials have used no more than their share. */
  #partialsFromMs = -Infinity;

  constructor(lanes: readonly Lane[], clock: Pick<Clock, "nowMs"> = systemClock) {
    this.#clock = clock;
    this.#count = lanes.length;
    this.#lanes = new Slots(lanes, MAX_WAITING_FINALS, overloaded);
    this.#maxPartials = Math.max(1, lanes.length - 1);
  }

  /**
   * Runs `work` on a lane. `work` must settle soon after its own signal aborts. The returned promise rejects with
   * `signal.reason` at once, but the lane stays taken until `work` has settled. While the job waits, `moved` is called
   * whenever a lane is given back.
   */
  run<Result>(
    caller: number,
    kind: JobKind,
    signal: AbortSignal,
    work: (lane: Lane, signal: AbortSignal) => Promise<Result>,
    moved?: () => void,
  ): Promise<Result> {
    return new Promise<Result>((resolve, reject) => {
      signal.throwIfAborted();
      if (kind === "partial") this.#checkPartial(caller);
      const job: Job = { caller, kind, stop: new AbortController(), reject, isRunning: false };
      this.#jobs.add(job);
      const onAbort = addAbortListener(signal, () => this.#stop(job, signal.reason));
      const end = () => {
        onAbort[Symbol.dispose]();
        this.#jobs.delete(job);
      };
      const onLane = async (lane: Lane): Promise<Result> => {
        job.isRunning = true;
        const startMs = this.#clock.nowMs();
        return work(lane, job.stop.signal).finally(() => {
          if (kind === "partial") this.#spend(startMs);
          end();
        });
      };
      this.#lanes.run(onLane, job.stop.signal, moved).then(resolve, (error: unknown) => {
        end();
        reject(error);
      });
      if (kind === "final" || kind === "urgent") this.#preempt(kind);
    });
  }

  #checkPartial(caller: number): void {
    const jobs = [...this.#jobs];
    const isSpent = this.#clock.nowMs() < this.#partialsFromMs;
    const isOccupied = jobs.some((job) => job.caller === caller);
    const partials = jobs.filter(({ kind }) => kind === "partial").length;
    if (isSpent || isOccupied || partials >= this.#maxPartials || this.#lanes.idle === 0)
      throw busy("Speech recognition is busy; this partial result was left out.");
  }

  #spend(startMs: number): void {
    const spentMs = this.#clock.nowMs() - startMs;
    this.#partialsFromMs = Math.max(this.#partialsFromMs, startMs) + spentMs / (PARTIALS_SHARE * this.#count);
  }

  /** Stops as much other work as jobs are waiting, the youngest first: a query may wait before the final. */
  #preempt(by: "final" | "urgent"): void {
    const running = [...this.#jobs].filter(({ isRunning }) => isRunning);
    const freeing = running.filter(({ stop }) => stop.signal.aborted).length;
    const yields = (kind: JobKind) => (by === "final" ? kind !== "final" : kind === "partial");
    const others = running.filter(({ kind, stop }) => yields(kind) && !stop.signal.aborted);
    for (const job of others.toReversed().slice(0, Math.max(0, this.#lanes.waiting - freeing)))
      this.#stop(job, busy("This work made room for a more urgent one."));
  }

  #stop(job: Job, reason: unknown): void {
    job.reject(reason);
    if (!job.isRunning) this.#jobs.delete(job);
    job.stop.abort(reason);
  }
}

const overloaded = (): OakError =>
  new OakError("Too many callers wait for speech recognition. Use a faster model, or lower limits.max_connections.", {
    code: "STT_OVERLOADED",
  });

const busy = (message: string): OakError => new OakError(message, { code: "STT_BUSY" });
