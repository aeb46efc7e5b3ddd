import { CALL_HZ, MODEL_HZ } from "../../src/audio/format.ts";
import { readFileSync } from "node:fs";
import { floatToPcm16 } from "../../src/audio/pcm16.ts";
import { resampleAll } from "../../src/audio/resampler.ts";
import { readWav } from "../../src/audio/wav.ts";

/** A clip of test/audio as wire audio. */
export function clip(name: string): Buffer {
  const wire = samplesAt(CALL_HZ, name);
  const pcm = Buffer.alloc(wire.length * 2);
  floatToPcm16(wire, pcm);
  return pcm;
}

/** A clip of test/audio as samples for a model. */
export const clipSamples = (name: string): Float32Array => samplesAt(MODEL_HZ, name);

function samplesAt(rateHz: number, name: string): Float32Array {
  const { samples, sampleRateHz } = readWav(readFileSync(new URL(`../audio/${name}`, import.meta.url)));
  return resampleAll(samples, sampleRateHz, rateHz);
}

export const silence = (seconds: number): Buffer => Buffer.alloc(Math.round(seconds * CALL_HZ) * 2);
