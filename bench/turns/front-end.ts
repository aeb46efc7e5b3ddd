import { CALL_HZ, MODEL_HZ } from "../../src/audio/format.ts";
import { floatToInt16 } from "../../src/audio/pcm16.ts";
import { resampleAll } from "../../src/audio/resampler.ts";
import { AudioInput } from "../../src/conversation/ear/audio-input.ts";
import { SuppressedStream } from "../../src/conversation/ear/front-end/suppressed-stream.ts";
import type { FrameEvent } from "../../src/conversation/turn/machine/turn-state.ts";
import type { NoiseSuppressionEngine } from "../../src/engines/enhancement/noise-suppressor.ts";
import type { VadEngine } from "../../src/engines/vad/voice-activity-detector.ts";
import { FaultBoundary } from "../../src/shared/fault-boundary.ts";
import type { HeardCall } from "./hearing.ts";

export interface FrontEnd {
  readonly vad: VadEngine;
  readonly noise: NoiseSuppressionEngine;
}

const CHUNK = CALL_HZ / 50;
export const raise = (error: unknown): never => {
  throw error;
};
/** Audio comes at once, so no timer is due. */
export const clock = { nowMs: () => 0, after: () => () => undefined };

/** A call at `MODEL_HZ` in the chunks of a client, 20 ms each. */
export function chunksOf(samples: Float32Array): readonly Int16Array[] {
  const call = resampleAll(samples, MODEL_HZ, CALL_HZ);
  const pcm = new Int16Array(call.length);
  floatToInt16(call, pcm);
  return Array.from({ length: Math.ceil(pcm.length / CHUNK) }, (_, at) => pcm.subarray(at * CHUNK, (at + 1) * CHUNK));
}

/** The caller's audio as the turn machine gets it, through the whole front end. */
export async function throughFrontEnd(
  samples: Float32Array,
  { vad, noise }: FrontEnd,
  suppresses: boolean,
): Promise<HeardCall> {
  const frames: FrameEvent[] = [];
  const scope = new AbortController();
  const input = new AudioInput({
    detector: vad.open(),
    suppression: { engine: noise, vad, isOn: () => suppresses },
    clock,
    signal: scope.signal,
    onFrame: (frame) => frames.push(frame) < 0,
    onFailure: raise,
    faults: new FaultBoundary(raise),
  });
  for (const [at, chunk] of chunksOf(samples).entries()) {
    input.push(chunk);
    if (at % 50 === 0) await new Promise((resolve) => setImmediate(resolve));
  }
  await new Promise((resolve) => setImmediate(resolve));
  scope.abort();
  return {
    frameMs: frames[0]?.frameMs ?? 0,
    probabilities: Float32Array.from(frames, ({ probability }) => probability),
    aboveNoiseDb: Float32Array.from(frames, ({ aboveNoiseDb = 0 }) => aboveNoiseDb),
    noiseFloorDbfs: Float32Array.from(frames, ({ noiseFloorDbfs = 0 }) => noiseFloorDbfs),
    over: async () => undefined,
    words: async () => [],
    save: () => undefined,
  };
}

/** The sound with its noise suppressed, aligned with `samples`. No session gives it to a recogniser. */
export function suppressedSound(samples: Float32Array, noise: NoiseSuppressionEngine): Float32Array {
  const out = new Float32Array(samples.length);
  const stream = new SuppressedStream(noise.open(), 0);
  const call = resampleAll(samples, MODEL_HZ, CALL_HZ);
  const silence = new Float32Array(CHUNK);
  let done = 0;
  for (let at = 0; done < out.length; at += CHUNK) {
    stream.push(at < call.length ? call.subarray(at, at + CHUNK) : silence);
    const until = Math.min(stream.end, out.length);
    if (until > done) stream.readInto(done, out.subarray(done, until));
    done = Math.max(done, until);
  }
  stream.close();
  return out;
}
