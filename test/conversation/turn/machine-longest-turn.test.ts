import { expect, test } from "vitest";
import { FRAME_MS, MachineRun } from "../../support/machine-run.ts";

test("the maximum ends a turn during a pause too, and reports its confidence", () => {
  const call = new MachineRun({ maxTurnMs: 2000, silenceThresholdMs: 5000 });
  call.speak(1500).pause(1000);
  expect(call.effects.at(-1)).toMatchObject({ type: "commit-turn", cause: "max-duration", endMs: 1504 });
  const talking = new MachineRun({ maxTurnMs: 2000 });
  talking.speak(2016);
  expect(talking.effects.at(-1)).toMatchObject({ cause: "max-duration", confidence: 0 });
});

test("a voice that the maximum divides is not learned as a pause, and later turns still end", () => {
  const call = new MachineRun({ mode: "adaptive", maxTurnMs: 2000 });
  call.speak(3008).pause(1500).speak(1000).pause(1500);
  const ends = call.effects.filter((effect) => effect.type === "commit-turn");
  expect(ends.map(({ cause }) => cause)).toEqual(["max-duration", "silence", "silence"]);
  for (const { confidence } of ends) expect(confidence).toBeGreaterThanOrEqual(0);
  expect(call.state.habits.pause.mean).toBeGreaterThan(Math.log(0.4));
});

test("a turn never exceeds the maximum, and the voice that goes on is the next turn", () => {
  const call = new MachineRun();
  call.speak(31_000);
  expect(call.effects.map(({ type }) => type)).toEqual(["open-turn", "commit-turn", "open-turn"]);
  expect(call.effects[1]).toMatchObject({ cause: "max-duration", turn: 1 });
  expect(call.effects[2]).toMatchObject({ turn: 2, startMs: (call.effects[1] as { endMs: number }).endMs });
});

test.each([0, 300])("a word of any length %i ms after the maximum is a turn", (pauseMs) => {
  const call = new MachineRun({ maxTurnMs: 2000, silenceThresholdMs: 500, minSpeakingMs: 1000 });
  call.speak(2016).pause(pauseMs).speak(160).pause(2000);
  const turns = call.effects.filter((effect) => effect.type === "commit-turn");
  expect(turns).toMatchObject([
    { turn: 1, cause: "max-duration", endMs: 2016 },
    { turn: 2, cause: "silence", endMs: call.atMs - 2016 },
  ]);
});

test("a turn after the maximum begins with its voice, not with the pause before it", () => {
  const call = new MachineRun({ maxTurnMs: 1000, silenceThresholdMs: 5000 });
  call.speak(1024).pause(2016).speak(512).pause(6000);
  expect(call.effects.filter(({ type }) => type === "commit-turn")).toMatchObject([
    { turn: 1, startMs: 0, endMs: 1024 },
    { turn: 2, startMs: 3040, endMs: 3552 },
  ]);
});

test("a short sound after the maximum and a silence that ends a turn is not a turn", () => {
  const call = new MachineRun({ maxTurnMs: 2000, silenceThresholdMs: 500 });
  call.speak(2016).pause(600).speak(160).pause(2000);
  expect(call.names().filter((name) => name === "open-turn")).toHaveLength(1);
});

test("no reply starts at the maximum while the voice goes on", () => {
  const call = new MachineRun();
  call.speak(30_000);
  expect(call.effects.at(-1)).toMatchObject({ type: "commit-turn", cause: "max-duration", turn: 1 });
  call.speak(64);
  call.send({ type: "final", turn: 1, empty: false });
  call.speak(1000);
  expect(call.names()).not.toContain("start-reply");
  expect(call.names()).not.toContain("cancel-reply");
  call.pause(3000);
  call.send({ type: "final", turn: 2, empty: true });
  expect(call.effects.at(-1)).toMatchObject({ type: "start-reply", turn: 2 });
});

test("a voice that ends at the maximum is answered after the usual silence", () => {
  const call = new MachineRun();
  call.speak(30_000);
  call.send({ type: "final", turn: 1, empty: false });
  call.pause(480);
  expect(call.names()).not.toContain("start-reply");
  call.pause(32);
  expect(call.effects.at(-1)).toMatchObject({ type: "start-reply", turn: 1 });
});

test("a short pause directly after the maximum is not answered", () => {
  const call = new MachineRun();
  call.speak(30_000);
  call.send({ type: "final", turn: 1, empty: false });
  call.pause(300).speak(1000);
  expect(call.names()).not.toContain("start-reply");
  expect(call.effects.at(-1)).toMatchObject({ type: "open-turn", turn: 2, startMs: 30_336, interrupts: false });
  call.pause(3000);
  call.send({ type: "final", turn: 2, empty: false });
  expect(call.names().filter((name) => name === "start-reply")).toHaveLength(1);
});

test("a client that ends the turn in the frame of the maximum gets one turn, and no wait for a silence", () => {
  const call = new MachineRun({ maxTurnMs: 1000 });
  call.speak(1024);
  call.send({ type: "end-turn", fromMs: 0, atMs: call.atMs });
  expect(call.effects).toMatchObject([{ type: "open-turn" }, { type: "commit-turn", cause: "max-duration", turn: 1 }]);
  call.send({ type: "final", turn: 1, empty: false });
  call.pause(FRAME_MS);
  expect(call.effects.at(-1)).toMatchObject({ type: "start-reply", turn: 1 });
});
