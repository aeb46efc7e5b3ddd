/** PCM 16-bit <-> Float32 (-1 to 1), into arrays that the caller owns. Bytes are little-endian. */

/** Exact both ways: int16 / 32768 and back gives the same int16. */
const FULL_SCALE = 32768;

/**
 * The samples of PCM bytes: a view where the bytes are aligned, a copy where a socket's buffer begins at an odd offset.
 * Every platform that the engines run on is little-endian. Throws RangeError on half a sample.
 */
export function samplesOf(pcm: Uint8Array): Int16Array {
  if (pcm.length % 2 !== 0) throw new RangeError(`PCM16 needs an even number of bytes, got ${pcm.length}`);
  const { buffer, byteOffset } = pcm.byteOffset % 2 === 0 ? pcm : new Uint8Array(pcm);
  return new Int16Array(buffer, byteOffset, pcm.length / 2);
}

/** Writes to the start of `out` and returns the number of samples. Throws RangeError on too little room. */
export function int16ToFloat(samples: Int16Array, out: Float32Array): number {
  if (out.length < samples.length) throw new RangeError(`${samples.length} samples do not fit into ${out.length}`);
  for (let at = 0; at < samples.length; at++) out[at] = samples[at]! / FULL_SCALE;
  return samples.length;
}

/** Writes to the start of `out` and returns the number of samples. Clamps; NaN becomes 0. Throws RangeError on too little room. */
export function floatToInt16(samples: Float32Array, out: Int16Array): number {
  if (out.length < samples.length) throw new RangeError(`${samples.length} samples do not fit into ${out.length}`);
  for (let at = 0; at < samples.length; at++) out[at] = toInt16(samples[at]!);
  return samples.length;
}

/** `int16ToFloat` for bytes. Throws RangeError on half a sample too. */
export const pcm16ToFloat = (pcm: Uint8Array, out: Float32Array): number => int16ToFloat(samplesOf(pcm), out);

/** `floatToInt16` for bytes, of which it returns the number. They may begin at an odd offset. */
export function floatToPcm16(samples: Float32Array, out: Uint8Array): number {
  const bytes = samples.length * 2;
  if (out.length < bytes) throw new RangeError(`${bytes} bytes do not fit into ${out.length}`);
  for (let at = 0; at < samples.length; at++) {
    const value = toInt16(samples[at]!);
    out[2 * at] = value & 0xff;
    out[2 * at + 1] = (value >> 8) & 0xff;
  }
  return bytes;
}

function toInt16(sample: number): number {
  const scaled = Math.round(sample * FULL_SCALE);
  return scaled > 32767 ? 32767 : scaled < -32768 ? -32768 : scaled;
}
