import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { DEFAULT_SETTINGS } from "../../../../src/config/settings/session-settings.ts";
import {
  scorePause,
  type EndOfTurnPolicy,
  type PauseEvidence,
} from "../../../../src/conversation/turn/evidence/end-of-turn.ts";
import { learnPause, learnTurn, NO_HABITS } from "../../../../src/conversation/turn/evidence/habits.ts";
import { turnPolicy } from "../../../../src/conversation/turn/evidence/policy.ts";
import { UNKNOWN_RATE } from "../../../../src/conversation/turn/evidence/speaking-rate.ts";

type Settings = typeof DEFAULT_SETTINGS.turnDetection;

const policyOf = (settings: Partial<Settings> = {}) => turnPolicy({ ...DEFAULT_SETTINGS.turnDetection, ...settings });

const evidence = (part: Partial<PauseEvidence> = {}): PauseEvidence => ({
  silentMs: 400,
  turnMs: 3000,
  probability: undefined,
  unfinished: false,
  wordOdds: 0,
  leastWaitMs: 0,
  habits: NO_HABITS,
  rate: UNKNOWN_RATE,
  ...part,
});

const endWaitMs = (known: PauseEvidence, policy: EndOfTurnPolicy) => scorePause(known, policy).waitMs;

describe("natural_pauses", () => {
  test("waits less than silence_threshold after finished speech, more after unfinished speech", () => {
    const policy = policyOf();
    expect(endWaitMs(evidence({ probability: 0.98 }), policy)).toBeLessThan(400);
    expect(endWaitMs(evidence({ probability: 0.1 }), policy)).toBeGreaterThan(900);
  });

  test("waits at most 1.5 s more, and 2.2 s in all, when more speech is expected", () => {
    const longest = (settings: Partial<Settings>) => endWaitMs(evidence({ probability: 0.001 }), policyOf(settings));
    expect(longest({ silenceThresholdMs: 500 })).toBe(2000);
    expect(longest({ silenceThresholdMs: 1000 })).toBe(2200);
    expect(longest({ silenceThresholdMs: 3000 })).toBe(3000);
  });

  test("waits at most 1.5 thresholds when the turn is more likely finished than not", () => {
    const policy = policyOf();
    for (const probability of [0.51, 0.7, 0.9])
      expect(endWaitMs(evidence({ probability }), policy)).toBeLessThanOrEqual(750);
    expect(endWaitMs(evidence({ probability: 0.49 }), policy)).toBeGreaterThan(1000);
  });

  test("waits at most 1.35 thresholds after a brief answer to a question, however it sounded", () => {
    const yes = evidence({ probability: 0.03, turnMs: 400 });
    const asked = turnPolicy(DEFAULT_SETTINGS.turnDetection, "answer");
    const spelling = turnPolicy(DEFAULT_SETTINGS.turnDetection, "dictation");
    expect(endWaitMs(yes, asked)).toBeLessThanOrEqual(675);
    expect(endWaitMs({ ...yes, wordOdds: -1 }, asked)).toBeLessThanOrEqual(675);
    for (const waitMs of [
      endWaitMs(yes, policyOf()),
      endWaitMs(yes, spelling),
      endWaitMs({ ...yes, unfinished: true }, asked),
      endWaitMs({ ...yes, turnMs: 1500 }, asked),
    ])
      expect(waitMs).toBe(2000);
    const sure = { ...yes, probability: 0.98 };
    expect(endWaitMs(sure, asked)).toBe(endWaitMs(sure, policyOf()));
  });

  test("waits for another group of a dictated number, within the longest wait", () => {
    const sure = evidence({ probability: 0.98, leastWaitMs: 1400 });
    expect(endWaitMs(sure, policyOf())).toBe(1400);
    expect(endWaitMs({ ...sure, leastWaitMs: 5000 }, policyOf())).toBe(2000);
    expect(endWaitMs(sure, policyOf({ naturalPauses: false }))).toBe(500);
  });

  test("waits longer after slow speech, but not more than 1.5 thresholds when the turn is more likely finished", () => {
    const slow = { ...UNKNOWN_RATE, syllables: UNKNOWN_RATE.syllables / 2 };
    expect(endWaitMs(evidence({ probability: 0.7, rate: slow }), policyOf())).toBeLessThanOrEqual(750);
    expect(endWaitMs(evidence({ probability: 0.98, rate: slow }), policyOf())).toBeGreaterThan(
      endWaitMs(evidence({ probability: 0.98 }), policyOf()),
    );
  });

  test("waits longer after words that cannot end a sentence, even when the voice sounded finished", () => {
    const { waitMs, confidence, expectsMore } = scorePause(
      evidence({ probability: 0.99, unfinished: true }),
      policyOf(),
    );
    expect(waitMs).toBeGreaterThan(1000);
    expect(confidence).toBeLessThan(0.5);
    expect(expectsMore).toBe(true);
  });

  test("waits longer after words that rarely end a turn, and ends that turn as incomplete", () => {
    const { waitMs, expectsMore } = scorePause(evidence({ probability: 0.99, wordOdds: -2.5 }), policyOf());
    expect(waitMs).toBeGreaterThan(1000);
    expect(expectsMore).toBe(true);
  });

  test("off: only silence counts", () => {
    const policy = policyOf({ naturalPauses: false });
    expect(endWaitMs(evidence({ probability: 0.02, unfinished: true }), policy)).toBe(500);
  });

  test("waits a second more after words that cannot end a sentence when there is no model", () => {
    expect(endWaitMs(evidence({ unfinished: true }), policyOf())).toBe(1500);
    expect(endWaitMs(evidence(), policyOf())).toBe(500);
  });

  test("property: a higher probability never lengthens the wait, which stays between its limits", () => {
    const policy = policyOf({ mode: "adaptive" });
    fc.assert(
      fc.property(fc.double({ min: 0, max: 1, noNaN: true }), fc.double({ min: 0, max: 1, noNaN: true }), (a, b) => {
        const [less, more] = [Math.min(a, b), Math.max(a, b)].map((probability) =>
          endWaitMs(evidence({ probability }), policy),
        ) as [number, number];
        expect(more).toBeLessThanOrEqual(less);
        expect(more).toBeGreaterThanOrEqual(0.15 * policy.silenceMs);
        expect(less).toBeLessThanOrEqual(policy.longestSilenceMs);
      }),
    );
  });
});

describe("adaptive", () => {
  const slow = Array.from({ length: 30 }).reduce<typeof NO_HABITS>((habits) => learnPause(habits, 1200), NO_HABITS);
  const quick = Array.from({ length: 30 }).reduce<typeof NO_HABITS>((habits) => learnPause(habits, 250), NO_HABITS);

  test("a pause longer than the caller's usual ones shortens the wait to no less than 0.64 of it", () => {
    const wait = (habits: typeof NO_HABITS) =>
      endWaitMs(evidence({ silentMs: 2000, habits }), policyOf({ mode: "adaptive", naturalPauses: false }));
    expect(wait(quick) / wait(NO_HABITS)).toBeCloseTo(0.64, 2);
  });

  test("waits longer for a caller with long pauses and shorter for one with short pauses", () => {
    const policy = policyOf({ mode: "adaptive" });
    const wait = (habits: typeof NO_HABITS) => endWaitMs(evidence({ probability: 0.93, habits }), policy);
    expect(wait(slow)).toBeGreaterThan(wait(NO_HABITS));
    expect(wait(quick)).toBeLessThan(wait(NO_HABITS));
  });

  test("the other modes learn nothing", () => {
    const wait = (habits: typeof NO_HABITS) => endWaitMs(evidence({ probability: 0.93, habits }), policyOf());
    expect(wait(slow)).toBe(wait(NO_HABITS));
  });

  test("waits longer in the middle of turns when the caller's turns have similar lengths, not when they vary", () => {
    const policy = policyOf({ mode: "adaptive" });
    const after = (lengths: readonly number[]) => lengths.reduce((habits, ms) => learnTurn(habits, ms), NO_HABITS);
    const wait = (habits: typeof NO_HABITS) => endWaitMs(evidence({ probability: 0.93, habits, turnMs: 3000 }), policy);
    expect(wait(after([12_000, 13_000, 12_500, 13_500, 12_000]))).toBeGreaterThan(1.5 * wait(NO_HABITS));
    expect(wait(after([1000, 9000, 2000, 800, 14_000]))).toBeCloseTo(wait(NO_HABITS), -1);
  });
});

test("the confidence of silence alone grows with its length", () => {
  const confidence = (silentMs: number) => scorePause(evidence({ silentMs }), policyOf()).confidence;
  expect(confidence(200)).toBeLessThan(0.75);
  expect(confidence(1500)).toBeGreaterThan(0.9);
});

test.each([
  ["aggressive", 300],
  ["standard", 500],
  ["adaptive", 500],
  ["conservative", 800],
] as const)("mode %s: a plain silence of %i ms ends the turn", (mode, waitMs) => {
  expect(endWaitMs(evidence(), policyOf({ mode }))).toBe(waitMs);
});

test("context_awareness: waits less after a yes-or-no question and more after a question for a number, when enabled", () => {
  const contextAwareness = { enabled: true, conversationStyle: "", userPreferences: "" };
  const settings = { ...DEFAULT_SETTINGS.turnDetection, contextAwareness };
  const waits = (["brief", "anything", "dictation"] as const).map((expectation) =>
    endWaitMs(evidence(), turnPolicy(settings, expectation)),
  );
  expect(waits).toEqual([400, 500, 900]);
  expect(endWaitMs(evidence(), turnPolicy(DEFAULT_SETTINGS.turnDetection, "dictation"))).toBe(500);
});
