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

test("a voice without a frame changes nothing", () => {
  const level = new VoiceLevel();
  level.add(100, -20);
  level.join(new VoiceLevel());
  expect([level.voicedMs, level.levelDbfs]).toEqual([100, -20]);
});

test("two voices together are as loud as their frames together", () => {
  const [one, both] = [new VoiceLevel(), new VoiceLevel()];
  const other = new VoiceLevel();
  one.add(100, -20);
  other.add(300, -30);
  both.add(100, -20);
  both.add(300, -30);
  const before = one.levelWith(other);
  one.join(other);
  expect([one.voicedMs, one.levelDbfs, before]).toEqual([400, both.levelDbfs, both.levelDbfs]);
});
