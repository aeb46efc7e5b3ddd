import type { SuppressionRoom } from "./suppression-room.ts";

/** Noise suppression for one caller: holds the model's recurrent state. */
export interface NoiseSuppressor {
  readonly sampleRateHz: number;
  /** Samples each call takes. */
  readonly frameSamples: number;
  /** An output sample comes this many samples after its input. */
  readonly delaySamples: number;
  /** Suppresses the noise of one frame (mono, -1 to 1) in place; frames in order. On the calling thread, without allocation. */
  process(frame: Float32Array): void;
  close(): void;
}

/** One loaded model, many callers. */
export interface NoiseSuppressionEngine {
  /** Absent: there is room for all callers. */
  readonly room?: Pick<SuppressionRoom, "mayStart" | "mustStop">;
  open(): NoiseSuppressor;
}
