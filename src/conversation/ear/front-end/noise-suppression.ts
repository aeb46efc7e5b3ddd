import { MODEL_HZ } from "../../../audio/format.ts";
import { LevelMeter } from "../../../audio/level.ts";
import type { NoiseSuppressionEngine } from "../../../engines/enhancement/noise-suppressor.ts";
import type { VadEngine, VoiceActivityDetector } from "../../../engines/vad/voice-activity-detector.ts";
import { SuppressedStream } from "./suppressed-stream.ts";

/**
 * Noise floor from which a room is noisy, and below which it is quiet again. In quiet rooms suppression costs soft speech and gains
 * nothing (docs/decisions/0104-noise-suppression.md).
 */
const NOISY_DBFS = -60;
const QUIET_DBFS = -66;
/** The suppressed stream's noise floor is known after this long, as long as `LevelMeter` looks back. */
const WARM_UP_SAMPLES = 3 * MODEL_HZ;

/**
 * Share of the frames that are speech without their noise, averaged over 3 s. In a loud room full of voices it stays near 1: the model
 * keeps the louder ones and lowers the floor between them, so fewer turns would begin with the caller. The suppressed sound is
 * used once the share was below `FEW_VOICES`, until it is above `MANY_VOICES` (docs/decisions/0104-noise-suppression.md).
 */
const FEW_VOICES = 0.5;
const MANY_VOICES = 0.85;
const VOICES_SAMPLES = 3 * MODEL_HZ;
/** A frame of speech, as the speech gate continues it. */
const SPEECH_PROBABILITY = 0.3;
const SPEECH_DB = 3;

/** A frame as both hearings judge it. */
interface SuppressedFrame {
  probability: number;
  aboveNoiseDb: number;
  noiseFloorDbfs: number;
}

export interface NoiseSuppressionOptions {
  readonly engine: NoiseSuppressionEngine;
  readonly vad: VadEngine;
  readonly isOn: () => boolean;
}

/**
 * Hears each frame a second time with its noise suppressed. It runs only while the room is noisy. The speech gate takes the lower
 * speech probability of both, and the suppressed level; recognisers get the unsuppressed sound.
 */
export class NoiseSuppression {
  readonly #options: NoiseSuppressionOptions;
  readonly #frame: Float32Array;
  readonly #heard: SuppressedFrame = { probability: 0, aboveNoiseDb: 0, noiseFloorDbfs: 0 };
  #running:
    | {
        stream: SuppressedStream;
        detector: VoiceActivityDetector;
        meter: LevelMeter;
        warmAt: number;
        voices: number;
        isUsed: boolean;
      }
    | undefined;
  /** Call samples so far. */
  #callSamples = 0;

  constructor(options: NoiseSuppressionOptions, frameSamples: number) {
    this.#options = options;
    this.#frame = new Float32Array(frameSamples);
  }

  /** Samples at `CALL_HZ`. They are not kept. */
  push(samples: Float32Array): void {
    this.#callSamples += samples.length;
    this.#running?.stream.push(samples);
  }

  /** Starts or stops with the room's noise and the server's load. `position`: of the newest frame's end, at `MODEL_HZ`. */
  follow(noiseFloorDbfs: number, position: number): void {
    const { engine, vad, isOn } = this.#options;
    const isRunning = this.#running !== undefined;
    const least = isRunning ? QUIET_DBFS : NOISY_DBFS;
    if (noiseFloorDbfs < least || !isOn() || (isRunning && engine.room?.mustStop() === true)) return this.close();
    if (isRunning || engine.room?.mayStart() === false) return;
    this.#running = {
      stream: new SuppressedStream(engine.open(), this.#callSamples),
      detector: vad.open(),
      meter: new LevelMeter(this.#frame.length / MODEL_HZ),
      warmAt: position + WARM_UP_SAMPLES,
      voices: 1,
      isUsed: false,
    };
  }

  /** True while the frame that ends at `position` should wait, because its suppressed sound follows shortly. */
  isAwaited(position: number): boolean {
    const running = this.#running;
    return running !== undefined && position > running.warmAt && position > running.stream.end;
  }

  /**
   * The frame from `position` on, until the next call; undefined while it is not known without its noise, or in a room full of
   * voices. `probability`: that of the unsuppressed frame.
   */
  hear(position: number, probability: number): SuppressedFrame | undefined {
    const running = this.#running;
    if (running === undefined || !running.stream.readInto(position, this.#frame)) return undefined;
    const { detector, meter, warmAt } = running;
    const heard = this.#heard;
    meter.update(this.#frame);
    heard.probability = Math.min(probability, detector.speechProbability(this.#frame));
    heard.noiseFloorDbfs = meter.noiseFloorDbfs;
    heard.aboveNoiseDb = meter.levelDbfs - meter.noiseFloorDbfs;
    const isSpeech = heard.probability >= SPEECH_PROBABILITY && heard.aboveNoiseDb >= SPEECH_DB;
    running.voices += ((isSpeech ? 1 : 0) - running.voices) * (this.#frame.length / VOICES_SAMPLES);
    running.isUsed = running.voices < (running.isUsed ? MANY_VOICES : FEW_VOICES);
    return position >= warmAt && running.isUsed ? heard : undefined;
  }

  close(): void {
    this.#running?.stream.close();
    this.#running = undefined;
  }
}
