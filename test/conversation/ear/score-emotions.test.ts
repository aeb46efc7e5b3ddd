import { expect, test } from "vitest";
import { EMOTIONS, scoreEmotions } from "../../../src/conversation/ear/score-emotions.ts";
import { SHAPE_A_EMOTIONS, SHAPE_B_EMOTIONS, TRACKABLE_EMOTIONS } from "../../../src/config/settings/emotion-names.ts";

test("each name of both lists is in exactly one row, and no label is in two rows", () => {
  const names = EMOTIONS.flatMap((emotion) => emotion.names);
  const listed = new Set([...SHAPE_A_EMOTIONS.map((name) => name.toLowerCase()), ...SHAPE_B_EMOTIONS]);
  expect(names.toSorted()).toEqual([...listed].toSorted());
  const labels = EMOTIONS.flatMap((emotion) => emotion.labels);
  expect(new Set(labels).size).toBe(labels.length);
});

test("each emotion name that a client may track has at least one label", () => {
  for (const name of TRACKABLE_EMOTIONS) expect(scoreEmotions({}, [name])).toHaveLength(1);
});

test("scores of labels of one emotion are added, unknown labels are ignored, other emotions are 0", () => {
  const scores = scoreEmotions({ Happy: 0.25, joy: 0.25, bored: 0.3, sad: 0.2 }, []);
  const byName = new Map(scores.map(({ names, score }) => [names[0], score]));
  expect(byName.get("joy")).toBe(0.5);
  expect(byName.get("sadness")).toBe(0.2);
  expect([...byName.values()].filter((score) => score > 0)).toHaveLength(2);
});
