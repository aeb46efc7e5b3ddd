import { expect, test } from "vitest";
import { EMOTIONS, isTracked, scoreEmotions } from "../../../src/conversation/ear/emotion-names.ts";
import { SHAPE_A_EMOTIONS, SHAPE_B_EMOTIONS, TRACKABLE_EMOTIONS } from "../../../src/doors/voice/emotions.ts";

const named = (names: readonly (string | undefined)[]): string[] =>
  names.filter((name) => name !== undefined).toSorted();

test("every name of both lists stands in exactly one row, and no label in two", () => {
  expect(named(EMOTIONS.map((emotion) => emotion.shapeA))).toEqual([...SHAPE_A_EMOTIONS].toSorted());
  expect(named(EMOTIONS.map((emotion) => emotion.shapeB))).toEqual([...SHAPE_B_EMOTIONS].toSorted());
  const labels = EMOTIONS.flatMap((emotion) => emotion.labels);
  expect(new Set(labels).size).toBe(labels.length);
});

test("every name a client may track tracks something", () => {
  for (const name of TRACKABLE_EMOTIONS) {
    expect(EMOTIONS.filter((emotion) => isTracked(emotion, [name]))).toHaveLength(1);
  }
});

test("labels of one emotion add up, unknown labels are left out, the rest is 0", () => {
  const scores = scoreEmotions({ Happy: 0.25, joy: 0.25, bored: 0.3, sad: 0.2 });
  const byName = new Map(scores.map(({ emotion, score }) => [emotion.shapeA ?? emotion.shapeB, score]));
  expect(byName.get("Joy")).toBe(0.5);
  expect(byName.get("Sadness")).toBe(0.2);
  expect([...byName.values()].filter((score) => score > 0)).toHaveLength(2);
});
