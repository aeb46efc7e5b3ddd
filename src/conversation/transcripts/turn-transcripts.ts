import type { Clock } from "../../shared/clock.ts";
import { OakError, rethrowFault } from "../../shared/errors.ts";
import { settledWithin } from "../../shared/settled-within.ts";
import { toMs, toSamples } from "../session-time.ts";
import { TurnTranscriber, type EarlyText, type TurnTranscriberOptions } from "./turn-transcriber.ts";
import type { Hypothesis } from "../hypothesis.ts";

/** How long a turn's final waits for the final of an earlier turn. After that the earlier decode is cancelled. */
const ORDER_WAIT_MS = 10_000;

export interface TurnTranscriptsOptions extends Omit<
  TurnTranscriberOptions,
  "startSample" | "leadInSamples" | "notBeforeSample" | "events"
> {
  readonly clock: Clock;
  readonly events: {
    /** Words of a turn that goes on. `settled`: later transcripts continue after these words. */
    heard(turn: number, hypothesis: Hypothesis, settled: boolean): void;
    failed(turn: number, error: unknown): void;
    /** The transcriber of a turn has finished. */
    closed(turn: number, counts: TurnTranscriber["counts"]): void;
  };
}

/** The caller's turns that are running or not yet decoded, each with its own audio. */
export class TurnTranscripts {
  readonly #options: TurnTranscriptsOptions;
  readonly #turns = new Map<number, TurnTranscriber>();
  /** End of the last committed turn's audio. The next turn's audio begins after it. */
  #committedSample = 0;
  /** The last committed turn's final transcript. */
  #last: Promise<unknown> = Promise.resolve();

  constructor(options: TurnTranscriptsOptions) {
    this.#options = options;
  }

  open(turn: number, startMs: number, leadInMs: number): void {
    const { events } = this.#options;
    const transcriber = new TurnTranscriber({
      ...this.#options,
      startSample: toSamples(startMs),
      leadInSamples: toSamples(leadInMs),
      notBeforeSample: this.#committedSample,
      events: {
        partial: (hypothesis) => events.heard(turn, hypothesis, false),
        segment: (hypothesis) => events.heard(turn, hypothesis, true),
        failed: (error) => events.failed(turn, error),
      },
    });
    this.#turns.set(turn, transcriber);
  }

  /** More audio of the turn has arrived. */
  advance(turn: number, endSample: number): void {
    this.#turns.get(turn)?.advance(endSample);
  }

  /** Decodes a turn that may end here. Rejects when decoding failed or the caller continued. */
  prepare(turn: number, endMs: number, early?: EarlyText): Promise<Hypothesis> | undefined {
    return this.#turns.get(turn)?.prepare(toSamples(endMs), early);
  }

  /** The audio up to `endMs` belongs to no turn. */
  discard(turn: number | undefined, endMs: number): void {
    this.#committedSample = Math.max(this.#committedSample, toSamples(endMs));
    if (turn === undefined) return;
    this.#turns.get(turn)?.[Symbol.dispose]();
    this.#turns.delete(turn);
  }

  /** End of the last turn's audio, or of the discarded audio. */
  get takenMs(): number {
    return toMs(this.#committedSample);
  }

  /** The caller speaks another language. */
  restart(): void {
    for (const transcriber of this.#turns.values()) transcriber.restart();
  }

  /** The caller continued. */
  drop(turn: number): void {
    this.#turns.get(turn)?.drop();
  }

  /**
   * The final transcript of a turn that has ended: after a failure only its settled words, possibly none. Finals resolve in the
   * order of the turns, also when an earlier one is decoded again. `isExact`: the turn has all audio until its end, not only until a
   * quiet place before it.
   */
  commit(turn: number, endMs: number, isExact = false): Promise<Hypothesis> {
    const final = this.#after(this.#last, turn, this.#final(turn, endMs, isExact));
    this.#last = final;
    return final;
  }

  async #after(before: Promise<unknown>, turn: number, final: Promise<Hypothesis>): Promise<Hypothesis> {
    const { clock, signal } = this.#options;
    const hypothesis = await final;
    if (!(await settledWithin(before, ORDER_WAIT_MS, clock, signal))) {
      const late = new OakError("the decode was abandoned because a later turn waits for it", { code: "STT_TIMEOUT" });
      for (const [earlier, transcriber] of this.#turns) if (earlier < turn) transcriber.giveUp(late);
      await before;
    }
    return hypothesis;
  }

  async #final(turn: number, endMs: number, isExact: boolean): Promise<Hypothesis> {
    const { events } = this.#options;
    const transcriber = this.#turns.get(turn);
    const nothing = { text: "", confidence: 0, words: [] };
    const endSample = toSamples(endMs);
    this.#committedSample = (isExact ? undefined : transcriber?.audioEnd(endSample)) ?? endSample;
    try {
      return (await transcriber?.commit(this.#committedSample)) ?? { ...nothing, accumulated: "" };
    } catch (error) {
      rethrowFault(error);
      events.failed(turn, error);
      return { ...nothing, accumulated: transcriber?.settledText ?? "" };
    } finally {
      this.#turns.delete(turn);
      if (transcriber !== undefined) events.closed(turn, transcriber.counts);
      transcriber?.[Symbol.dispose]();
    }
  }
}
