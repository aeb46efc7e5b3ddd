import { JitterBuffer } from "./jitter-buffer.ts";
import type { PlaybackReport } from "./playback-report.ts";

/** Plays received samples. Reports its position about every 40 ms, and at once when it starts and ends. */
class Playback extends AudioWorkletProcessor {
  readonly #buffer = new JitterBuffer(sampleRate);
  #sinceReport = 0;
  #wasPlaying = false;

  constructor() {
    super();
    this.port.addEventListener("message", ({ data }: MessageEvent<Float32Array | "stop">) => {
      if (data === "stop") this.#buffer.stop();
      else this.#buffer.push(data);
    });
    this.port.start();
  }

  override process(_inputs: Float32Array[][], [output]: Float32Array[][]): boolean {
    const channel = output?.[0];
    if (channel === undefined) return true;
    this.#buffer.read(channel);
    this.#sinceReport += channel.length;
    const { played, buffered, isPlaying, gaps } = this.#buffer;
    if (isPlaying === this.#wasPlaying && !(isPlaying && this.#sinceReport > sampleRate / 25)) return true;
    this.#wasPlaying = isPlaying;
    this.#sinceReport = 0;
    this.port.postMessage({ played, buffered, isPlaying, gaps } satisfies PlaybackReport);
    return true;
  }
}

registerProcessor("playback", Playback);
