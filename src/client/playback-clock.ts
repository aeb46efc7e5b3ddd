/** How much of what was received has been heard, for playback that is gapless and stops at once. Times in ms. */
export class PlaybackClock {
  #receivedMs = 0;
  /** When everything received so far will have been played. */
  #endsAtMs = -Infinity;

  /** `durationMs` more of speech came at `nowMs`. */
  add(durationMs: number, nowMs: number): void {
    this.#receivedMs += durationMs;
    this.#endsAtMs = Math.max(this.#endsAtMs, nowMs) + durationMs;
  }

  /** What has not been played yet never will be; returns how much that is. */
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
