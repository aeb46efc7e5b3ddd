import { expect, test } from "vitest";
import { ArrivalPace } from "../../../src/audio/format-check/arrival-pace.ts";

/** The pace after chunks of `bytes`, each `intervals[i]` ms after the previous one. */
function paceOf(bytes: number, intervals: readonly number[]): number | undefined {
  const pace = new ArrivalPace();
  let nowMs = 5_000;
  pace.push(bytes, nowMs);
  for (const interval of intervals) pace.push(bytes, (nowMs += interval));
  return pace.value;
}
const times = (count: number, interval: number) => Array.from({ length: count }, () => interval);

test.each([
  [4800, 100, 1],
  [3200, 100, 2 / 3],
  [1600, 100, 1 / 3],
  [9600, 100, 2],
  [960, 20, 1],
  [8192, 256, 2 / 3],
])("chunks of %i bytes every %i ms are %f times real time", (bytes, intervalMs, expected) => {
  expect(paceOf(bytes, times(Math.ceil(1500 / intervalMs), intervalMs))).toBeCloseTo(expected, 2);
});

test("the pace is unknown before 1.4 s, after a pause, after a change and when all audio arrives at once", () => {
  expect(paceOf(3200, times(13, 100))).toBeUndefined();
  expect(paceOf(3200, [...times(20, 100), 900, ...times(5, 100)])).toBeUndefined();
  expect(paceOf(4800, [...times(10, 100), ...times(10, 150)])).toBeUndefined();
  expect(paceOf(4800, times(100, 0))).toBeUndefined();
});

test("a microphone's jitter does not hide its pace", () => {
  const late = [0, 12, -7, 9, -14, 3, 8, -11];
  const intervals = times(24, 100).map((interval, i) => interval + late[i % 8]! - (i === 0 ? 0 : late[(i - 1) % 8]!));
  expect(paceOf(3200, intervals)).toBeCloseTo(2 / 3, 1);
});

test("chunks of different sizes have no pace", () => {
  const pace = new ArrivalPace();
  for (let i = 0; i < 40; i += 1) pace.push(i % 2 === 0 ? 3200 : 3000, 100 * i);
  expect(pace.value).toBeUndefined();
});
