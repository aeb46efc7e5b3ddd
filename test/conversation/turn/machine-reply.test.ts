import { expect, test } from "vitest";
import { answered, MachineRun } from "../../support/machine-run.ts";

test("a reply waits for the first silence while a voice begins that may be a turn", () => {
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

test("a final waits while the caller speaks again, and is answered after an empty next turn too", () => {
  const call = new MachineRun();
  call.speak(1000).pause(700).speak(500);
  call.send({ type: "final", turn: 1, empty: false });
  expect(call.names()).not.toContain("start-reply");
  call.pause(700);
  call.send({ type: "final", turn: 2, empty: true });
  expect(call.effects.at(-1)).toMatchObject({ type: "start-reply", turn: 2 });
});

test("speech before the reply is audible cancels it, and the next reply answers both turns", () => {
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

test("the machine is ready for the next turn after a failed reply", () => {
  const call = answered();
  call.send({ type: "reply-failed", turn: 1 });
  call.speak(1000).pause(700);
  call.send({ type: "final", turn: 2, empty: false });
  expect(call.effects.at(-1)).toMatchObject({ type: "start-reply", turn: 2 });
});

test("a held reply goes on when replies become uninterruptible under the sound", () => {
  const call = answered();
  call.speak(200);
  expect(call.names()).toContain("hold-reply");
  call.policy = new MachineRun({ interruptible: false }).policy;
  call.speak(5000);
  expect(call.names().slice(-2)).toEqual(["resume-reply", "open-turn"]);
});

test("a sound without words over a reply beside the conversation is not answered", () => {
  const call = new MachineRun();
  call.send({ type: "respond", isSide: true });
  call.send({ type: "reply-audible", turn: 1 });
  call.speak(5000).pause(2000);
  expect(call.names()).toContain("commit-turn");
  call.effects.length = 0;
  call.send({ type: "final", turn: 2, empty: true });
  call.pause(500);
  expect(call.names()).toEqual([]);
});
