import { float16 } from "./float16.ts";

/** One of ggml's ways to store weights. */
export interface Packing {
  /** Its number in model files. */
  readonly id: number;
  /** Weights of one block. Rows are whole blocks. */
  readonly weights: number;
  readonly bytes: number;
  /** Whole blocks. All of them share one scale, which is enough for weights of one magnitude. */
  encode(values: Float32Array): Buffer;
}

export type PackingName = "f32" | "f16" | "q5_0" | "q5_1" | "q8_0" | "q4_k" | "q6_k";

/** @param encodeBlock `at`: of the block's first byte in `to`; `from`: of its first value in `values`. */
function packing(
  id: number,
  weights: number,
  bytes: number,
  encoder: (values: Float32Array) => (to: Buffer, at: number, from: number) => void,
): Packing {
  const encode = (values: Float32Array) => {
    const blocks = values.length / weights;
    const to = Buffer.alloc(blocks * bytes);
    const encodeBlock = encoder(values);
    for (let block = 0; block < blocks; block += 1) encodeBlock(to, block * bytes, block * weights);
    return to;
  };
  return { id, weights, bytes, encode };
}

export const PACKINGS: Readonly<Record<PackingName, Packing>> = {
  f32: packing(0, 1, 4, (values) => (to, at, from) => void to.writeFloatLE(values[from] ?? 0, at)),
  f16: packing(1, 1, 2, (values) => (to, at, from) => void to.writeUInt16LE(float16(values[from] ?? 0), at)),
  q5_0: packing(6, 32, 22, (values) => {
    const scale = largest(values) / 15;
    const level = levels(values, scale, -16 * scale, 31);
    return (to, at, from) => {
      to.writeUInt16LE(float16(scale), at);
      fiveBits(to, at + 2, (index) => level(from + index));
    };
  }),
  q5_1: packing(7, 32, 24, (values) => {
    const [least, most] = range(values);
    const scale = (most - least) / 31;
    const level = levels(values, scale, least, 31);
    return (to, at, from) => {
      to.writeUInt16LE(float16(scale), at);
      to.writeUInt16LE(float16(least), at + 2);
      fiveBits(to, at + 4, (index) => level(from + index));
    };
  }),
  q8_0: packing(8, 32, 34, (values) => {
    const scale = largest(values) / 127;
    const level = levels(values, scale, -128 * scale, 255);
    return (to, at, from) => {
      to.writeUInt16LE(float16(scale), at);
      for (let index = 0; index < 32; index += 1) to.writeInt8(level(from + index) - 128, at + 2 + index);
    };
  }),
  q4_k: packing(12, 256, 144, (values) => {
    const [least, most] = range(values);
    const scale = (most - least) / 15;
    const level = levels(values, scale, least, 15);
    return (to, at, from) => {
      to.writeUInt16LE(float16(scale), at);
      to.writeUInt16LE(float16(-least), at + 2);
      // Eight scales and eight minima of 6 bits, all of them 1.
      to.fill(1, at + 4, at + 12).fill(0x11, at + 12, at + 16);
      for (let group = 0; group < 4; group += 1)
        for (let index = 0; index < 32; index += 1) {
          const low = from + 64 * group + index;
          to[at + 16 + 32 * group + index] = level(low) | (level(low + 32) << 4);
        }
    };
  }),
  q6_k: packing(14, 256, 210, (values) => {
    const scale = largest(values) / 31;
    const level = levels(values, scale, -32 * scale, 63);
    return (to, at, from) => {
      for (let half = 0; half < 2; half += 1)
        for (let index = 0; index < 32; index += 1) {
          const first = from + 128 * half + index;
          const [a, b, c, d] = [level(first), level(first + 32), level(first + 64), level(first + 96)];
          to[at + 64 * half + index] = (a & 15) | ((c & 15) << 4);
          to[at + 64 * half + index + 32] = (b & 15) | ((d & 15) << 4);
          to[at + 128 + 32 * half + index] = (a >> 4) | ((b >> 4) << 2) | ((c >> 4) << 4) | ((d >> 4) << 6);
        }
      to.fill(1, at + 192, at + 208);
      to.writeUInt16LE(float16(scale), at + 208);
    };
  }),
};

/** The number of steps of `scale` above `least`, for each value. */
function levels(values: Float32Array, scale: number, least: number, most: number): (index: number) => number {
  const perStep = scale === 0 ? 0 : 1 / scale;
  return (index) => Math.max(0, Math.min(most, Math.round(((values[index] ?? 0) - least) * perStep)));
}

function fiveBits(to: Buffer, at: number, level: (index: number) => number): void {
  let high = 0;
  for (let index = 0; index < 16; index += 1) {
    const [low, upper] = [level(index), level(index + 16)];
    to[at + 4 + index] = (low & 15) | ((upper & 15) << 4);
    high |= ((low >> 4) << index) | ((upper >> 4) << (index + 16));
  }
  to.writeInt32LE(high, at);
}

function range(values: Float32Array): readonly [least: number, most: number] {
  let [least, most] = [0, 0];
  for (const value of values) {
    least = Math.min(least, value);
    most = Math.max(most, value);
  }
  return [least, most];
}

function largest(values: Float32Array): number {
  const [least, most] = range(values);
  return Math.max(-least, most);
}
