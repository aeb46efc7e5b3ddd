import { MODEL_HZ } from "../../../src/audio/format.ts";
import { expect, test } from "vitest";
import { PartialGrid } from "../../../src/conversation/transcripts/partial-grid.ts";

const at = (seconds: number) => Math.round(seconds * MODEL_HZ);

test("a partial is due every 0.4 s, and every 0.8 s in clips of 4 s or more", () => {
  const grid = new PartialGrid(at(1));
  const ends: number[] = [];
  for (let end = at(1); end <= at(7); end += 512) {
    const to = grid.next(at(1), end);
    if (to === undefined) continue;
    grid.begin(to);
    ends.push(Math.round((to * 10) / MODEL_HZ) / 10);
  }
  expect(ends).toEqual([1.4, 1.8, 2.2, 2.6, 3, 3.4, 3.8, 4.2, 4.6, 5, 5.8, 6.6]);
});

test("missed partials of the last 1.6 s are still due, older ones are not", () => {
  const grid = new PartialGrid(0);
  expect(grid.next(0, at(0.9))).toBe(at(0.4));
  expect(grid.next(0, at(2.5))).toBe(at(0.8));
  grid.skipTo(at(1.3));
  expect(grid.next(0, at(2.1))).toBe(at(1.6));
});

test("a refused partial is due again for 1.6 s", () => {
  const grid = new PartialGrid(0);
  grid.begin(at(0.8));
  grid.refuse(at(0.8));
  expect(grid.next(0, at(2.3))).toBe(at(0.8));
  expect(grid.next(0, at(2.8))).toBe(at(1.2));
});
