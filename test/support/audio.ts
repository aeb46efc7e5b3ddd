import { readFileSync } from "node:fs";
import { floatToPcm16 } from "../../src/audio/pcm16.ts";
import { resampleAll } from "../../src/audio/resampler.ts";
import { readWav } from "../../src/audio/wav.ts";

const WIRE_HZ = 24_000;
const BYTES_PER_MS = 48;
const CHUNK_BYTES = 100 * BYTES_PER_MS;

/** A clip of test/audio as wire audio. */
export function clip(name: string): Buffer {
  const { samples, sampleRateHz } = readWav(readFileSync(new URL(`../audio/${name}`, import.meta.url)));
  const wire = resampleAll(samples, sampleRateHz, WIRE_HZ);
  const pcm = Buffer.alloc(wire.length * 2);
  floatToPcm16(wire, pcm);
  return pcm;
}

export const silence = (seconds: number): Buffer => Buffer.alloc(Math.round(seconds * WIRE_HZ) * 2);

/** Sends wire audio at the pace it was spoken, in chunks of 100 ms. */
export async function inRealTime(pcm: Buffer, send: (chunk: Buffer) => void): Promise<void> {
  const startMs = performance.now();
  for (let at = 0; at < pcm.length; at += CHUNK_BYTES) {
    send(pcm.subarray(at, at + CHUNK_BYTES));
    const dueMs = startMs + (at + CHUNK_BYTES) / BYTES_PER_MS;
    await new Promise((resolve) => setTimeout(resolve, dueMs - performance.now()));
  }
}
