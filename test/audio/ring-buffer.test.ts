import * as fc from "fast-check";
import { expect, test } from "vitest";
import { SampleRing } from "../../src/audio/ring-buffer.ts";

/** The sample at position n has the value n. */
const ramp = (from: number, length: number): Float32Array => Float32Array.from({ length }, (_, i) => from + i);

test("reads return the newest samples exactly and nothing older than the capacity", () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 40 }),
      fc.array(fc.integer({ min: 0, max: 90 }), { maxLength: 20 }),
      fc.integer({ min: -10, max: 2000 }),
      fc.integer({ min: -10, max: 2000 }),
      (capacity, chunks, from, to) => {
        const ring = new SampleRing(capacity);
        for (const length of chunks) ring.write(ramp(ring.end, length));
        const end = chunks.reduce((sum, length) => sum + length, 0);
        expect(ring.end).toBe(end);
        expect(ring.start).toBe(Math.max(0, end - capacity));
        expect(ring.read(ring.start, ring.end)).toEqual(ramp(ring.start, end - ring.start));
        const first = Math.max(from, ring.start);
        expect(ring.read(from, to)).toEqual(ramp(first, Math.max(0, Math.min(to, end) - first)));
      },
    ),
  );
});

test("readInto fills the whole target or nothing", () => {
  const ring = new SampleRing(8);
  ring.write(ramp(0, 5));
  ring.write(ramp(5, 6));
  const out = new Float32Array(4);
  expect(ring.readInto(5, out)).toBe(true);
  expect(out).toEqual(ramp(5, 4));
  expect(ring.readInto(7, out)).toBe(true);
  expect(out).toEqual(ramp(7, 4));
  expect(ring.readInto(8, out)).toBe(false);
  expect(ring.readInto(2, out)).toBe(false);
  expect(out).toEqual(ramp(7, 4));
});

test("a copy does not change when the ring is written again", () => {
  const ring = new SampleRing(4);
  ring.write(ramp(0, 4));
  const copy = ring.read(0, 4);
  ring.write(ramp(4, 4));
  expect(copy).toEqual(ramp(0, 4));
});

test("a ring without capacity is refused", () => {
  expect(() => new SampleRing(0)).toThrow(RangeError);
  expect(() => new SampleRing(1.5)).toThrow(RangeError);
});

test("a part is silenced as far as it is held", () => {
  const ring = new SampleRing(4);
  ring.write(Float32Array.of(1, 2, 3, 4, 5, 6));
  ring.silence(0, 4);
  expect([...ring.read(2, 6)]).toEqual([0, 0, 5, 6]);
  ring.silence(5, 99);
  ring.write(Float32Array.of(7));
  expect([...ring.read(3, 7)]).toEqual([0, 5, 0, 7]);
});

test("takes memory with the first samples", () => {
  const before = process.memoryUsage().arrayBuffers;
  const rings = Array.from({ length: 100 }, () => new SampleRing(1_000_000));
  expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(4_000_000);
  expect(rings.map((ring) => ring.read(0, 10).length)).toEqual(rings.map(() => 0));
});
