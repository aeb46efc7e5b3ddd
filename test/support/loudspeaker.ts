import { CALL_BYTES_PER_MS } from "../../src/audio/format.ts";
import type { Line } from "./line.ts";
import { soundPaths } from "./room.ts";

const STEP_MS = 20;

/** A client without echo cancellation. Its playback returns to its microphone `echoDb` louder, `delayMs` later and with `reflections` of the room. */
export class Loudspeaker {
  readonly #line: Line;
  /** Delay in samples at 24 kHz and gain of each path. */
  readonly #paths: readonly { readonly after: number; readonly gain: number }[];
  /** The played samples at 24 kHz since the start of the line. */
  readonly #played = new Float32Array(24_000 * 60);
  #nowMs = 0;
  #playedOutMs = 0;
  #seen = 0;

  constructor(line: Line, echoDb: number, delayMs: number, reflections = 0) {
    this.#line = line;
    this.#paths = soundPaths(reflections).map(({ afterMs, share }) => ({
      after: Math.round((delayMs + afterMs) * 24),
      gain: share * 10 ** (echoDb / 20),
    }));
  }

  /** Sends the microphone's signal: `voice` plus the echo of the loudspeaker. */
  async speak(voice: Buffer): Promise<void> {
    const stepBytes = STEP_MS * CALL_BYTES_PER_MS;
    for (let from = 0; from < voice.length; from += stepBytes) {
      this.#play();
      const heard = Buffer.from(voice.subarray(from, from + stepBytes));
      for (let at = 0; at < heard.length; at += 2) {
        const now = this.#nowMs * 24 + at / 2;
        const echo = this.#paths.reduce((sum, { after, gain }) => sum + gain * (this.#played[now - after] ?? 0), 0);
        heard.writeInt16LE(Math.max(-32768, Math.min(32767, Math.round(heard.readInt16LE(at) + echo))), at);
      }
      await this.#line.speak(heard);
      this.#nowMs += STEP_MS;
    }
  }

  /** Adds the messages that have arrived since the last call. */
  #play(): void {
    for (const { type, data, atMs } of this.#line.sent.slice(this.#seen)) {
      if (type === "tts_interruption") {
        this.#played.fill(0, Math.round(atMs * 24));
        this.#playedOutMs = atMs;
      } else if (type === "tts_chunk") {
        const pcm = Buffer.from(data.content, "base64");
        const startMs = Math.max(atMs, this.#playedOutMs);
        for (let at = 0; at < pcm.length; at += 2)
          this.#played[Math.round(startMs * 24) + at / 2] = pcm.readInt16LE(at);
        this.#playedOutMs = startMs + pcm.length / CALL_BYTES_PER_MS;
      }
    }
    this.#seen = this.#line.sent.length;
  }
}
