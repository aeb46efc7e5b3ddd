import { expect, test } from "vitest";
import { answered, FRAME_MS, overhear, stopped } from "../../support/machine-run.ts";

test("voice over the reply pauses sending within 100 ms", () => {
  const call = answered();
  const startMs = call.atMs;
  call.speak(96);
  expect(call.effects).toMatchObject([{ type: "hold-reply", turn: 1 }]);
  expect((call.effects[0]?.atMs ?? 0) - startMs).toBeLessThanOrEqual(100);
});

test("a sound of less than two frames does not pause the reply", () => {
  expect(answered().speak(32).pause(400).effects).toEqual([]);
});

test("voice that is longer than any back-channel interrupts the reply without a decode", () => {
  const call = answered();
  const startMs = call.atMs;
  call.speak(1300);
  expect(call.names()).toEqual(["hold-reply", "decode-overlap", "cancel-reply", "open-turn"]);
  expect(call.effects[2]).toMatchObject({ turn: 1, audible: true });
  expect(call.effects[3]).toMatchObject({ startMs, interrupts: true });
  expect((call.effects[2]?.atMs ?? 0) - startMs).toBeLessThanOrEqual(1216);
});

test("the held speech goes on after a cough of 224 ms", () => {
  const call = answered();
  call.speak(224);
  overhear(call, "nothing");
  call.pause(128);
  overhear(call, "nothing");
  call.pause(300);
  expect(call.names()).toEqual(["hold-reply", "decode-overlap", "decode-overlap", "dismiss-sound", "resume-reply"]);
  expect(call.state).toMatchObject({ user: { name: "silent" }, reply: { name: "speaking", held: false } });
});

test("speech below the interrupt threshold does not affect the reply", () => {
  expect(answered().hear(0.6, 3000).effects).toEqual([]);
});

test.each([{ echo: true }, { aboveNoiseDb: 3 }])("a frame with %o is not the caller's voice", (marks) => {
  const call = answered();
  for (let frame = 0; frame < 60; frame += 1) {
    call.atMs += FRAME_MS;
    call.send({ type: "frame", atMs: call.atMs, frameMs: FRAME_MS, probability: 0.95, ...marks });
  }
  expect(call.effects).toEqual([]);
});

test("a command stops the reply when it is decoded", () => {
  const call = answered();
  call.speak(256);
  overhear(call, "command");
  expect(call.names()).toEqual(["hold-reply", "decode-overlap", "cancel-reply", "open-turn"]);
});

test.each([
  ["word", 640],
  ["words", 320],
] as const)("a decode as %s during a sound stops the reply after %i ms of voice", (heard, neededMs) => {
  const call = answered();
  call.speak(256);
  overhear(call, heard);
  call.speak(neededMs - 256 - FRAME_MS);
  expect(stopped(call)).toBe(false);
  call.speak(FRAME_MS);
  expect(stopped(call)).toBe(true);
});

test.each(["word", "words", "command"] as const)("a short sound that is decoded as %s becomes a turn", (heard) => {
  const call = answered();
  call.speak(192).pause(128);
  const asked = overhear(call, heard);
  expect(asked.ended).toBe(true);
  call.pause(800);
  expect(call.names()).toContain("commit-turn");
  expect(stopped(call)).toBe(true);
});

test("a back-channel does not stop the reply, even a long one", () => {
  const call = answered();
  call.speak(256);
  overhear(call, "backchannel");
  call.speak(700);
  overhear(call, "backchannel");
  call.pause(128);
  overhear(call, "backchannel");
  call.pause(32);
  overhear(call, "backchannel");
  call.pause(200);
  expect(call.effects.slice(-2)).toMatchObject([
    { type: "dismiss-sound", heard: "backchannel" },
    { type: "resume-reply", turn: 1 },
  ]);
  expect(stopped(call)).toBe(false);
});

test("speech that goes on after a back-channel is an interruption", () => {
  const call = answered();
  call.speak(256);
  overhear(call, "backchannel");
  call.speak(1000);
  expect(stopped(call)).toBe(true);
});

test("a long sound without words holds the reply once and does not stop it", () => {
  const call = answered();
  for (let said = 0; said < 5000; said += 160) {
    call.speak(160);
    if (call.state.user.name === "overlapping" && call.state.user.decoding !== undefined) overhear(call, "nothing");
  }
  call.pause(128);
  overhear(call, "nothing");
  call.pause(300);
  expect(call.names().filter((name) => name !== "decode-overlap")).toEqual([
    "hold-reply",
    "resume-reply",
    "dismiss-sound",
  ]);
  expect(call.state).toMatchObject({ user: { name: "silent" }, reply: { name: "speaking", held: false } });
});

test.each(["word", "words", "command"] as const)(
  "a decode as %s in a long sound stops the reply that was resumed",
  (heard) => {
    const call = answered();
    call.speak(256);
    overhear(call, "nothing");
    call.speak(1000);
    overhear(call, "nothing");
    expect(call.state).toMatchObject({ reply: { held: false } });
    call.speak(160);
    overhear(call, "unclear");
    call.speak(1000);
    expect(stopped(call)).toBe(false);
    overhear(call, heard);
    expect(stopped(call)).toBe(true);
  },
);

test("an interruption without words starts the reply again", () => {
  const call = answered();
  call.speak(1300).pause(700);
  expect(stopped(call)).toBe(true);
  call.send({ type: "final", turn: 2, empty: true });
  expect(call.effects.at(-1)).toMatchObject({ type: "start-reply", turn: 2 });
});

test("an interruption with words is answered once, and an empty turn after it is not answered", () => {
  const call = answered();
  call.speak(1300).pause(700);
  call.send({ type: "final", turn: 2, empty: false });
  call.send({ type: "reply-audible", turn: 2 });
  call.send({ type: "reply-finished", turn: 2 });
  call.speak(500).pause(700);
  call.send({ type: "final", turn: 3, empty: true });
  expect(call.names().filter((name) => name === "start-reply")).toHaveLength(1);
});

test("the lengths of short undecoded sounds are not added up", () => {
  const call = answered();
  call.speak(500).pause(300).speak(500).pause(300).speak(500);
  expect(stopped(call)).toBe(false);
});

test("a sound over the reply that exceeds the maximum turn becomes a turn that has its end only", () => {
  const call = answered({ maxTurnMs: 5000 });
  for (let heard = 0; heard < 7000; heard += 288) {
    call.speak(192).pause(96);
    overhear(call, "nothing");
  }
  call.speak(192).pause(96);
  overhear(call, "command");
  const opened = call.effects.at(-1);
  expect(opened).toMatchObject({ type: "open-turn", interrupts: true });
  expect(opened?.type === "open-turn" && call.atMs - opened.startMs).toBeLessThan(3000);
  call.speak(1000);
  expect(call.names()).not.toContain("commit-turn");
});
