import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { decodeG711, encodeG711 } from "../../src/audio/g711.ts";
import { toneResidueDb } from "./signals.ts";

const LAWS = ["ulaw", "alaw"] as const;
const int16 = fc.integer({ min: -32768, max: 32767 });

const decodeOne = (law: "ulaw" | "alaw", byte: number) => decodeG711(law, Uint8Array.of(byte))[0]!;
const encodeOne = (law: "ulaw" | "alaw", sample: number) => encodeG711(law, Int16Array.of(sample))[0]!;

/** Decoder outputs of ITU-T G.711, tables 1a to 2b, at the ends of the segments, scaled to 16 bits: mu-law by 4, A-law by 8. */
const ULAW_VALUES = [0, 2, 30, 33, 93, 99, 219, 231, 471, 495, 975, 1023, 1983, 2079, 3999, 4191, 8031];
const ALAW_VALUES = [1, 31, 33, 63, 66, 126, 132, 252, 264, 504, 528, 1008, 1056, 2016, 2112, 4032];

test("the decoders give the values of the standard's tables", () => {
  const positive = (law: "ulaw" | "alaw", bytes: readonly number[]) => bytes.map((byte) => decodeOne(law, byte));
  const ulaw = positive(
    "ulaw",
    Array.from({ length: 128 }, (_, n) => 0xff - n),
  );
  const alaw = positive(
    "alaw",
    Array.from({ length: 128 }, (_, n) => (0x80 + n) ^ 0x55),
  );
  for (const value of ULAW_VALUES) expect(ulaw).toContain(value * 4);
  for (const value of ALAW_VALUES) expect(alaw).toContain(value * 8);
  expect(ulaw[127]).toBe(8031 * 4);
  expect(alaw[127]).toBe(4032 * 8);
  for (const values of [ulaw, alaw]) expect(values).toEqual(values.toSorted((a, b) => a - b));
});

test("the known codes of silence and of full scale", () => {
  expect(encodeOne("ulaw", 0)).toBe(0xff);
  expect(encodeOne("ulaw", 32767)).toBe(0x80);
  expect(encodeOne("ulaw", -32768)).toBe(0x00);
  expect(encodeOne("alaw", 0)).toBe(0xd5);
  expect(encodeOne("alaw", 32767)).toBe(0xaa);
  expect(encodeOne("alaw", -32768)).toBe(0x2a);
});

test.each([
  ["ulaw", [0x1e, 0x0b, 0x0b, 0x1e, 0x9e, 0x8b, 0x8b, 0x9e], 3.17],
  ["alaw", [0x34, 0x21, 0x21, 0x34, 0xb4, 0xa1, 0xa1, 0xb4], 3.14],
] as const)(
  "%s: the reference sequence of the standard (tables 5 and 6) is 1 kHz at 0 dBm0",
  (law, period, overloadDb) => {
    const bytes = Uint8Array.from({ length: 800 }, (_, at) => period[at % 8]!);
    const samples = Float32Array.from(decodeG711(law, bytes));
    expect(toneResidueDb(samples, 1000, 8000)).toBeLessThan(-35);
    const overload = law === "ulaw" ? 8159 * 4 : 4096 * 8;
    const amplitude = Math.sqrt((2 * samples.reduce((sum, sample) => sum + sample * sample, 0)) / samples.length);
    expect(20 * Math.log10(overload / amplitude)).toBeCloseTo(overloadDb, 1);
  },
);

describe.each(LAWS)("%s", (law) => {
  test("every code survives decoding and encoding, except the second zero of mu-law", () => {
    for (let byte = 0; byte < 256; byte++) {
      const isSecondZero = law === "ulaw" && byte === 0x7f;
      expect(encodeOne(law, decodeOne(law, byte))).toBe(isSecondZero ? 0xff : byte);
    }
  });

  test("the error is at most half a step of the code's segment, and the low bits that the law drops", () => {
    const [inverted, finest, dropped] = law === "ulaw" ? [0xff, 4, 3] : [0x55, 8, 15];
    // The end of the range of mu-law; larger samples become its largest value.
    const inRange = fc.integer({ min: -32635, max: 32635 });
    fc.assert(
      fc.property(inRange, (sample) => {
        const byte = encodeOne(law, sample);
        const segment = ((byte ^ inverted) >> 4) & 7;
        const halfStep = law === "ulaw" ? finest << segment : finest << Math.max(0, segment - 1);
        expect(Math.abs(decodeOne(law, byte) - sample)).toBeLessThanOrEqual(halfStep + dropped);
      }),
    );
  });

  test("a larger sample never becomes a smaller one", () => {
    fc.assert(
      fc.property(int16, int16, (one, other) => {
        const [low, high] = one < other ? [one, other] : [other, one];
        expect(decodeOne(law, encodeOne(law, low))).toBeLessThanOrEqual(decodeOne(law, encodeOne(law, high)));
      }),
    );
  });

  test("speech is 35 dB above the error of its steps", () => {
    const samples = Int16Array.from({ length: 8000 }, (_, at) => 8000 * Math.sin((2 * Math.PI * 440 * at) / 8000));
    const back = Float32Array.from(decodeG711(law, encodeG711(law, samples)));
    expect(toneResidueDb(back, 440, 8000)).toBeLessThan(-35);
  });
});
