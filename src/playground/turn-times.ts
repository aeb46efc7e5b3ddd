/** The stages of a turn and of its answer, ms. */
export interface TurnTimes {
  readonly transcript: string;
  /** From the turn's first to its last voiced frame. */
  readonly spokenMs: number;
  /** From the caller's last loud sample to the end of the turn. */
  readonly silenceMs: number;
  /** From the end of the turn to its words. */
  readonly decodeMs: number;
  /** From the turn's words to the reply's first words. */
  readonly textMs: number;
  /** From the first words to the first speech. */
  readonly speechMs: number;
  /** From the first speech to the first sample that plays. */
  readonly soundMs: number;
  /** From the caller's last loud sample to the first sample that plays. */
  readonly totalMs: number;
}

/** The end of a turn, as the server reports it. Durations in seconds. */
interface TurnEnd {
  readonly transcript: string;
  readonly duration: number;
  readonly decode_duration?: number;
}

interface Open {
  readonly end: TurnEnd;
  readonly lastLoudMs: number;
  readonly endMs: number;
  textMs?: number;
  speechMs?: number;
}

/** Measures each turn from its end to its answer. Times in ms on one clock. Pure. */
export class TurnTimer {
  #open: Open | undefined;

  /** A turn without words gets no answer. */
  turnEnded(end: TurnEnd, lastLoudMs: number, nowMs: number): void {
    this.#open = end.transcript === "" ? undefined : { end, lastLoudMs, endMs: nowMs };
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
    const { end, lastLoudMs, endMs, speechMs, textMs = speechMs } = open;
    const waitMs = endMs - lastLoudMs;
    // The server decodes while it still listens, so its own measure may be longer than the wait.
    const decodeMs = Math.max(0, Math.min(waitMs, 1000 * (end.decode_duration ?? 0)));
    return {
      transcript: end.transcript,
      spokenMs: 1000 * end.duration,
      silenceMs: waitMs - decodeMs,
      decodeMs,
      textMs: textMs - endMs,
      speechMs: speechMs - textMs,
      soundMs: nowMs - speechMs,
      totalMs: nowMs - lastLoudMs,
    };
  }
}
