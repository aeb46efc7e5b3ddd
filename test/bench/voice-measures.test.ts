import { describe, expect, it } from "vitest";
import { melodyOf } from "../../bench/voice/melody.ts";
import { countClicks, isCut, speechLevel } from "../../bench/voice/waveform-measures.ts";

const HZ = 24_000;
/** A tone of a voice's harmonics with soft ends. */
const tone = (hz: number, seconds: number, level = 0.2): Float32Array =>
  Float32Array.from({ length: seconds * HZ }, (_, at) => {
    const harmonics = [1, 2, 3].reduce((sum, n) => sum + Math.sin((2 * Math.PI * n * hz * at) / HZ) / n, 0);
    const edge = Math.min(1, at / 2400, (seconds * HZ - 1 - at) / 2400);
    return level * edge ** 2 * harmonics;
  });

describe("the measures of a voice", () => {
  it("count a click and not the sound around it", () => {
    const clean = tone(200, 1);
    expect(countClicks(clean, HZ)).toBe(0);
    const clicked = Float32Array.from(clean, (sample, at) => (at === 12_000 ? sample + 0.4 : sample));
    expect(countClicks(clicked, HZ)).toBeGreaterThan(0);
  });

  it("tell a cut end from a soft one", () => {
    expect(isCut(tone(200, 1), HZ)).toBe(false);
    expect(isCut(tone(200, 1).subarray(0, HZ / 2), HZ)).toBe(true);
  });

  it("read levels in dB and pitches in semitones", () => {
    expect(speechLevel(tone(200, 1, 0.2)) - speechLevel(tone(200, 1, 0.1))).toBeCloseTo(6, 0);
    expect(melodyOf(tone(200, 1), HZ).center).toBeCloseTo(12, 0);
    expect(melodyOf(tone(200, 1), HZ).spread).toBeLessThan(0.5);
  });
});
