import { CALL_HZ } from "../audio/format.ts";
import { pcm16ToFloat } from "../audio/pcm16.ts";
import { Emitter } from "../client/emitter.ts";
import { type PlaybackReport } from "./playback-report.ts";

/** Firefox without a loudspeaker never starts its audio and reports no error. */
const START_MS = 5_000;

interface SpeakerEvents {
  readonly report: PlaybackReport;
}

/** Plays the replies. Without audio worklets (plain http from another machine) chunks are scheduled one by one. */
export class Speaker extends Emitter<SpeakerEvents> {
  readonly context: AudioContext;
  #received = 0;
  #report: PlaybackReport = { played: 0, buffered: 0, isPlaying: false, gaps: 0 };
  readonly #play: (samples: Float32Array<ArrayBuffer>) => void;
  readonly #stop: () => void;

  private constructor(context: AudioContext, play: (samples: Float32Array<ArrayBuffer>) => void, stop: () => void) {
    super();
    this.context = context;
    this.#play = play;
    this.#stop = stop;
  }

  /** Call this from a click: browsers allow sound only then. @throws DOMException without a loudspeaker. */
  static async open(): Promise<Speaker> {
    const context = new AudioContext({ sampleRate: CALL_HZ, latencyHint: "interactive" });
    const started = await Promise.race([
      context.resume().then(() => true),
      new Promise((resolve) => setTimeout(() => resolve(false), START_MS)),
    ]);
    if (started !== true) {
      void context.close();
      throw new DOMException(
        "The browser finds no loudspeaker or headphones to play the replies on. Connect some, then try again.",
      );
    }
    // The type says that it always exists, but it is missing outside secure contexts.
    const worklet = context.audioWorklet as AudioWorklet | undefined;
    if (worklet === undefined) return Speaker.#scheduled(context);
    await worklet.addModule(new URL("./playback-worklet.js", import.meta.url));
    const node = new AudioWorkletNode(context, "playback", { numberOfInputs: 0, outputChannelCount: [1] });
    node.connect(context.destination);
    const speaker = new Speaker(
      context,
      (samples) => node.port.postMessage(samples, [samples.buffer]),
      () => node.port.postMessage("stop"),
    );
    node.port.addEventListener("message", ({ data }: MessageEvent<PlaybackReport>) => speaker.#note(data));
    node.port.start();
    return speaker;
  }

  /** Each chunk is a separate source that starts where the previous one ends. */
  static #scheduled(context: AudioContext): Speaker {
    const sources = new Set<AudioBufferSourceNode>();
    let endsAt = -1;
    let cut = 0;
    let gaps = 0;
    const tell = () => {
      const buffered = Math.max(0, Math.round((endsAt - context.currentTime) * CALL_HZ));
      const played = speaker.received - cut - buffered;
      speaker.#note({ played, buffered, isPlaying: buffered > 0, gaps });
    };
    const play = (samples: Float32Array<ArrayBuffer>) => {
      const buffer = context.createBuffer(1, samples.length, CALL_HZ);
      buffer.copyToChannel(samples, 0);
      const source = new AudioBufferSourceNode(context, { buffer });
      source.connect(context.destination);
      const late = context.currentTime - endsAt;
      if (late > 0) endsAt = context.currentTime + 0.06;
      if (late > 0 && late < 0.4) gaps += 1;
      source.start(endsAt);
      endsAt += buffer.duration;
      sources.add(source);
      source.addEventListener("ended", () => {
        sources.delete(source);
        tell();
      });
      tell();
    };
    const stop = () => {
      cut += Math.max(0, Math.round((endsAt - context.currentTime) * CALL_HZ));
      endsAt = -1;
      for (const source of sources) source.stop();
      tell();
    };
    const speaker: Speaker = new Speaker(context, play, stop);
    return speaker;
  }

  get report(): PlaybackReport {
    return this.#report;
  }

  /** Received samples, played or not. */
  get received(): number {
    return this.#received;
  }

  /** Delay of a sample from here to the loudspeaker, ms, as far as the browser knows. */
  get latencyMs(): number {
    const { baseLatency, outputLatency } = this.context;
    // Some browsers lack this property.
    return 1000 * ((baseLatency as number | undefined) ?? 0) + 1000 * ((outputLatency as number | undefined) ?? 0);
  }

  /** Plays PCM, 16-bit mono 24 kHz, without a gap after the previous chunk. */
  add(pcm: Uint8Array): void {
    const samples = new Float32Array(pcm.length / 2);
    pcm16ToFloat(pcm, samples);
    this.#received += samples.length;
    this.#play(samples);
  }

  stop(): void {
    this.#stop();
  }

  close(): void {
    void this.context.close();
  }

  #note(report: PlaybackReport): void {
    this.#report = report;
    this.emit("report", report);
  }
}
