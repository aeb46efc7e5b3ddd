import { floatToPcm16 } from "../audio/pcm16.ts";
import { voiceAddress } from "../client/address.ts";
import { Emitter } from "../client/emitter.ts";
import { realtimeSocket } from "./realtime-socket.ts";
import { platformSocket } from "../client/socket.ts";
import { VoiceClient } from "../client/voice-client.ts";
import type { SessionSettingsPatch } from "../config/settings/settings-schema.ts";
import { Input } from "./input.ts";
import { Loudness } from "./loudness.ts";
import type { PlaybackReport } from "./playback-report.ts";
import { Speaker } from "./speaker.ts";
import { TurnTimer, type TurnTimes } from "./turn-times.ts";

export interface CallOptions {
  readonly apiKey: string;
  readonly configId: string;
  readonly settings: SessionSettingsPatch;
  /** The page talks through the OpenAI Realtime door. */
  readonly isRealtime: boolean;
  readonly wantsMicrophone: boolean;
}

interface CallEvents {
  /** Level of the last 50 ms that were sent, dBFS. */
  readonly level: { readonly db: number; readonly atMs: number };
  readonly report: PlaybackReport;
  /** The reply was stopped: by this page, by the server, or by the loss of the connection. */
  readonly stopped: undefined;
  readonly turnTimes: TurnTimes;
}

/** One call: client, loudspeaker and microphone together. */
export class Call extends Emitter<CallEvents> {
  readonly client: VoiceClient;
  readonly speaker: Speaker;
  readonly input = new Input();
  readonly #loudness = new Loudness();
  readonly #timer = new TurnTimer();
  /** The reply that this page stopped. Its rest is not played. */
  #skipped: string | undefined;
  #generation: string | undefined;
  /** The connection was lost during a reply that this page stopped. */
  #skipsNext = false;
  #wasPlaying = false;

  private constructor(options: CallOptions, speaker: Speaker) {
    super();
    this.speaker = speaker;
    const base = new URL(".", location.href).href.replace(/[?#].*$/u, "");
    const { settings, isRealtime } = options;
    const openSocket = isRealtime ? realtimeSocket() : platformSocket;
    this.client = new VoiceClient({ address: voiceAddress({ base, ...options }), settings, openSocket });
    this.#joinInput();
    // Register before the loudspeaker, so that speech is recorded before it plays.
    this.#joinTimer();
    this.#joinSpeaker();
  }

  /** Call this from a click. Attach listeners, then call `start`. */
  static async open(options: CallOptions): Promise<Call> {
    const speaker = await Speaker.open();
    const call = new Call(options, speaker);
    try {
      if (options.wantsMicrophone) await call.input.openMicrophone(speaker.context);
      else call.input.openSilence();
    } catch (error) {
      call.close();
      throw error;
    }
    return call;
  }

  start(): Promise<void> {
    return this.client.connect();
  }

  /** Stops the playing reply. The protocol has no message for it, so the server continues, and the rest is not played. */
  interrupt(): void {
    this.#skipped = this.#generation;
    this.#stop();
  }

  close(): void {
    this.client.close();
    this.input.close();
    this.speaker.close();
  }

  #stop(): void {
    this.speaker.stop();
    this.emit("stopped", undefined);
  }

  #joinInput(): void {
    this.input.on("chunk", ({ samples, endMs }) => {
      this.emit("level", { db: this.#loudness.add(samples, endMs), atMs: endMs });
      const pcm = new Uint8Array(samples.length * 2);
      floatToPcm16(samples, pcm);
      this.client.sendAudio(pcm);
    });
  }

  #joinSpeaker(): void {
    this.client.on("llm_response_chunk", ({ generation_id }) => {
      if (this.#skipsNext) this.#skipped = generation_id;
      this.#skipsNext = false;
      this.#generation = generation_id;
    });
    this.client.on("speech", (pcm) => {
      if (this.#skipped === undefined || this.#skipped !== this.#generation) this.speaker.add(pcm);
    });
    this.client.on("tts_interruption", () => this.#stop());
    // The received speech plays on: the server counts it as heard. The rest may follow as another reply.
    this.client.on("retry", () => this.emit("stopped", undefined));
    this.client.on("resumed", ({ reply }) => {
      this.#skipsNext = reply !== undefined && this.#skipped !== undefined && this.#skipped === this.#generation;
    });
    this.speaker.on("report", (report) => {
      if (report.isPlaying && !this.#wasPlaying) {
        const times = this.#timer.soundCame(performance.now() + this.speaker.latencyMs);
        if (times !== undefined) this.emit("turnTimes", times);
      }
      this.#wasPlaying = report.isPlaying;
      this.emit("report", report);
    });
  }

  #joinTimer(): void {
    this.client.on("turn_start", () => this.#timer.forget());
    // The greeting of a new connection does not answer a turn of the lost one.
    this.client.on("retry", () => this.#timer.forget());
    this.client.on("turn_end", (end) => this.#timer.turnEnded(end, this.#loudness.lastLoudMs, performance.now()));
    this.client.on("llm_response_chunk", ({ content }) => {
      if (content !== "") this.#timer.textCame(performance.now());
    });
    this.client.on("speech", () => this.#timer.speechCame(performance.now()));
  }
}
