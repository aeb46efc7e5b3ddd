import { expect, test } from "vitest";
import { answered, FRAME_MS, overhear, stopped } from "../../support/machine-run.ts";

test("the newest word of a sound is judged again when the sound ends", () => {
  const call = answered();
  call.speak(256);
  overhear(call, "unclear");
  call.pause(64);
  expect(overhear(call, "word").ended).toBe(true);
  expect(stopped(call)).toBe(true);
});

test("one word does not stop the reply when the sound went on during the decode", () => {
  const call = answered();
  call.speak(192).pause(64).speak(32);
  expect(overhear(call, "word").ended).toBe(true);
  expect(stopped(call)).toBe(false);
});

test("a skipped decode is requested again sooner than a decode of new sound", () => {
  for (const [heard, againMs] of [
    ["undecoded", 64],
    ["unclear", 160],
  ] as const) {
    const call = answered();
    call.speak(224);
    overhear(call, heard);
    const asked = () => call.names().filter((name) => name === "decode-overlap").length;
    call.speak(againMs - FRAME_MS);
    expect(asked()).toBe(1);
    call.speak(FRAME_MS);
    expect(asked()).toBe(2);
  }
});

test("the decision on a sound that has ended waits for its decode", () => {
  const call = answered();
  call.speak(1100).pause(500);
  expect(stopped(call)).toBe(false);
  expect(call.state.reply).toMatchObject({ held: true });
  overhear(call, "backchannel");
  call.pause(32);
  expect(call.names().slice(-2)).toEqual(["dismiss-sound", "resume-reply"]);
});

test("an unclear decode during a sound does not prevent an interruption by its length", () => {
  const call = answered();
  call.speak(256);
  overhear(call, "unclear");
  call.speak(480);
  expect(stopped(call)).toBe(true);
});

test("a skipped decode keeps the result of an earlier decode", () => {
  const call = answered();
  call.speak(256);
  overhear(call, "backchannel");
  call.speak(600);
  overhear(call, "undecoded");
  call.speak(200).pause(128);
  overhear(call, "undecoded");
  call.pause(128);
  expect(call.effects.at(-2)).toMatchObject({ type: "dismiss-sound", heard: "backchannel" });
});

test("the decode at a sound's end does not wait for a slow earlier decode, whose result is ignored", () => {
  const call = answered();
  call.speak(224);
  const early = call.effects.find((effect) => effect.type === "decode-overlap");
  call.pause(128);
  const late = call.effects.findLast((effect) => effect.type === "decode-overlap");
  expect([early, late]).toMatchObject([{ ended: false }, { ended: true, untilMs: early?.untilMs }]);
  if (early !== undefined) call.send({ ...early, type: "overlap-decoded", heard: "command" });
  expect(stopped(call)).toBe(false);
  overhear(call, "command");
  expect(stopped(call)).toBe(true);
});

test("the held speech goes on after two seconds without a decode, and a later decode still decides", () => {
  for (const heard of ["command", "backchannel"] as const) {
    const call = answered();
    call.speak(300).pause(2300);
    expect(call.names()).toEqual(["hold-reply", "decode-overlap", "decode-overlap", "resume-reply"]);
    const [held, , , resumed] = call.effects;
    expect((resumed?.atMs ?? 0) - (held?.atMs ?? 0)).toBeLessThanOrEqual(2016);
    overhear(call, heard);
    call.pause(32);
    expect(stopped(call)).toBe(heard === "command");
    expect(call.names().includes("dismiss-sound")).toBe(heard === "backchannel");
  }
});

test("a second sound holds the reply again while the first decode is pending", () => {
  const call = answered();
  call.speak(300).pause(2300).speak(96);
  expect(call.state.reply).toMatchObject({ held: true });
  overhear(call, "backchannel");
  call.pause(128);
  expect(overhear(call, "command")).toMatchObject({ ended: true });
  expect(stopped(call)).toBe(true);
});

test("a decode of an earlier sound does not affect a later sound", () => {
  const call = answered();
  call.speak(224).pause(2500);
  const asked = call.effects.find((effect) => effect.type === "decode-overlap");
  call.speak(224);
  if (asked?.type === "decode-overlap") call.send({ ...asked, type: "overlap-decoded", heard: "command" });
  expect(stopped(call)).toBe(false);
});
