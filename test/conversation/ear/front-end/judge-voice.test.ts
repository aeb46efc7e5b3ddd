import { expect, test } from "vitest";
import { isCallersShort, judgeVoice, type VoiceCheck } from "../../../../src/conversation/ear/front-end/judge-voice.ts";

const check = (values: Partial<VoiceCheck>) =>
  judgeVoice({ score: 0.7, belowDb: 0, voicedMs: 832, isOver: false, refusedMs: 0, refusedBelowDb: 0, ...values });

test.each([
  ["a voice like the caller's", {}, "caller"],
  ["an unsure score", { score: 0.5 }, { checkAtMs: 1216 }],
  ["an unsure score at the second check", { score: 0.5, voicedMs: 1216 }, { checkAtMs: 1632 }],
  ["a higher score at the last check", { score: 0.56, voicedMs: 1632 }, "caller"],
  [
    "the same score, far below the caller's level",
    { score: 0.56, voicedMs: 1632, belowDb: 6, refusedBelowDb: 6 },
    "other",
  ],
  ["an unsure score, and the voice has stopped", { score: 0.45, isOver: true }, "caller"],
  [
    "the same score, and the voice has stopped later",
    { score: 0.45, voicedMs: 1700, belowDb: 6, isOver: true },
    "other",
  ],
  ["a strange voice, far below", { score: 0.3, belowDb: 6, refusedBelowDb: 6 }, "other"],
  ["a strange voice as loud as the caller", { score: 0.1 }, { checkAtMs: 2200 }],
  ["a strange voice as loud as the caller for long", { score: 0.1, voicedMs: 2200 }, "new caller"],
  [
    "a strange voice after refused voices near the caller's level",
    { score: 0.1, belowDb: 3, refusedMs: 1300, refusedBelowDb: 1 },
    "new caller",
  ],
  [
    "a strange voice after refused voices that were quieter",
    { score: 0.1, belowDb: 0, refusedMs: 1300, refusedBelowDb: 2 },
    "other",
  ],
  ["a strange voice after too little refused voice", { score: 0.1, refusedMs: 1100, refusedBelowDb: 0 }, "other"],
  ["a short strange voice as loud as the caller", { score: 0.1, voicedMs: 1000, isOver: true }, "other"],
] as const)("%s", (_, values, verdict) => {
  expect(check(values)).toEqual(verdict);
});

test("a voice without a score is judged by its level", () => {
  expect([0, 8, 10].map((belowDb) => isCallersShort(belowDb, false))).toEqual([true, true, false]);
  expect([0, 3, 5].map((belowDb) => isCallersShort(belowDb, true))).toEqual([true, true, false]);
});
