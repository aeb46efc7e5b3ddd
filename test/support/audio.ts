import { CALL_HZ } from "../../src/audio/format.ts";
import { readFileSync } from "node:fs";
import { floatToPcm16 } from "../../src/audio/pcm16.ts";
import { resampleAll } from "../../src/audio/resampler.ts";
import { readWav } from "../../src/audio/wav.ts";

/** A clip of test/audio as wire audio. */
export function clip(name: string): Buffer {
  const { samples, sampleRateHz } = readWav(readFileSync(new URL(`../audio/${name}`, import.meta.url)));
  const wire = resampleAll(samples, sampleRateHz, CALL_HZ);
  const pcm = Buffer.alloc(wire.length * 2);
  floatToPcm16(wire, pcm);
  return pcm;
}

export const silence = (seconds: number): Buffer => Buffer.alloc(Math.round(seconds * CALL_HZ) * 2);
