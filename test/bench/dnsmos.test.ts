import { expect, it } from "vitest";
import { betweenSilences } from "../../bench/models/dnsmos.ts";

const SILENCE = 3200;

it("gives speech equal silences, whatever silence it had", () => {
  const speech = Float32Array.of(0.1, 0, -0.2);
  const ours = betweenSilences(speech);
  expect([...ours.subarray(SILENCE, -SILENCE)]).toEqual([...speech]);
  expect(ours.subarray(0, SILENCE).every((sample) => sample === 0)).toBe(true);
  expect(betweenSilences(Float32Array.of(...new Float32Array(900), ...speech, 0.002))).toEqual(ours);
});

it("accepts sound without speech", () => {
  expect(betweenSilences(new Float32Array(5))).toEqual(new Float32Array(2 * SILENCE));
});
