import { describe, expect, test } from "vitest";
import { answered, MachineRun, stopped } from "../../support/machine-run.ts";

describe("push to talk", () => {
  const pushed = () => new MachineRun({ endedBy: "client" });

  test("a voice opens a turn, and no silence ends it", () => {
    const call = pushed();
    call.speak(500).pause(10_000).speak(300).pause(1000);
    expect(call.names()).toEqual(["open-turn"]);
    call.send({ type: "end-turn", fromMs: 0, atMs: call.atMs });
    expect(call.effects.at(-1)).toMatchObject({ type: "commit-turn", turn: 1, cause: "client", confidence: 1 });
  });

  test("audio without a voice becomes a turn too", () => {
    const call = pushed();
    call.pause(2000);
    call.send({ type: "end-turn", fromMs: 500, atMs: call.atMs });
    expect(call.effects).toMatchObject([
      { type: "open-turn", startMs: 500, interrupts: false },
      { type: "commit-turn", startMs: 500, endMs: call.atMs },
    ]);
  });

  test("a turn has all audio until the client ends it, voice or not", () => {
    const call = pushed();
    call.speak(500).pause(4000);
    call.send({ type: "end-turn", fromMs: 0, atMs: call.atMs });
    expect(call.effects.at(-1)).toMatchObject({ type: "commit-turn", endMs: call.atMs });
  });

  test("a turn is answered when the client asks, also while the microphone stays open", () => {
    const call = pushed();
    call.speak(500);
    call.send({ type: "end-turn", fromMs: 0, atMs: call.atMs });
    call.send({ type: "final", turn: 1, empty: false, unanswered: true });
    call.speak(500);
    expect(call.names()).not.toContain("start-reply");
    call.send({ type: "respond" });
    expect(call.names().at(-1)).toBe("start-reply");
  });

  test("a voice over the reply does not stop it", () => {
    const call = answered({ endedBy: "client" });
    call.speak(1000);
    expect(stopped(call)).toBe(false);
  });
});

test("a dropped turn is not committed, and the next one is new", () => {
  const call = new MachineRun();
  call.speak(1000);
  call.send({ type: "drop-turn" });
  call.pause(3000).speak(1000).pause(1000);
  expect(call.names().filter((name) => name !== "prepare-final")).toEqual([
    "open-turn",
    "drop-turn",
    "open-turn",
    "commit-turn",
  ]);
});

test("a client's end of a turn needs no silence", () => {
  const call = new MachineRun();
  call.speak(1000);
  call.send({ type: "end-turn", fromMs: 0, atMs: call.atMs });
  expect(call.effects.at(-1)).toMatchObject({ type: "commit-turn", turn: 1, endMs: call.atMs, cause: "client" });
});

test("a reply that the client asks for waits for the turn under way", () => {
  const call = new MachineRun();
  call.speak(1000);
  call.send({ type: "respond" });
  expect(call.names()).toEqual(["open-turn"]);
  call.pause(1000);
  call.send({ type: "final", turn: 1, empty: false });
  expect(call.names().filter((name) => name === "start-reply")).toHaveLength(1);
});

test("a reply beside the conversation comes first, and the turn is answered after it", () => {
  const call = new MachineRun();
  call.speak(1000);
  call.send({ type: "respond", isSide: true });
  call.pause(1000);
  call.send({ type: "final", turn: 1, empty: false });
  for (const reply of [1, 2]) {
    expect(call.names().filter((name) => name === "start-reply")).toHaveLength(reply);
    const { turn } = call.effects.at(-1) as { turn: number };
    call.send({ type: "reply-audible", turn });
    call.send({ type: "reply-finished", turn });
  }
  expect(call.state).toMatchObject({ owed: undefined, side: undefined, reply: { name: "none" } });
});

test("stopping a reply beside the conversation leaves the turn's own", () => {
  const call = new MachineRun();
  call.speak(1000).pause(1000);
  call.send({ type: "respond", isSide: true });
  call.send({ type: "final", turn: 1, empty: false });
  call.send({ type: "stop-reply" });
  expect(call.names().slice(-2)).toEqual(["cancel-reply", "start-reply"]);
  expect(call.state.reply).toMatchObject({ name: "thinking", isSide: false });
});

test("the client stops a reply, and it is not owed any more", () => {
  const call = answered();
  call.send({ type: "stop-reply" });
  expect(call.effects).toMatchObject([{ type: "cancel-reply", audible: true, by: "client" }]);
  call.pause(5000);
  expect(call.names()).not.toContain("start-reply");
});

test("words over a reply that cannot be interrupted are answered once, after it", () => {
  const call = answered({ interruptible: false });
  call.speak(1000).pause(1000);
  call.send({ type: "final", turn: 2, empty: false });
  expect(call.names()).not.toContain("start-reply");
  expect(stopped(call)).toBe(false);
  call.send({ type: "reply-finished", turn: 1 });
  call.pause(5000);
  call.send({ type: "reply-audible", turn: 2 });
  call.send({ type: "reply-finished", turn: 2 });
  call.pause(5000);
  expect(call.names().filter((name) => name === "start-reply")).toHaveLength(1);
});
