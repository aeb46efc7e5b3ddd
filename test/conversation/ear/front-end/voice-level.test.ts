import { expect, test } from "vitest";
import { VoiceLevel } from "../../../../src/conversation/ear/front-end/voice-level.ts";

test("the mean level of voices, by their power and time", () => {
  const level = new VoiceLevel();
  level.add(100, -20);
  level.add(300, -30);
  expect(level.levelDbfs).toBeCloseTo(10 * Math.log10((0.01 + 3 * 0.001) / 4), 9);
  const next = new VoiceLevel();
  next.add(400, -20);
  expect(level.levelWith(next)).toBeCloseTo(10 * Math.log10((0.01 + 3 * 0.001 + 4 * 0.01) / 8), 9);
  level.clear();
  expect(level.levelWith(next)).toBeCloseTo(-20, 9);
});
