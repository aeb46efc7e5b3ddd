import * as fc from "fast-check";
import { expect, test } from "vitest";
import { AudioIntake } from "../../../src/server/connection/audio-intake.ts";
import { TokenBucket } from "../../../src/shared/token-bucket.ts";

const limits = { audio_burst_seconds: 2, max_dropped_audio_seconds: 5 };

test("a day of audio from a sound card that is 1 % fast is not dropped", () => {
  const intake = new AudioIntake(limits, 0);
  const chunks = 24 * 36_000;
  for (let chunk = 0; chunk < chunks; chunk++) intake.offer(2_424, chunk * 100);
  expect(intake.acceptedSeconds).toBe((chunks * 2_424) / 24_000);
});

test("a chunk longer than the burst is dropped", () => {
  const intake = new AudioIntake(limits, 0);
  expect(intake.offer(48_001, 1e9)).toBe("drop");
  expect(intake.acceptedSeconds).toBe(0);
});

test("each 20 s reduce the total of dropped audio by 1 s", () => {
  const intake = new AudioIntake(limits, 0);
  const offer = (seconds: number, atSeconds: number) => intake.offer(seconds * 24_000, atSeconds * 1000);
  expect([offer(3, 0), offer(3, 19), offer(3, 20)]).toEqual(["drop", "close", "drop"]);
});

test("property: a bucket never grants more than its capacity and the elapsed time allow", () => {
  const step = fc.record({ amount: fc.nat(50), afterMs: fc.nat(500) });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 200 }), (steps) => {
      const bucket = new TokenBucket(40, 10, 0);
      let nowMs = 0;
      let taken = 0;
      for (const { amount, afterMs } of steps) {
        nowMs += afterMs;
        if (bucket.take(amount, nowMs)) taken += amount;
        expect(taken).toBeLessThanOrEqual(40 + (nowMs / 1000) * 10 + 1e-6);
      }
    }),
  );
});
