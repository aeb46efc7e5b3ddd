import { CALL_BYTES_PER_MS } from "../audio/format.ts";
import { PlaybackClock } from "./playback-clock.ts";

/** The speech that a caller hears: chunks play without gaps as they arrive, and an interruption stops them at once. */
export class Playback {
  readonly clock = new PlaybackClock();
  #chunks: Uint8Array[] = [];
  #bytes = 0;

  /** `pcm`: PCM 16-bit mono 24 kHz. */
  add(pcm: Uint8Array, nowMs: number): void {
    this.#chunks.push(pcm);
    this.#bytes += pcm.length;
    this.clock.add(pcm.length / CALL_BYTES_PER_MS, nowMs);
  }

  /** Drops speech that has not been played. */
  interrupt(nowMs: number): void {
    const unplayed = Math.floor(this.clock.interrupt(nowMs) * CALL_BYTES_PER_MS) & ~1;
    const all = this.heard();
    this.#chunks = [all.subarray(0, Math.max(0, all.length - unplayed))];
    this.#bytes = this.#chunks[0]?.length ?? 0;
  }

  isPlaying(nowMs: number): boolean {
    return this.clock.isPlaying(nowMs);
  }

  /** All played speech, one reply after the other. */
  heard(): Uint8Array {
    const all = new Uint8Array(this.#bytes);
    let at = 0;
    for (const chunk of this.#chunks) {
      all.set(chunk, at);
      at += chunk.length;
    }
    return all;
  }
}
