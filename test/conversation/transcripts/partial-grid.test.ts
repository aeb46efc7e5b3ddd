import { MODEL_HZ } from "../../../src/audio/format.ts";
import { expect, test } from "vitest";
import { PartialGrid } from "../../../src/conversation/transcripts/partial-grid.ts";

const at = (seconds: number) => Math.round(seconds * MODEL_HZ);

test("a partial is due every 0.2 s, and every 0.4 s in clips of 4 s or more", () => {
  const grid = new PartialGrid(at(1));
  const ends: number[] = [];
  for (let end = at(1); end <= at(7); end += 512) {
    const to = grid.next(at(1), end);
    if (to === undefined) continue;
    grid.begin(to);
    ends.push(Math.round((to * 10) / MODEL_HZ) / 10);
  }
  const steps = (from: number, to: number, step: number) =>
    Array.from({ length: Math.round((to - from) / step) + 1 }, (_, i) => Math.round((from + i * step) * 10) / 10);
  expect(ends).toEqual([...steps(1.2, 5, 0.2), ...steps(5.4, 6.6, 0.4)]);
});

test("missed partials of the last 0.8 s are still due, older ones are not", () => {
  const grid = new PartialGrid(0);
  expect(grid.next(0, at(0.5))).toBe(at(0.2));
  expect(grid.next(0, at(1.3))).toBe(at(0.4));
  grid.skipTo(at(0.7));
  expect(grid.next(0, at(1.1))).toBe(at(0.8));
});

test("a refused partial is due again for 0.8 s", () => {
  const grid = new PartialGrid(0);
  grid.begin(at(0.4));
  grid.refuse(at(0.4));
  expect(grid.next(0, at(1.1))).toBe(at(0.4));
  expect(grid.next(0, at(1.5))).toBe(at(0.6));
});
