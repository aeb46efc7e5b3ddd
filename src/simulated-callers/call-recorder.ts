import { CALL_HZ } from "../audio/format.ts";
import { writeWav } from "../audio/wav.ts";

const MS = CALL_HZ / 1000;
/** Longer calls are cut. */
const MOST_SAMPLES = 600 * CALL_HZ;

interface Sound {
  samples: Float32Array;
  /** Position of its first sample in the call. */
  readonly at: number;
}

/** Both sides of one call as the caller's room hears them: the microphone, and the speech that is played. */
export class CallRecorder {
  #beganMs = NaN;
  #saidLength = 0;
  readonly #said: Sound[] = [];
  readonly #heard: Sound[] = [];

  begin(nowMs: number): void {
    this.#beganMs = nowMs;
  }

  /** The next samples of the microphone. The array is copied. */
  said(samples: Float32Array): void {
    if (this.#saidLength > MOST_SAMPLES) return;
    this.#said.push({ samples: samples.slice(), at: this.#saidLength });
    this.#saidLength += samples.length;
  }

  heard(samples: Float32Array, playMs: number): void {
    if (this.#saidLength <= MOST_SAMPLES) this.#heard.push({ samples, at: this.#sampleAt(playMs) });
  }

  /** Nothing after this is played. */
  interrupted(nowMs: number): void {
    const end = this.#sampleAt(nowMs);
    for (const chunk of this.#heard) chunk.samples = chunk.samples.subarray(0, Math.max(0, end - chunk.at));
  }

  /** A WAV file: the caller on the left channel, the assistant on the right one. */
  wav(): Uint8Array {
    const chunks = [...this.#said, ...this.#heard];
    const length = Math.min(MOST_SAMPLES, Math.max(0, ...chunks.map(({ samples, at }) => at + samples.length)));
    const both = new Float32Array(2 * length);
    const put = (side: readonly Sound[], channel: number) => {
      for (const { samples, at } of side)
        for (let from = Math.max(0, at); from < Math.min(length, at + samples.length); from += 1)
          both[2 * from + channel] = samples[from - at] ?? 0;
    };
    put(this.#said, 0);
    put(this.#heard, 1);
    return writeWav({ samples: both, sampleRateHz: CALL_HZ }, 2);
  }

  #sampleAt(ms: number): number {
    return Math.round((ms - this.#beganMs) * MS);
  }
}
