import * as fc from "fast-check";
import { expect, test } from "vitest";
import { SampleStream } from "../../src/audio/sample-stream.ts";

test("property: the cut of the bytes does not change the samples", () => {
  fc.assert(
    fc.property(fc.array(fc.uint8Array({ maxLength: 9 })), (parts) => {
      const stream = new SampleStream();
      const whole = Buffer.concat(parts);
      const samples = Array.from({ length: whole.length >> 1 }, (_, at) => whole.readInt16LE(2 * at));
      expect(parts.flatMap((part) => [...stream.take(part)])).toEqual(samples);
    }),
  );
});

test("half a sample can be forgotten", () => {
  const stream = new SampleStream();
  stream.take(Uint8Array.of(9));
  stream.forgetHalf();
  expect([...stream.take(Uint8Array.of(1, 0))]).toEqual([1]);
});
