import { samplesOf } from "../../src/audio/pcm16.ts";
import { WireDecoder, WireEncoder, type WireFormat } from "../../src/audio/wire-audio.ts";

/** Audio at the rate of a call in the format of a telephone. */
export function asPhoneAudio(pcm: Buffer, format: WireFormat): Buffer {
  const encoder = new WireEncoder(format);
  return Buffer.concat([encoder.encode(samplesOf(pcm)), encoder.flush()]);
}

/** RMS level of a telephone's audio, 0 to 1. */
export function phoneLevel(frames: readonly Buffer[], format: WireFormat): number {
  const samples = new WireDecoder(format).decode(Buffer.concat(frames));
  return Math.sqrt(samples.reduce((sum, sample) => sum + (sample / 32_768) ** 2, 0) / Math.max(1, samples.length));
}
