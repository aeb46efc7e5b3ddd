import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { DEFAULT_SESSION_SETTINGS, type SessionSettings } from "../../../src/doors/voice/session-settings.ts";
import {
  initialTurnState,
  type TurnEffect,
  type TurnEvent,
  type TurnState,
} from "../../../src/conversation/turn/turn-state.ts";
import { step } from "../../../src/conversation/turn/machine.ts";
import type { OverlapKind } from "../../../src/conversation/turn/judge-overlap.ts";
import { turnPolicy, type TurnPolicy } from "../../../src/conversation/turn/policy.ts";

const FRAME_MS = 32;

/** Drives the machine through virtual time and keeps every effect with the time it came at. */
class Conversation {
  readonly policy: TurnPolicy;
  state: TurnState = initialTurnState;
  atMs = 0;
  readonly effects: (TurnEffect & { atMs: number })[] = [];

  constructor(turnDetection: Partial<SessionSettings["turn_detection"]> = {}) {
    this.policy = turnPolicy({ ...DEFAULT_SESSION_SETTINGS.turn_detection, ...turnDetection });
  }

  send(event: TurnEvent): void {
    const next = step(this.state, event, this.policy);
    this.state = next.state;
    this.effects.push(...next.effects.map((effect) => ({ ...effect, atMs: this.atMs })));
  }

  hear(probability: number, ms: number): this {
    for (let heard = 0; heard < ms; heard += FRAME_MS) {
      this.atMs += FRAME_MS;
      this.send({ type: "frame", atMs: this.atMs, frameMs: FRAME_MS, probability });
    }
    return this;
  }

  speak(ms: number): this {
    return this.hear(0.95, ms);
  }

  pause(ms: number): this {
    return this.hear(0.01, ms);
  }

  names(): string[] {
    return this.effects.map(({ type }) => type).filter((type) => type !== "judge-pause");
  }
}

/** A conversation in which the first reply is audible. */
function answered(turnDetection: Partial<SessionSettings["turn_detection"]> = {}): Conversation {
  const call = new Conversation(turnDetection);
  call.speak(1000).pause(700);
  call.send({ type: "final", turn: 1, empty: false });
  call.send({ type: "reply-audible", turn: 1 });
  call.effects.length = 0;
  return call;
}

describe("end of turn", () => {
  test("silence of the threshold ends the turn, measured from the last voiced frame", () => {
    const call = new Conversation();
    call.speak(1000).pause(700);
    expect(call.names()).toEqual(["open-turn", "prepare-final", "commit-turn"]);
    const [opened, committed] = call.effects.filter(({ type }) => type === "open-turn" || type === "commit-turn");
    expect(opened).toMatchObject({ startMs: 0, interrupts: false });
    expect(committed).toMatchObject({ turn: 1, startMs: 0, endMs: 1024, cause: "silence" });
    expect((committed?.atMs ?? 0) - 1024).toBe(512);
  });

  test("a shorter pause drops the prepared final and goes on", () => {
    const call = new Conversation();
    call.speak(1000).pause(400).speak(500).pause(700);
    expect(call.names()).toEqual(["open-turn", "prepare-final", "drop-final", "prepare-final", "commit-turn"]);
  });

  test("speech shorter than the minimum speaking time is no turn", () => {
    const call = new Conversation();
    call.speak(200).pause(2000);
    expect(call.effects).toEqual([]);
    expect(call.state.user.name).toBe("silent");
  });

  test("a short first word and the rest after a small gap are one turn from the first word on", () => {
    const call = new Conversation();
    call.speak(200).pause(300).speak(200).pause(700);
    expect(call.effects[0]).toMatchObject({ type: "open-turn", startMs: 0 });
  });

  test("a threshold shorter than the time before a final is prepared ends the turn just as soon", () => {
    const call = new Conversation({ silence_threshold: 0.1, natural_pauses: false });
    call.speak(1000).pause(200);
    expect(call.names()).toEqual(["open-turn", "prepare-final", "commit-turn"]);
    expect((call.effects.at(-1)?.atMs ?? 0) - 1024).toBe(128);
  });

  test("words that sound unfinished get more time, then a silence time-out", () => {
    const call = new Conversation();
    call.speak(1000).pause(300);
    call.send({ type: "prepared", turn: 1, unfinished: true });
    call.pause(900);
    expect(call.names()).not.toContain("commit-turn");
    call.pause(500);
    expect(call.effects.at(-1)).toMatchObject({ type: "commit-turn", cause: "silence-timeout" });
  });

  test("without natural pauses words that sound unfinished get no more time, and no time-out is said", () => {
    const call = new Conversation({ natural_pauses: false });
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
    const call = new Conversation({ mode });
    call.speak(1000).pause(2000);
    const committed = call.effects.find(({ type }) => type === "commit-turn");
    expect((committed?.atMs ?? 0) - 1024).toBe(waitMs);
  });

  test("a pause the model is sure of ends the turn sooner, one it doubts later, by a time-out at last", () => {
    const ended = (probability: number) => {
      const call = new Conversation();
      call.speak(1000).pause(200);
      call.send({ type: "pause-judged", turn: 1, pauseMs: 1024, probability });
      call.pause(3000);
      const committed = call.effects.find((effect) => effect.type === "commit-turn");
      return { waitMs: (committed?.atMs ?? 0) - 1024, cause: committed?.cause, confidence: committed?.confidence };
    };
    expect(ended(0.99)).toEqual({ waitMs: 256, cause: "silence", confidence: expect.closeTo(0.99) });
    expect(ended(0.01)).toEqual({ waitMs: 2016, cause: "silence-timeout", confidence: expect.closeTo(0.01) });
  });

  test("the model is asked at once and again as the pause grows; an answer about an older pause changes nothing", () => {
    const call = new Conversation();
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

  test("the maximum ends a turn in a pause too, and says how sure it was", () => {
    const call = new Conversation({ max_turn_duration: 2, silence_threshold: 5 });
    call.speak(1500).pause(1000);
    expect(call.effects.at(-1)).toMatchObject({ type: "commit-turn", cause: "max-duration", endMs: 1504 });
    const talking = new Conversation({ max_turn_duration: 2 });
    talking.speak(2016);
    expect(talking.effects.at(-1)).toMatchObject({ cause: "max-duration", confidence: 0 });
  });

  test("a caller who goes on at once after a turn had paused: that is learned, and not a turn's length", () => {
    const call = new Conversation({ mode: "adaptive" });
    call.speak(1000).pause(900).speak(1000).pause(5000);
    expect(call.state.habits.turn.count).toBe(0);
    expect(call.state.habits.pause.mean).toBeGreaterThan(Math.log(0.5));
    call.speak(1000);
    expect(call.state.habits.turn.count).toBe(1);
    expect(call.state.habits.turn.mean).toBeGreaterThan(2);
  });

  test("a voice that the maximum cut in two had no pause there: nothing is learned of it, and later turns still end", () => {
    const call = new Conversation({ mode: "adaptive", max_turn_duration: 2 });
    call.speak(3008).pause(1500).speak(1000).pause(1500);
    const ends = call.effects.filter((effect) => effect.type === "commit-turn");
    expect(ends.map(({ cause }) => cause)).toEqual(["max-duration", "silence", "silence"]);
    for (const { confidence } of ends) expect(confidence).toBeGreaterThanOrEqual(0);
    expect(call.state.habits.pause.mean).toBeGreaterThan(Math.log(0.4));
  });

  test("a turn never lasts longer than the maximum; the voice that goes on is the next turn", () => {
    const call = new Conversation();
    call.speak(31_000);
    expect(call.effects.map(({ type }) => type)).toEqual(["open-turn", "commit-turn", "open-turn"]);
    expect(call.effects[1]).toMatchObject({ cause: "max-duration", turn: 1 });
    expect(call.effects[2]).toMatchObject({ turn: 2, startMs: (call.effects[1] as { endMs: number }).endMs });
  });

  test.each([0, 300])("after the maximum and a pause of %i ms the last word is a turn, however short", (pauseMs) => {
    const call = new Conversation({ max_turn_duration: 2, silence_threshold: 0.5, min_speaking_time: 1 });
    call.speak(2016).pause(pauseMs).speak(160).pause(2000);
    const turns = call.effects.filter((effect) => effect.type === "commit-turn");
    expect(turns).toMatchObject([
      { turn: 1, cause: "max-duration", endMs: 2016 },
      { turn: 2, cause: "silence", endMs: call.atMs - 2016 },
    ]);
  });

  test("a turn after the maximum begins with its voice, not with the pause before it, however long that may be", () => {
    const call = new Conversation({ max_turn_duration: 1, silence_threshold: 5 });
    call.speak(1024).pause(2016).speak(512).pause(6000);
    expect(call.effects.filter(({ type }) => type === "commit-turn")).toMatchObject([
      { turn: 1, startMs: 0, endMs: 1024 },
      { turn: 2, startMs: 3040, endMs: 3552 },
    ]);
  });

  test("after the maximum and a silence like any turn's end a short sound is no input again", () => {
    const call = new Conversation({ max_turn_duration: 2, silence_threshold: 0.5 });
    call.speak(2016).pause(600).speak(160).pause(2000);
    expect(call.names().filter((name) => name === "open-turn")).toHaveLength(1);
  });
});

describe("replies", () => {
  test("at the longest turn's end a voice that goes on is waited for: no reply starts to be cancelled at once", () => {
    const call = new Conversation();
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

  test("a voice that ends with the longest turn is answered after a silence like any other", () => {
    const call = new Conversation();
    call.speak(30_000);
    call.send({ type: "final", turn: 1, empty: false });
    call.pause(480);
    expect(call.names()).not.toContain("start-reply");
    call.pause(32);
    expect(call.effects.at(-1)).toMatchObject({ type: "start-reply", turn: 1 });
  });

  test("one who pauses for breath just after the longest turn's end is not answered in between", () => {
    const call = new Conversation();
    call.speak(30_000);
    call.send({ type: "final", turn: 1, empty: false });
    call.pause(300).speak(1000);
    expect(call.names()).not.toContain("start-reply");
    expect(call.effects.at(-1)).toMatchObject({ type: "open-turn", turn: 2, startMs: 30_336, interrupts: false });
    call.pause(3000);
    call.send({ type: "final", turn: 2, empty: false });
    expect(call.names().filter((name) => name === "start-reply")).toHaveLength(1);
  });

  test("the words of an earlier turn's pause say nothing about this one", () => {
    const call = new Conversation();
    const pausing = call.speak(1000).pause(700).speak(1000).pause(200).state;
    call.send({ type: "prepared", turn: 1, unfinished: true });
    expect(call.state).toBe(pausing);
  });

  test("nor do those of an earlier pause of the same turn", () => {
    const call = new Conversation();
    const pauseMs = call.speak(1000).atMs;
    const pausing = call.pause(200).speak(500).pause(200).state;
    call.send({ type: "prepared", turn: 1, pauseMs, unfinished: true, wordOdds: -2 });
    expect(call.state).toBe(pausing);
    call.send({ type: "prepared", turn: 1, pauseMs: call.atMs - 224, unfinished: true, wordOdds: -2 });
    expect(call.state.user).toMatchObject({ unfinished: true, wordOdds: -2 });
  });

  test("a turn waits for its words, until they are there or it has waited for longest", () => {
    const ends = (event?: TurnEvent) => {
      const call = new Conversation();
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
    expect(ends()).toBeCloseTo(new Conversation().policy.longestSilenceMs, -2);
  });

  test("no reply starts while a voice begins that may be a turn: it waits for the first silence", () => {
    const call = new Conversation();
    call.speak(1000).pause(700).speak(64);
    call.send({ type: "final", turn: 1, empty: false });
    expect(call.names()).not.toContain("start-reply");
    call.pause(32);
    expect(call.names()).toContain("start-reply");
  });

  test("an empty final starts no reply", () => {
    const call = new Conversation();
    call.speak(1000).pause(700);
    call.send({ type: "final", turn: 1, empty: true });
    expect(call.names()).not.toContain("start-reply");
  });

  test("a final that comes while the user talks again waits; an empty next turn still gets the answer", () => {
    const call = new Conversation();
    call.speak(1000).pause(700).speak(500);
    call.send({ type: "final", turn: 1, empty: false });
    expect(call.names()).not.toContain("start-reply");
    call.pause(700);
    call.send({ type: "final", turn: 2, empty: true });
    expect(call.effects.at(-1)).toMatchObject({ type: "start-reply", turn: 2 });
  });

  test("speech before the reply is audible takes it back, and the next reply answers both", () => {
    const call = new Conversation();
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
});

describe("barge-in", () => {
  /** Answers the decode that was asked for last. */
  const overhear = (call: Conversation, heard: OverlapKind) => {
    const asked = call.effects.findLast((effect) => effect.type === "listen-in");
    if (asked?.type !== "listen-in") throw new Error("nothing was asked");
    call.send({ ...asked, type: "overheard", heard });
    return asked;
  };
  const stopped = (call: Conversation) => call.names().includes("cancel-reply");

  test("voice over the reply pauses sending within 100 ms", () => {
    const call = answered();
    const startMs = call.atMs;
    call.speak(96);
    expect(call.effects).toMatchObject([{ type: "hold-reply", turn: 1 }]);
    expect((call.effects[0]?.atMs ?? 0) - startMs).toBeLessThanOrEqual(100);
  });

  test("of a sound over the reply that lasted longer than a turn may, the turn is the end", () => {
    const call = answered({ max_turn_duration: 5 });
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

  test("of a sound that long, understood late and after the reply, the turn still holds voice", () => {
    const call = answered({ max_turn_duration: 5 });
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

  test("voice that goes on for longer than any back-channel is an interruption without a decode", () => {
    const call = answered();
    const startMs = call.atMs;
    call.speak(1300);
    expect(call.names()).toEqual(["hold-reply", "listen-in", "cancel-reply", "open-turn"]);
    expect(call.effects[2]).toMatchObject({ turn: 1, audible: true });
    expect(call.effects[3]).toMatchObject({ startMs, interrupts: true });
    expect((call.effects[2]?.atMs ?? 0) - startMs).toBeLessThanOrEqual(1216);
  });

  test("a cough of 224 ms does not end the reply: the held speech goes on", () => {
    const call = answered();
    call.speak(224);
    overhear(call, "nothing");
    call.pause(128);
    overhear(call, "nothing");
    call.pause(300);
    expect(call.names()).toEqual(["hold-reply", "listen-in", "listen-in", "dismiss-sound", "resume-reply"]);
    expect(call.state).toMatchObject({ user: { name: "silent" }, reply: { name: "speaking", held: false } });
  });

  test("a sound of less than two frames does not even pause it", () => {
    expect(answered().speak(32).pause(400).effects).toEqual([]);
  });

  test("an order stops the reply as soon as it is understood", () => {
    const call = answered();
    call.speak(256);
    overhear(call, "command");
    expect(call.names()).toEqual(["hold-reply", "listen-in", "cancel-reply", "open-turn"]);
  });

  test.each([
    ["word", 640],
    ["words", 416],
  ] as const)("a %s heard in mid-sound stops it from %i ms of voice on", (heard, neededMs) => {
    const call = answered();
    call.speak(256);
    overhear(call, heard);
    call.speak(neededMs - 256 - FRAME_MS);
    expect(stopped(call)).toBe(false);
    call.speak(FRAME_MS);
    expect(stopped(call)).toBe(true);
  });

  test.each(["word", "words", "command"] as const)("a short sound that turns out to be a %s is a turn", (heard) => {
    const call = answered();
    call.speak(192).pause(128);
    const asked = overhear(call, heard);
    expect(asked.ended).toBe(true);
    call.pause(800);
    expect(call.names()).toContain("commit-turn");
    expect(stopped(call)).toBe(true);
  });

  test("the newest word of a sound in mid-air is judged again when the sound is over", () => {
    const call = answered();
    call.speak(256);
    overhear(call, "unclear");
    call.pause(64);
    expect(overhear(call, "word").ended).toBe(true);
    expect(stopped(call)).toBe(true);
  });

  test("a word of a sound that has gone on meanwhile does not stop it yet", () => {
    const call = answered();
    call.speak(192).pause(64).speak(32);
    expect(overhear(call, "word").ended).toBe(true);
    expect(stopped(call)).toBe(false);
  });

  test("a decode that is left out is asked for again before new sound is worth another", () => {
    for (const [heard, againMs] of [
      ["undecoded", 64],
      ["unclear", 160],
    ] as const) {
      const call = answered();
      call.speak(224);
      overhear(call, heard);
      const asked = () => call.names().filter((name) => name === "listen-in").length;
      call.speak(againMs - FRAME_MS);
      expect(asked()).toBe(1);
      call.speak(FRAME_MS);
      expect(asked()).toBe(2);
    }
  });

  test("a back-channel lets the reply go on, even a long one", () => {
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

  test("a long sound without words does not stop the reply: it goes on beside it, and is not held for it again", () => {
    const call = answered();
    for (let said = 0; said < 5000; said += 160) {
      call.speak(160);
      if (call.state.user.name === "overlapping" && call.state.user.listening !== undefined) overhear(call, "nothing");
    }
    call.pause(128);
    overhear(call, "nothing");
    call.pause(300);
    expect(call.names().filter((name) => name !== "listen-in")).toEqual([
      "hold-reply",
      "resume-reply",
      "dismiss-sound",
    ]);
    expect(call.state).toMatchObject({ user: { name: "silent" }, reply: { name: "speaking", held: false } });
  });

  test.each(["word", "words", "command"] as const)(
    "a %s in a long sound the reply went on beside stops it",
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

  test("an interruption that turns out to say nothing: what it broke off is owed", () => {
    const call = answered();
    call.speak(1300).pause(700);
    expect(stopped(call)).toBe(true);
    call.send({ type: "final", turn: 2, empty: true });
    expect(call.effects.at(-1)).toMatchObject({ type: "start-reply", turn: 2 });
  });

  test("an interruption with words is answered once, and an empty turn after it is not", () => {
    const call = answered();
    call.speak(1300).pause(700);
    call.send({ type: "final", turn: 2, empty: false });
    call.send({ type: "reply-audible", turn: 2 });
    call.send({ type: "reply-finished", turn: 2 });
    call.speak(500).pause(700);
    call.send({ type: "final", turn: 3, empty: true });
    expect(call.names().filter((name) => name === "start-reply")).toHaveLength(1);
  });

  test("a sound that is over and not decoded yet is not judged by its length: it is waited for", () => {
    const call = answered();
    call.speak(1100).pause(500);
    expect(stopped(call)).toBe(false);
    expect(call.state.reply).toMatchObject({ held: true });
    overhear(call, "backchannel");
    call.pause(32);
    expect(call.names().slice(-2)).toEqual(["dismiss-sound", "resume-reply"]);
  });

  test("one decoded without words, or half of one, is not the same as one that is not decoded", () => {
    const call = answered();
    call.speak(256);
    overhear(call, "unclear");
    call.speak(480);
    expect(stopped(call)).toBe(true);
  });

  test("short sounds that nobody decodes do not add up to a long one", () => {
    const call = answered();
    call.speak(500).pause(300).speak(500).pause(300).speak(500);
    expect(stopped(call)).toBe(false);
  });

  test("a decode that is left out takes back nothing of what was understood before", () => {
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

  test("the decode at the sound's end does not wait for a slow one of its beginning, which says nothing any more", () => {
    const call = answered();
    call.speak(224);
    const early = call.effects.find((effect) => effect.type === "listen-in");
    call.pause(128);
    const late = call.effects.findLast((effect) => effect.type === "listen-in");
    expect([early, late]).toMatchObject([{ ended: false }, { ended: true, untilMs: early?.untilMs }]);
    if (early !== undefined) call.send({ ...early, type: "overheard", heard: "command" });
    expect(stopped(call)).toBe(false);
    overhear(call, "command");
    expect(stopped(call)).toBe(true);
  });

  test("when no decode comes in two seconds the held speech goes on; the decode still decides", () => {
    for (const heard of ["command", "backchannel"] as const) {
      const call = answered();
      call.speak(300).pause(2300);
      expect(call.names()).toEqual(["hold-reply", "listen-in", "listen-in", "resume-reply"]);
      const [held, , , resumed] = call.effects;
      expect((resumed?.atMs ?? 0) - (held?.atMs ?? 0)).toBeLessThanOrEqual(2016);
      overhear(call, heard);
      call.pause(32);
      expect(stopped(call)).toBe(heard === "command");
      expect(call.names().includes("dismiss-sound")).toBe(heard === "backchannel");
    }
  });

  test("a second sound while the first is still waited for holds the reply again", () => {
    const call = answered();
    call.speak(300).pause(2300).speak(96);
    expect(call.state.reply).toMatchObject({ held: true });
    overhear(call, "backchannel");
    call.pause(128);
    expect(overhear(call, "command")).toMatchObject({ ended: true });
    expect(stopped(call)).toBe(true);
  });

  test("a decode of an earlier sound says nothing about this one", () => {
    const call = answered();
    call.speak(224).pause(2500);
    const asked = call.effects.find((effect) => effect.type === "listen-in");
    call.speak(224);
    if (asked?.type === "listen-in") call.send({ ...asked, type: "overheard", heard: "command" });
    expect(stopped(call)).toBe(false);
  });

  test("speech below the interrupt threshold does not touch the reply", () => {
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

  test("a voice that began before the reply was audible is weighed like one over it", () => {
    const call = new Conversation();
    call.speak(1000).pause(700);
    call.send({ type: "final", turn: 1, empty: false });
    call.speak(200);
    call.send({ type: "reply-audible", turn: 1 });
    call.speak(64);
    expect(call.names().slice(-2)).toEqual(["hold-reply", "listen-in"]);
    call.speak(1000);
    expect(call.effects.at(-1)).toMatchObject({ type: "open-turn", turn: 2, interrupts: true });
  });

  test("an answer that goes on when the reply is over is an ordinary turn", () => {
    const call = answered();
    call.speak(320);
    call.send({ type: "reply-finished", turn: 1 });
    call.speak(32);
    expect(call.effects.at(-1)).toMatchObject({ type: "open-turn", turn: 2, interrupts: false });
    call.pause(700);
    expect(call.effects.at(-1)).toMatchObject({ type: "commit-turn", turn: 2 });
  });

  test("a first syllable on the reply's last moment grows into a turn", () => {
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
  ] as const)("the reply ends before it is known that a sound is a %s (%i ms): %s", (heard, voicedMs, effect) => {
    const call = answered();
    call.speak(voicedMs).pause(32);
    call.send({ type: "reply-finished", turn: 1 });
    call.pause(1000);
    expect(call.names().at(-1)).toBe("listen-in");
    overhear(call, heard);
    call.pause(32);
    expect(call.names()).not.toContain("cancel-reply");
    expect(call.names().findLast((name) => name !== "prepare-final" && name !== "commit-turn")).toBe(effect);
    call.pause(700);
    expect(call.names().includes("commit-turn")).toBe(effect === "open-turn");
  });
});

describe("for any order of events", () => {
  test("once a turn has begun, all voice up to a silence like a turn's end is in a turn", () => {
    const stretch = (max: number) => fc.integer({ min: 1, max }).map((frames) => frames * FRAME_MS);
    fc.assert(
      fc.property(
        fc.array(fc.tuple(stretch(100), stretch(15)), { minLength: 1, maxLength: 30 }),
        fc.constantFrom(0.1, 0.3, 2, 5),
        (stretches, min_speaking_time) => {
          const call = new Conversation({ max_turn_duration: 2, natural_pauses: false, min_speaking_time });
          call.speak(min_speaking_time * 1000);
          const voiced: number[] = [];
          for (const [voiceMs, pauseMs] of stretches) {
            call.speak(voiceMs);
            for (let atMs = call.atMs; atMs > call.atMs - voiceMs; atMs -= FRAME_MS) voiced.push(atMs);
            call.pause(pauseMs);
          }
          call.pause(4000);
          const turns = call.effects.filter((effect) => effect.type === "commit-turn");
          const lost = voiced.filter((atMs) => !turns.some(({ startMs, endMs }) => startMs < atMs && atMs <= endMs));
          expect(lost).toEqual([]);
        },
      ),
      { numRuns: 500 },
    );
  });

  const eventArbitrary = fc.oneof(
    {
      weight: 8,
      arbitrary: fc.record({
        kind: fc.constant("voice" as const),
        p: fc.constantFrom(0, 0.2, 0.5, 0.99),
        n: fc.integer({ min: 1, max: 60 }),
      }),
    },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant("greet" as const) }) },
    {
      weight: 6,
      arbitrary: fc.record({
        kind: fc.constantFrom("final", "prepared", "pause-judged", "reply-audible", "reply-finished", "reply-failed"),
        turn: fc.integer({ min: 0, max: 8 }),
        flag: fc.boolean(),
      }),
    },
    {
      weight: 3,
      arbitrary: fc.record({
        kind: fc.constant("overheard" as const),
        heard: fc.constantFrom<OverlapKind[]>(
          "undecoded",
          "unclear",
          "nothing",
          "backchannel",
          "word",
          "words",
          "command",
        ),
      }),
    },
  );

  const settingsArbitrary = fc.record({
    mode: fc.constantFrom("standard" as const, "adaptive" as const, "aggressive" as const, "conservative" as const),
    max_turn_duration: fc.constantFrom(1, 30),
  });

  test("one live reply, every turn opened once and committed at most once, no question left unanswered", () => {
    fc.assert(
      fc.property(settingsArbitrary, fc.array(eventArbitrary, { maxLength: 80 }), (settings, events) => {
        const call = new Conversation(settings);
        for (const event of events) {
          if (event.kind === "voice") call.hear(event.p, event.n * FRAME_MS);
          else if (event.kind === "overheard") {
            const { user } = call.state;
            if (user.name === "overlapping" && user.listening !== undefined)
              call.send({
                type: "overheard",
                startMs: user.startMs,
                ...user.listening,
                heard: event.heard,
              });
          } else if (event.kind === "greet") call.send({ type: "greet" });
          else if (event.kind === "final") call.send({ type: "final", turn: event.turn, empty: event.flag });
          else if (event.kind === "prepared") call.send({ type: "prepared", turn: event.turn, unfinished: event.flag });
          else if (event.kind === "pause-judged") {
            const { user } = call.state;
            const pauseMs = user.name === "pausing" && event.turn < 7 ? user.lastVoicedMs : 0;
            const turn = user.name === "pausing" ? user.turn : event.turn;
            call.send({ type: "pause-judged", turn, pauseMs, probability: event.flag ? 0.99 : 0.01 });
          } else call.send({ type: event.kind as "reply-audible", turn: event.turn });
        }
        let live: number | undefined;
        let held = false;
        const opened = new Map<number, number>();
        const committed = new Set<number>();
        for (const effect of call.effects) {
          if (effect.type === "open-turn") {
            expect(opened.has(effect.turn)).toBe(false);
            opened.set(effect.turn, effect.atMs);
          } else if (effect.type === "commit-turn") {
            expect(opened.has(effect.turn) && !committed.has(effect.turn)).toBe(true);
            expect(effect.endMs).toBeGreaterThan(effect.startMs);
            // With a very short maximum, a sound over a reply may have lasted longer before it was taken for a turn.
            const openedMs = settings.max_turn_duration === 1 ? (opened.get(effect.turn) ?? 0) : 0;
            const longest = Math.max(effect.startMs + call.policy.maxTurnMs, openedMs);
            expect(effect.endMs).toBeLessThanOrEqual(longest + FRAME_MS);
            expect(effect.confidence >= 0 && effect.confidence <= 1).toBe(true);
            committed.add(effect.turn);
          } else if (effect.type === "cancel-reply") {
            expect(effect.turn).toBe(live);
            live = undefined;
            held = false;
          } else if (effect.type === "hold-reply") {
            expect([effect.turn, held]).toEqual([live, false]);
            held = true;
          } else if (effect.type === "resume-reply") {
            expect([effect.turn, held]).toEqual([live, true]);
            held = false;
          } else if (effect.type === "start-reply") {
            live = effect.turn;
            held = false;
          }
        }
        // Left alone, the machine comes to rest: all turns committed, and finals lead to a reply or to silence.
        call.pause(4000);
        // What was said over a reply waits for its decode, and one begun before the sound went on for one more; for nothing else.
        for (let decodes = 0; decodes < 2; decodes += 1) {
          const { user } = call.state;
          if (user.name !== "overlapping") break;
          expect(user.listening).toMatchObject({ ended: true });
          if (user.listening)
            call.send({ type: "overheard", startMs: user.startMs, ...user.listening, heard: "unclear" });
          call.pause(4000);
        }
        expect(call.state.user.name).toBe("silent");
        for (const turn of call.state.pendingFinals) call.send({ type: "final", turn, empty: true });
        expect(call.state.pendingFinals).toEqual([]);
        if (call.state.unanswered) expect(call.state.reply.name).toBe("thinking");
      }),
      { numRuns: 500 },
    );
  });
});
