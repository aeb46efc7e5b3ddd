import { expect, test } from "vitest";
import { answered, FRAME_MS, MachineRun, overhear } from "../../support/machine-run.ts";

test("a voice that began before the reply was audible is judged like a voice over it", () => {
  const call = new MachineRun();
  call.speak(1000).pause(700);
  call.send({ type: "final", turn: 1, empty: false });
  call.speak(200);
  call.send({ type: "reply-audible", turn: 1 });
  call.speak(64);
  expect(call.names().slice(-2)).toEqual(["hold-reply", "decode-overlap"]);
  call.speak(1000);
  expect(call.effects.at(-1)).toMatchObject({ type: "open-turn", turn: 2, interrupts: true });
});

test("speech that goes on after the reply's end is an ordinary turn", () => {
  const call = answered();
  call.speak(320);
  call.send({ type: "reply-finished", turn: 1 });
  call.speak(32);
  expect(call.effects.at(-1)).toMatchObject({ type: "open-turn", turn: 2, interrupts: false });
  call.pause(700);
  expect(call.effects.at(-1)).toMatchObject({ type: "commit-turn", turn: 2 });
});

test("a word that begins faintly at the reply's end counts from its beginning", () => {
  const call = answered();
  call.hear(0.5, 96);
  call.send({ type: "reply-finished", turn: 1 });
  call.speak(160);
  expect(call.effects.at(-1)).toMatchObject({ type: "open-turn", turn: 2, interrupts: false });
});

test("a faint sound that ended before the reply does not count", () => {
  const call = answered();
  call.hear(0.5, 96).pause(64);
  call.send({ type: "reply-finished", turn: 1 });
  call.speak(160);
  expect(call.names()).toEqual([]);
});

test("a syllable at the reply's end and the speech after it are one turn", () => {
  const call = answered();
  call.speak(128);
  call.send({ type: "reply-finished", turn: 1 });
  call.speak(200);
  expect(call.effects.at(-1)).toMatchObject({ type: "open-turn", turn: 2, interrupts: false });
});

test.each([
  ["word", 192, "open-turn"],
  ["command", 192, "open-turn"],
  ["backchannel", 192, "dismiss-sound"],
  ["backchannel", 640, "dismiss-sound"],
  ["nothing", 640, "dismiss-sound"],
  ["undecoded", 192, "dismiss-sound"],
  ["undecoded", 640, "open-turn"],
  ["unclear", 640, "open-turn"],
] as const)("a sound that is decoded as %s (%i ms) after the reply's end leads to %s", (heard, voicedMs, effect) => {
  const call = answered();
  call.speak(voicedMs).pause(32);
  call.send({ type: "reply-finished", turn: 1 });
  call.pause(1000);
  expect(call.names().at(-1)).toBe("decode-overlap");
  overhear(call, heard);
  call.pause(32);
  expect(call.names()).not.toContain("cancel-reply");
  expect(call.names().findLast((name) => name !== "prepare-final" && name !== "commit-turn")).toBe(effect);
  call.pause(700);
  expect(call.names().includes("commit-turn")).toBe(effect === "open-turn");
});

test("a turn from a very long sound that is decoded after the reply still contains voice", () => {
  const call = answered({ maxTurnMs: 5000 });
  for (let heard = 0; heard < 6000; heard += 288) {
    call.speak(192).pause(96);
    overhear(call, "nothing");
  }
  const voicedMs = call.speak(192).atMs;
  call.pause(96);
  call.send({ type: "reply-finished", turn: 1 });
  call.pause(3000);
  overhear(call, "unclear");
  call.pause(FRAME_MS);
  const opened = call.effects.findLast(({ type }) => type === "open-turn");
  expect(opened?.type === "open-turn" && voicedMs - opened.startMs).toBe(2500);
});
