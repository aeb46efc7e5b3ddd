/** What passed between the caller's last loud sample and the first sound of the answer, ms. */
export interface TurnTimes {
  readonly transcript: string;
  /** The silence that was waited for, and the recognition. */
  readonly waitMs: number;
  /** From there to the reply's first words, */
  readonly textMs: number;
  /** to its first speech, */
  readonly speechMs: number;
  /** to the first sample that plays. */
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

/** Follows each turn from its end to its answer. All times on one clock, in ms. Pure. */
export class TurnTimer {
  #open: Open | undefined;

  /** A turn without words is not answered. */
  turnEnded(transcript: string, lastLoudMs: number, nowMs: number): void {
    this.#open = transcript === "" ? undefined : { transcript, lastLoudMs, endMs: nowMs };
  }

  textCame(nowMs: number): void {
    if (this.#open !== undefined) this.#open.textMs ??= nowMs;
  }

  speechCame(nowMs: number): void {
    if (this.#open !== undefined) this.#open.speechMs ??= nowMs;
  }

  /** The caller speaks again: whatever plays now is late. */
  forget(): void {
    this.#open = undefined;
  }

  /** The loudspeaker begins. The turn's times, when this is its answer. */
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
