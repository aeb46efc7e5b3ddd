import { expect, test } from "vitest";
import { floatToPcm16, pcm16ToFloat } from "../../src/audio/pcm16.ts";

test("every int16 value survives the conversion to float and back", () => {
  const pcm = Buffer.alloc(65536 * 2);
  for (let i = 0; i < 65536; i++) pcm.writeInt16LE(i - 32768, 2 * i);
  const samples = new Float32Array(65536);
  expect(pcm16ToFloat(pcm, samples)).toBe(65536);
  expect(samples[0]).toBe(-1);
  expect(samples[32768]).toBe(0);
  const back = Buffer.alloc(pcm.length);
  expect(floatToPcm16(samples, back)).toBe(pcm.length);
  expect(back.equals(pcm)).toBe(true);
});

test("buffers at odd offsets read and write the same", () => {
  const whole = Buffer.from([0x99, 0x34, 0x12, 0xcc, 0xed]);
  const samples = new Float32Array(4).fill(7);
  expect(pcm16ToFloat(whole.subarray(1), samples)).toBe(2);
  expect(samples).toEqual(new Float32Array([0x1234 / 32768, -0x1234 / 32768, 7, 7]));
  const out = Buffer.alloc(6, 0xaa);
  floatToPcm16(samples.subarray(0, 2), out.subarray(1));
  expect(out).toEqual(Buffer.from([0xaa, 0x34, 0x12, 0xcc, 0xed, 0xaa]));
});

test("values beyond full scale are clamped, and NaN becomes silence", () => {
  const out = Buffer.alloc(12);
  floatToPcm16(new Float32Array([1, 2, -1, -3, Number.NaN, Number.POSITIVE_INFINITY]), out);
  expect([0, 2, 4, 6, 8, 10].map((at) => out.readInt16LE(at))).toEqual([32767, 32767, -32768, -32768, 0, 32767]);
});

test("half a sample and a buffer that is too small are refused", () => {
  expect(() => pcm16ToFloat(Buffer.alloc(3), new Float32Array(2))).toThrow(RangeError);
  expect(() => pcm16ToFloat(Buffer.alloc(4), new Float32Array(1))).toThrow(RangeError);
  expect(() => floatToPcm16(new Float32Array(2), Buffer.alloc(3))).toThrow(RangeError);
});
