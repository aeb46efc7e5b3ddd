import * as fc from "fast-check";
import { expect, test } from "vitest";
import { Framer } from "../../src/audio/framer.ts";

test("any chunks give the same frames, in order, and keep the rest", () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 30 }), fc.array(fc.integer({ min: 0, max: 100 })), (frameSamples, chunks) => {
      const framer = new Framer(frameSamples);
      const seen: number[] = [];
      let position = 0;
      for (const length of chunks) {
        const chunk = Float32Array.from({ length }, (_, i) => position + i);
        position += length;
        framer.push(chunk, (frame) => {
          expect(frame.length).toBe(frameSamples);
          seen.push(...frame);
        });
      }
      expect(seen).toEqual(Array.from({ length: position - (position % frameSamples) }, (_, i) => i));
      expect(framer.pendingSamples).toBe(position % frameSamples);
    }),
  );
});

test("reset drops the half-filled frame", () => {
  const framer = new Framer(3);
  const frames: number[][] = [];
  framer.push(new Float32Array([1, 2]), (frame) => frames.push([...frame]));
  framer.reset();
  framer.push(new Float32Array([3, 4, 5]), (frame) => frames.push([...frame]));
  expect(frames).toEqual([[3, 4, 5]]);
});
