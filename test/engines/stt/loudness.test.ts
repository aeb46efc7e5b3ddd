import { expect, test } from "vitest";
import { MODEL_HZ } from "../../../src/audio/format.ts";
import { Loudness } from "../../../src/engines/stt/loudness.ts";

test("digital silence after the end of a sound has no voice", () => {
  const silence = new Float32Array(1.5 * MODEL_HZ);
  silence.set([0.1, -0.1, 0.05, -0.02]);
  expect(new Loudness(silence).voicedSeconds).toBeLessThan(0.05);
});

test("a DC offset does not hide the pauses of a voice", () => {
  const voice = Float32Array.from({ length: 2 * MODEL_HZ }, (_, at) => {
    const isVoiced = at % MODEL_HZ < MODEL_HZ / 2;
    return 0.09 + (isVoiced ? 0.1 * Math.sin(at / 8) : 0);
  });
  expect(new Loudness(voice).voicedSeconds).toBeCloseTo(1, 0);
});
