import { expect, test } from "vitest";
import { answered, MachineRun } from "../../support/machine-run.ts";

test("no reply starts while a voice begins that may be a turn: it waits for the first silence", () => {
  const call = new MachineRun();
  call.speak(1000).pause(700).speak(64);
  call.send({ type: "final", turn: 1, empty: false });
  expect(call.names()).not.toContain("start-reply");
  call.pause(32);
  expect(call.names()).toContain("start-reply");
});

test("an empty final starts no reply", () => {
  const call = new MachineRun();
  call.speak(1000).pause(700);
  call.send({ type: "final", turn: 1, empty: true });
  expect(call.names()).not.toContain("start-reply");
});

test("a final that comes while the user talks again waits; an empty next turn still gets the answer", () => {
  const call = new MachineRun();
  call.speak(1000).pause(700).speak(500);
  call.send({ type: "final", turn: 1, empty: false });
  expect(call.names()).not.toContain("start-reply");
  call.pause(700);
  call.send({ type: "final", turn: 2, empty: true });
  expect(call.effects.at(-1)).toMatchObject({ type: "start-reply", turn: 2 });
});

test("speech before the reply is audible takes it back, and the next reply answers both", () => {
  const call = new MachineRun();
  call.speak(1000).pause(700);
  call.send({ type: "final", turn: 1, empty: false });
  call.speak(500);
  expect(call.effects.slice(-2)).toMatchObject([
    { type: "cancel-reply", turn: 1, audible: false },
    { type: "open-turn", turn: 2, interrupts: false },
  ]);
  call.pause(700);
  call.send({ type: "final", turn: 2, empty: true });
  expect(call.effects.at(-1)).toMatchObject({ type: "start-reply", turn: 2 });
});

test("a failed reply leaves the box ready for the next turn", () => {
  const call = answered();
  call.send({ type: "reply-failed", turn: 1 });
  call.speak(1000).pause(700);
  call.send({ type: "final", turn: 2, empty: false });
  expect(call.effects.at(-1)).toMatchObject({ type: "start-reply", turn: 2 });
});
