import { expect, test } from "vitest";
import { compareWithNaive, renderTable } from "../../bench/compare/comparison.ts";
import type { NaiveTurn } from "../../bench/compare/naive.ts";
import { summarise } from "../../src/simulated-callers/statistics.ts";
import { summariseStage } from "../../src/simulated-callers/summary.ts";

const answered: NaiveTurn = {
  turnOverMs: 550,
  transcriptMs: 1000,
  replyMs: 1200,
  speechMs: 1480,
  voiceToVoiceMs: 1500,
  words: 4,
  wordErrors: 1,
};
const cutOff: NaiveTurn = {
  turnOverMs: -200,
  transcriptMs: undefined,
  replyMs: undefined,
  speechMs: undefined,
  voiceToVoiceMs: undefined,
  words: 4,
  wordErrors: undefined,
};

test("a turn that the naive pipeline cut off has no delay and does not count as missed", () => {
  const pipeline = { ...summariseStage([], 1, {}).summary, voice_to_voice: summarise([900]) };
  const rows = compareWithNaive(pipeline, [answered, cutOff]);
  const named = (name: string) => rows.find((row) => row.name === name);
  expect(named("voice to voice, ms, p50")).toMatchObject({ pipeline: 900, other: 1500, ratio: 0.6 });
  expect(named("speech end to turn over")?.other).toBe(550);
  expect(named("word error rate, %")?.other).toBe(25);
  expect(named("false cut-offs")?.other).toBe(1);
  expect(named("turns missed")?.other).toBe(0);
  expect(renderTable(rows, "naive")).toMatch(/voice to voice, ms, p50 +900 +1500 +0\.60\n/u);
});
