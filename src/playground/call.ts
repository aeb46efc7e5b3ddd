import { floatToPcm16 } from "../audio/pcm16.ts";
import { voiceAddress } from "../client/address.ts";
import { Emitter } from "../client/emitter.ts";
import { VoiceClient } from "../client/voice-client.ts";
import type { SessionSettingsPatch } from "../doors/voice/session-settings.ts";
import { Input } from "./input.ts";
import { Loudness } from "./loudness.ts";
import type { PlaybackReport } from "./playback-report.ts";
import { Speaker } from "./speaker.ts";
import { TurnTimer, type TurnTimes } from "./turn-times.ts";

export interface CallOptions {
  readonly apiKey: string;
  readonly configId: string;
  readonly settings: SessionSettingsPatch;
  readonly wantsMicrophone: boolean;
}

interface CallEvents {
  /** Of what was sent in the last 50 ms, dBFS. */
  readonly level: { readonly db: number; readonly atMs: number };
  readonly report: PlaybackReport;
  /** The reply was stopped: here, by the box, or with its connection. */
  readonly stopped: undefined;
  readonly turnTimes: TurnTimes;
}

/** One call: the client, the loudspeaker and the microphone, joined. */
export class Call extends Emitter<CallEvents> {
  readonly client: VoiceClient;
  readonly speaker: Speaker;
  readonly input = new Input();
  readonly #loudness = new Loudness();
  readonly #timer = new TurnTimer();
  /** The reply that was stopped here; the rest of it is not played. */
  #skipped: string | undefined;
  #generation: string | undefined;
  #wasPlaying = false;

  private constructor(options: CallOptions, speaker: Speaker) {
    super();
    this.speaker = speaker;
    const base = new URL(".", location.href).href.replace(/[?#].*$/u, "");
    this.client = new VoiceClient({ address: voiceAddress({ base, ...options }), settings: options.settings });
    this.#joinInput();
    // Before the loudspeaker: what comes is noted before it is played.
    this.#joinTimer();
    this.#joinSpeaker();
  }

  /** To be called from a click. Attach listeners, then `start`. */
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

  /** Stops the reply that plays. The interface has no message for it, so the box goes on; the rest is not heard. */
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
    this.client.on("llm_response_chunk", ({ generation_id }) => (this.#generation = generation_id));
    this.client.on("speech", (pcm) => {
      if (this.#skipped === undefined || this.#skipped !== this.#generation) this.speaker.add(pcm);
    });
    this.client.on("tts_interruption", () => this.#stop());
    // Half a reply of a connection that is gone has no other half.
    this.client.on("retry", () => this.#stop());
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
    // Nor does the greeting of a new connection answer the lost one's turn.
    this.client.on("retry", () => this.#timer.forget());
    this.client.on("turn_end", ({ transcript }) =>
      this.#timer.turnEnded(transcript, this.#loudness.lastLoudMs, performance.now()),
    );
    this.client.on("llm_response_chunk", ({ content }) => {
      if (content !== "") this.#timer.textCame(performance.now());
    });
    this.client.on("speech", () => this.#timer.speechCame(performance.now()));
  }
}
