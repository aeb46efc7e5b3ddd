/** Stages between the caller's last loud sample and the first sound of the answer, ms. */
export interface TurnTimes {
  readonly transcript: string;
  /** The wait for silence, and recognition. */
  readonly waitMs: number;
  /** From the end of the turn to the reply's first words. */
  readonly textMs: number;
  /** From the first words to the first speech. */
  readonly speechMs: number;
  /** From the first speech to the first sample that plays. */
  readonly soundMs: number;
  readonly totalMs: number;
}

interface Open {
  readonly transcript: string;
  readonly lastLoudMs: number;
  readonly endMs: number;
  textMs?: number;
  speechMs?: number;
}

/** Measures each turn from its end to its answer. Times in ms on one clock. Pure. */
export class TurnTimer {
  #open: Open | undefined;

  /** A turn without words gets no answer. */
  turnEnded(transcript: string, lastLoudMs: number, nowMs: number): void {
    this.#open = transcript === "" ? undefined : { transcript, lastLoudMs, endMs: nowMs };
  }

  textCame(nowMs: number): void {
    if (this.#open !== undefined) this.#open.textMs ??= nowMs;
  }

  speechCame(nowMs: number): void {
    if (this.#open !== undefined) this.#open.speechMs ??= nowMs;
  }

  /** The caller speaks again, so a reply that plays now does not count. */
  forget(): void {
    this.#open = undefined;
  }

  /** The loudspeaker starts. @returns The turn's times if this is its answer. */
  soundCame(nowMs: number): TurnTimes | undefined {
    const open = this.#open;
    if (open?.speechMs === undefined) return undefined;
    this.#open = undefined;
    const { transcript, lastLoudMs, endMs, speechMs, textMs = speechMs } = open;
    return {
      transcript,
      waitMs: endMs - lastLoudMs,
      textMs: textMs - endMs,
      speechMs: speechMs - textMs,
      soundMs: nowMs - speechMs,
      totalMs: nowMs - lastLoudMs,
    };
  }
}
