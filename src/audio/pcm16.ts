/**
 * PCM 16-bit little-endian <-> Float32 (-1 to 1), into arrays the caller owns.
 * Combines bytes by hand instead of an Int16Array view, because socket buffers start at odd offsets and the host's byte
 * order must not matter.
 */

/** Conversion is exact both ways: int16 / 32768 and back gives the same int16. */
const FULL_SCALE = 32768;

/** Writes `pcm.length / 2` samples to the start of `out`. @returns Their number. @throws RangeError on half a sample or too little room. */
export function pcm16ToFloat(pcm: Uint8Array, out: Float32Array): number {
  if (pcm.length % 2 !== 0) throw new RangeError(`PCM16 needs an even number of bytes, got ${pcm.length}`);
  const count = pcm.length / 2;
  if (out.length < count) throw new RangeError(`${count} samples do not fit into ${out.length}`);
  for (let i = 0; i < count; i++) {
    const low = pcm[2 * i]!;
    const high = pcm[2 * i + 1]!;
    out[i] = (((high << 24) | (low << 16)) >> 16) / FULL_SCALE;
  }
  return count;
}

/** Writes `samples.length * 2` bytes to the start of `out`, clamped; NaN becomes 0. @returns Their number. @throws RangeError on too little room. */
export function floatToPcm16(samples: Float32Array, out: Uint8Array): number {
  const bytes = samples.length * 2;
  if (out.length < bytes) throw new RangeError(`${bytes} bytes do not fit into ${out.length}`);
  for (let i = 0; i < samples.length; i++) {
    const scaled = Math.round(samples[i]! * FULL_SCALE);
    const value = scaled > 32767 ? 32767 : scaled < -32768 ? -32768 : scaled;
    out[2 * i] = value & 0xff;
    out[2 * i + 1] = (value >> 8) & 0xff;
  }
  return bytes;
}
