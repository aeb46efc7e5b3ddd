import { expect, test } from "vitest";
import { loadWanted } from "../../../src/operator/rehearse/wanted.ts";

test("each entry applies from its number of callers upwards", () => {
  const wanted = loadWanted();
  expect(wanted(1)["beyond_silence_threshold.p50"]).toBe(800);
  expect(wanted(2)["beyond_silence_threshold.p50"]).toBe(1_200);
  expect(wanted(16)).toEqual(wanted(2));
  expect(wanted(0)).toEqual({});
});
