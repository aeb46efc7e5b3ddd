import { expect, test } from "vitest";
import type { TurnEvent } from "../../../src/conversation/turn/machine/turn-state.ts";
import { MachineRun } from "../../support/machine-run.ts";

test("the turn ends when silence since the last voiced frame reaches the threshold", () => {
  const call = new MachineRun();
  call.speak(1000).pause(700);
  expect(call.names()).toEqual(["open-turn", "prepare-final", "commit-turn"]);
  const [opened, committed] = call.effects.filter(({ type }) => type === "open-turn" || type === "commit-turn");
  expect(opened).toMatchObject({ startMs: 0, interrupts: false });
  expect(committed).toMatchObject({ turn: 1, startMs: 0, endMs: 1024, cause: "silence" });
  expect((committed?.atMs ?? 0) - 1024).toBe(512);
});

test("speech after a shorter pause drops the prepared final and continues the turn", () => {
  const call = new MachineRun();
  call.speak(1000).pause(400).speak(500).pause(700);
  expect(call.names()).toEqual(["open-turn", "prepare-final", "drop-final", "prepare-final", "commit-turn"]);
});

test("speech shorter than the minimum speaking time is not a turn", () => {
  const call = new MachineRun();
  call.speak(200).pause(2000);
  expect(call.effects).toEqual([]);
  expect(call.state.user.name).toBe("silent");
});

test("a short first word and the speech after a small gap are one turn that starts with the first word", () => {
  const call = new MachineRun();
  call.speak(200).pause(300).speak(200).pause(700);
  expect(call.effects[0]).toMatchObject({ type: "open-turn", startMs: 0 });
});

test("a threshold shorter than the delay of the prepared final still ends the turn on time", () => {
  const call = new MachineRun({ silenceThresholdMs: 100, naturalPauses: false });
  call.speak(1000).pause(200);
  expect(call.names()).toEqual(["open-turn", "prepare-final", "commit-turn"]);
  expect((call.effects.at(-1)?.atMs ?? 0) - 1024).toBe(128);
});

test("evidence that comes between two frames ends the turn at once", () => {
  const call = new MachineRun();
  call.speak(1000).pause(300);
  const { atMs } = call;
  const evidence = { turn: 1, pauseMs: 1024, atMs } as const;
  call.send({ type: "words-awaited", ...evidence, awaited: true });
  call.send({ type: "pause-judged", ...evidence, probability: 0.99 });
  expect(call.names()).not.toContain("commit-turn");
  call.send({ type: "prepared", ...evidence, unfinished: false, wordOdds: 2, early: true });
  expect(call.names()).not.toContain("commit-turn");
  call.send({ type: "prepared", ...evidence, unfinished: false, wordOdds: 2 });
  expect(call.effects.at(-1)).toMatchObject({ type: "commit-turn", atMs });
});

test("a decode that ends without words no longer delays the end of the turn", () => {
  const call = new MachineRun();
  call.speak(1000).pause(300);
  const awaited = { type: "words-awaited", turn: 1, pauseMs: 1024 } as const;
  call.send({ ...awaited, awaited: true });
  call.pause(400);
  expect(call.names()).not.toContain("commit-turn");
  call.send({ ...awaited, awaited: false, atMs: call.atMs });
  expect(call.effects.at(-1)).toMatchObject({ type: "commit-turn" });
});

test("unfinished words get more time, then a silence time-out", () => {
  const call = new MachineRun();
  call.speak(1000).pause(300);
  call.send({ type: "prepared", turn: 1, unfinished: true });
  call.pause(900);
  expect(call.names()).not.toContain("commit-turn");
  call.pause(500);
  expect(call.effects.at(-1)).toMatchObject({ type: "commit-turn", cause: "silence-timeout" });
});

test("unfinished words get no more time and no time-out message without natural pauses", () => {
  const call = new MachineRun({ naturalPauses: false });
  call.speak(1000).pause(300);
  call.send({ type: "prepared", turn: 1, unfinished: true });
  call.pause(400);
  expect(call.effects.at(-1)).toMatchObject({ type: "commit-turn", cause: "silence" });
});

test.each([
  ["aggressive", 320],
  ["standard", 512],
  ["conservative", 800],
] as const)("mode %s waits %i ms", (mode, waitMs) => {
  const call = new MachineRun({ mode });
  call.speak(1000).pause(2000);
  const committed = call.effects.find(({ type }) => type === "commit-turn");
  expect((committed?.atMs ?? 0) - 1024).toBe(waitMs);
});

test("a high probability of the model ends the turn sooner, a low one later by a time-out", () => {
  const ended = (probability: number) => {
    const call = new MachineRun();
    call.speak(1000).pause(200);
    call.send({ type: "pause-judged", turn: 1, pauseMs: 1024, probability });
    call.pause(3000);
    const committed = call.effects.find((effect) => effect.type === "commit-turn");
    return { waitMs: (committed?.atMs ?? 0) - 1024, cause: committed?.cause, confidence: committed?.confidence };
  };
  expect(ended(0.99)).toEqual({ waitMs: 256, cause: "silence", confidence: expect.closeTo(0.99) });
  expect(ended(0.01)).toEqual({ waitMs: 2016, cause: "silence-timeout", confidence: expect.closeTo(0.01) });
});

test("the model is queried at the pause's start and again as it grows, and answers about older pauses are ignored", () => {
  const call = new MachineRun();
  call.speak(1000).pause(450);
  const asked = () =>
    call.effects.filter((effect) => effect.type === "judge-pause").map((effect) => effect.atMs - 1024);
  expect(asked()).toEqual([160, 288, 416]);
  call.speak(500);
  const before = call.state;
  call.send({ type: "pause-judged", turn: 1, pauseMs: 1024, probability: 1 });
  expect(call.state).toBe(before);
  const pausing = call.pause(200).state;
  call.send({ type: "pause-judged", turn: 1, pauseMs: 1024, probability: 1 });
  expect(call.state).toBe(pausing);
});

test("the final is prepared before the model is queried, and a pause without a query is not learned", () => {
  const call = new MachineRun({ mode: "adaptive" });
  call.speak(1000).pause(128).speak(320);
  expect(call.effects.map(({ type }) => type)).toEqual(["open-turn", "prepare-final", "drop-final"]);
  expect(call.effects[1]?.atMs).toBe(1024 + 96);
  expect(call.state.habits.pause.mean).toBe(Math.log(0.5));
  call.pause(160).speak(320);
  expect(call.state.habits.pause.mean).toBeLessThan(Math.log(0.5));
});

test("speech directly after a turn is learned as a pause, and the turn's length is not learned", () => {
  const call = new MachineRun({ mode: "adaptive" });
  call.speak(1000).pause(900).speak(1000).pause(5000);
  expect(call.state.habits.turn.count).toBe(0);
  expect(call.state.habits.pause.mean).toBeGreaterThan(Math.log(0.5));
  call.speak(1000);
  expect(call.state.habits.turn.count).toBe(1);
  expect(call.state.habits.turn.mean).toBeGreaterThan(2);
});

test("words of an earlier turn do not affect the current pause", () => {
  const call = new MachineRun();
  const pausing = call.speak(1000).pause(700).speak(1000).pause(200).state;
  call.send({ type: "prepared", turn: 1, unfinished: true });
  expect(call.state).toBe(pausing);
});

test("words of an earlier pause in the same turn do not affect the current pause", () => {
  const call = new MachineRun();
  const pauseMs = call.speak(1000).atMs;
  const pausing = call.pause(200).speak(500).pause(200).state;
  call.send({ type: "prepared", turn: 1, pauseMs, unfinished: true, wordOdds: -2 });
  expect(call.state).toBe(pausing);
  call.send({ type: "prepared", turn: 1, pauseMs: call.atMs - 224, unfinished: true, wordOdds: -2 });
  expect(call.state.user).toMatchObject({ unfinished: true, wordOdds: -2 });
});

test("a turn waits for its words until they arrive or the longest silence is reached", () => {
  const ends = (event?: TurnEvent) => {
    const call = new MachineRun();
    const pauseMs = call.speak(1000).atMs;
    call.pause(192).send({ type: "words-awaited", turn: 1, pauseMs, awaited: true });
    call.pause(1000);
    expect(call.names()).not.toContain("commit-turn");
    if (event !== undefined) call.send({ pauseMs, ...event } as TurnEvent);
    call.pause(1500);
    return (call.effects.find(({ type }) => type === "commit-turn")?.atMs ?? 0) - pauseMs;
  };
  expect(ends({ type: "prepared", turn: 1, unfinished: false })).toBeLessThan(1300);
  expect(ends({ type: "prepared", turn: 1, unfinished: true })).toBeGreaterThanOrEqual(1500);
  expect(ends({ type: "words-awaited", turn: 1, pauseMs: 1024, awaited: false })).toBeLessThan(1300);
  expect(ends()).toBeCloseTo(new MachineRun().policy.longestSilenceMs, -2);
});
