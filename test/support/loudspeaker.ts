import type { Caller } from "./box.ts";

const BYTES_PER_MS = 48;
const STEP_MS = 100;

/** A client without echo cancellation: what it plays comes back in its microphone, `echoDb` louder and `delayMs` later. */
export class Loudspeaker {
  readonly #caller: Caller;
  readonly #gain: number;
  readonly #delayMs: number;
  readonly #startMs = performance.now();
  /** What is played, by time since the start; 24 kHz samples. */
  #played = new Float32Array(24_000 * 60);
  #playedOutMs = 0;
  #seen = 0;

  constructor(caller: Caller, echoDb: number, delayMs: number) {
    this.#caller = caller;
    this.#gain = 10 ** (echoDb / 20);
    this.#delayMs = delayMs;
  }

  /** Streams the microphone in real time: `voice` (wire audio) over the echo of what comes out of the loudspeaker. */
  async speak(voice: Buffer): Promise<void> {
    const fromMs = performance.now() - this.#startMs;
    for (let spokenMs = 0; spokenMs < voice.length / BYTES_PER_MS; spokenMs += STEP_MS) {
      const dueMs = fromMs + spokenMs + STEP_MS;
      await new Promise((resolve) => setTimeout(resolve, this.#startMs + dueMs - performance.now()));
      this.#play();
      const chunk = Buffer.from(voice.subarray(spokenMs * BYTES_PER_MS, (spokenMs + STEP_MS) * BYTES_PER_MS));
      const first = Math.round((dueMs - STEP_MS - this.#delayMs) * 24);
      for (let at = 0; at < chunk.length; at += 2) {
        const echo = this.#gain * (this.#played[first + at / 2] ?? 0);
        chunk.writeInt16LE(Math.max(-32768, Math.min(32767, Math.round(chunk.readInt16LE(at) + echo))), at);
      }
      this.#caller.client.sendAudio(chunk);
    }
  }

  /** Takes up what came since the last look. Late by one step at most, as a client with a jitter buffer is. */
  #play(): void {
    const nowMs = performance.now() - this.#startMs;
    for (; this.#seen < this.#caller.messages.length; this.#seen += 1) {
      const message = this.#caller.messages[this.#seen];
      if (message?.type === "tts_interruption") {
        this.#played.fill(0, Math.round(nowMs * 24));
        this.#playedOutMs = nowMs;
      } else if (message?.type === "tts_chunk") {
        const pcm = Buffer.from(message.content, "base64");
        const startMs = Math.max(nowMs, this.#playedOutMs);
        for (let at = 0; at < pcm.length; at += 2)
          this.#played[Math.round(startMs * 24) + at / 2] = pcm.readInt16LE(at);
        this.#playedOutMs = startMs + pcm.length / BYTES_PER_MS;
      }
    }
  }
}
