import { LevelMeter } from "../audio/level.ts";
import { pcm16ToFloat } from "../audio/pcm16.ts";
import { Resampler } from "../audio/resampler.ts";
import { SampleRing } from "../audio/ring-buffer.ts";
import type { Clock } from "../shared/clock.ts";
import { OakError } from "../shared/errors.ts";
import type { VoiceActivityDetector } from "../vad/contract.ts";

const WIRE_HZ = 24_000;
/** What every model hears. Session time is counted in these samples. */
export const HEARING_HZ = 16_000;
const RING_SECONDS = 40;
/** A client that stops sending in the middle of a turn has stopped speaking: after this, silence stands in. */
const STALL_MS = 300;
const STALL_STEP_MS = 100;

export interface HeardFrame {
  /** Session position one past the frame's last sample. */
  readonly endSample: number;
  readonly frameMs: number;
  /** 0-1. */
  readonly probability: number;
}

export interface HearingOptions {
  readonly detector: VoiceActivityDetector;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** True while a pause in the stream must not stop session time. */
  readonly needsTime: () => boolean;
  readonly onFrame: (frame: HeardFrame) => void;
  readonly onFailure: (error: unknown) => void;
}

/** The session's ear: wire audio to 16 kHz, kept in a ring, each frame weighed by the voice activity detector. */
export class Hearing {
  readonly ring = new SampleRing(RING_SECONDS * HEARING_HZ);
  readonly meter: LevelMeter;
  readonly #options: HearingOptions;
  readonly #resampler = new Resampler(WIRE_HZ, HEARING_HZ);
  readonly #frame: Float32Array;
  #wire = new Float32Array(WIRE_HZ / 5);
  #position = 0;
  #busy = false;
  /** The last drain; it may have ended. */
  #draining: Promise<void> | undefined;
  #cancelStall: (() => void) | undefined;

  constructor(options: HearingOptions) {
    this.#options = options;
    this.#frame = new Float32Array(options.detector.frameSamples);
    this.meter = new LevelMeter(options.detector.frameSamples / HEARING_HZ);
    options.signal.addEventListener("abort", () => this.#cancelStall?.(), { once: true });
  }

  /** PCM 16-bit little-endian mono 24 kHz, an even number of bytes. */
  push(pcm: Uint8Array): void {
    if (this.#options.signal.aborted) return;
    if (this.#wire.length < pcm.length / 2) this.#wire = new Float32Array(pcm.length / 2);
    const samples = pcm16ToFloat(pcm, this.#wire);
    this.ring.write(this.#resampler.process(this.#wire.subarray(0, samples)));
    this.#watchStall(STALL_MS);
    if (!this.#busy) this.#draining = this.#drain();
  }

  /** Resolves when no frame is being weighed any more. */
  async idle(): Promise<void> {
    await this.#draining;
  }

  async #drain(): Promise<void> {
    const { detector, signal, onFrame, onFailure } = this.#options;
    const { length } = this.#frame;
    this.#busy = true;
    while (this.ring.end - this.#position >= length && !signal.aborted) {
      if (!this.ring.readInto(this.#position, this.#frame)) {
        this.#position = this.ring.start;
        onFailure(
          new OakError("audio came in faster than it could be heard; some of it was skipped", {
            code: "AUDIO_SKIPPED",
          }),
        );
        continue;
      }
      this.#position += length;
      try {
        const probability = await detector.speechProbability(this.#frame);
        if (signal.aborted) break;
        this.meter.update(this.#frame);
        onFrame({ endSample: this.#position, frameMs: (length * 1000) / HEARING_HZ, probability });
      } catch (error) {
        onFailure(error);
      }
    }
    this.#busy = false;
  }

  #watchStall(delayMs: number): void {
    this.#cancelStall?.();
    this.#cancelStall = this.#options.clock.after(delayMs, () => {
      if (this.#options.needsTime()) this.push(new Uint8Array((2 * WIRE_HZ * STALL_STEP_MS) / 1000));
      this.#watchStall(STALL_STEP_MS);
    });
  }
}
