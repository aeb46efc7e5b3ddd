/** Tracks how much of the received speech has been heard, for gapless playback that stops at once. Times in ms. */
export class PlaybackClock {
  #receivedMs = 0;
  /** Time at which everything received so far will have been played. */
  #endsAtMs = -Infinity;

  /** `durationMs` of speech arrived at `nowMs`. */
  add(durationMs: number, nowMs: number): void {
    this.#receivedMs += durationMs;
    this.#endsAtMs = Math.max(this.#endsAtMs, nowMs) + durationMs;
  }

  /** Drops the speech that has not been played. @returns Its length. */
  interrupt(nowMs: number): number {
    const unplayedMs = this.unplayedMs(nowMs);
    this.#receivedMs -= unplayedMs;
    this.#endsAtMs = nowMs;
    return unplayedMs;
  }

  unplayedMs(nowMs: number): number {
    return Math.max(0, this.#endsAtMs - nowMs);
  }

  heardMs(nowMs: number): number {
    return this.#receivedMs - this.unplayedMs(nowMs);
  }

  isPlaying(nowMs: number): boolean {
    return nowMs < this.#endsAtMs;
  }
}
