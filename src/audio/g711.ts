/** G.711 (ITU-T): one byte a sample, mu-law and A-law. Samples are 16 bits; the laws keep 14 and 13 of them. */

export type G711Law = "ulaw" | "alaw";

/** Decoded samples by byte. */
const DECODED: Readonly<Record<G711Law, Int16Array>> = {
  ulaw: Int16Array.from({ length: 256 }, (_, byte) => decodeUlaw(byte)),
  alaw: Int16Array.from({ length: 256 }, (_, byte) => decodeAlaw(byte)),
};

/** Low bits of a sample that change no code, and codes by the bits above them. */
const DROPPED_BITS: Readonly<Record<G711Law, number>> = { ulaw: 2, alaw: 4 };
const CODES: Readonly<Record<G711Law, Uint8Array>> = {
  ulaw: codesOf("ulaw", encodeUlaw),
  alaw: codesOf("alaw", encodeAlaw),
};

export function decodeG711(law: G711Law, bytes: Uint8Array): Int16Array {
  const decoded = DECODED[law];
  const samples = new Int16Array(bytes.length);
  for (let at = 0; at < bytes.length; at++) samples[at] = decoded[bytes[at]!]!;
  return samples;
}

export function encodeG711(law: G711Law, samples: Int16Array): Uint8Array {
  const codes = CODES[law];
  const shift = DROPPED_BITS[law];
  const bytes = new Uint8Array(samples.length);
  for (let at = 0; at < samples.length; at++) bytes[at] = codes[(samples[at]! & 0xffff) >> shift]!;
  return bytes;
}

function codesOf(law: G711Law, encode: (sample: number) => number): Uint8Array {
  const shift = DROPPED_BITS[law];
  return Uint8Array.from({ length: 65_536 >> shift }, (_, index) => encode(((index << shift) << 16) >> 16));
}

/** A code holds a sign (1: positive), three bits of segment and four bits of step. Mu-law inverts all bits. */
function decodeUlaw(byte: number): number {
  const code = ~byte & 0xff;
  const magnitude = ((((code & 0x0f) << 3) + 0x84) << ((code >> 4) & 7)) - 0x84;
  return (code & 0x80) === 0 ? magnitude : -magnitude;
}

function encodeUlaw(sample: number): number {
  const magnitude = Math.min(((sample < 0 ? ~sample : sample) >> 2) + 33, 0x1fff);
  const segment = 26 - Math.clz32(magnitude);
  const code = (segment << 4) | ((magnitude >> (segment + 1)) & 0x0f);
  return ~(sample < 0 ? code | 0x80 : code) & 0xff;
}

/** A-law inverts every second bit. */
function decodeAlaw(byte: number): number {
  const code = byte ^ 0x55;
  const segment = (code >> 4) & 7;
  const step = ((code & 0x0f) << 4) + 8;
  const magnitude = segment === 0 ? step : (step + 0x100) << (segment - 1);
  return (code & 0x80) === 0 ? -magnitude : magnitude;
}

function encodeAlaw(sample: number): number {
  const magnitude = (sample < 0 ? ~sample : sample) >> 4;
  const segment = magnitude < 32 ? magnitude >> 4 : 28 - Math.clz32(magnitude);
  const step = magnitude >> Math.max(0, segment - 1);
  return ((segment << 4) | (step & 0x0f) | (sample < 0 ? 0 : 0x80)) ^ 0x55;
}
