import { CALL_SAMPLES_PER_MS } from "../../../../src/audio/format.ts";
import fc from "fast-check";
import { expect, test } from "vitest";
import { Player, type PlayerOptions } from "../../../../src/conversation/reply/speech/player.ts";
import { VirtualClock } from "../../../support/virtual-clock.ts";

const TEXT = "Hello there, how are you today?";

function setup(options: Pick<PlayerOptions, "waitMs" | "jitterMs"> = {}) {
  const clock = new VirtualClock();
  const log: string[] = [];
  let sentSamples = 0;
  let hasRoom = true;
  const player = new Player({
    clock,
    events: {
      send: (pcm) => void (sentSamples += pcm.length),
      audible: () => log.push("audible"),
      finished: () => log.push("finished"),
    },
    ...options,
    hasRoom: () => hasRoom,
  });
  const setRoom = (room: boolean) => (hasRoom = room);
  const say = (ms: number, fromChar: number, toChar: number) =>
    player.enqueue({ pcm: new Int16Array(ms * CALL_SAMPLES_PER_MS), fromChar, toChar });
  return { clock, player, log, say, setRoom, sentMs: () => sentSamples / CALL_SAMPLES_PER_MS };
}

test("sends the first chunk at once, then stays a little ahead of playback", () => {
  const { clock, log, say, sentMs } = setup();
  say(3000, 0, 12);
  expect(log).toEqual(["audible"]);
  expect(sentMs()).toBe(120);
  for (let played = 100; played <= 2000; played += 100) {
    clock.advance(100);
    expect(sentMs() - played).toBeGreaterThanOrEqual(120);
    expect(sentMs() - played).toBeLessThanOrEqual(180);
  }
});

test.each([
  [80, 240],
  [1000, 360],
])("runs %i ms further ahead for a network that is late by that, at most 360 ms", (jitterMs, sent) => {
  const { say, sentMs } = setup({ jitterMs: () => jitterMs });
  say(3000, 0, 12);
  expect(sentMs()).toBe(sent);
});

test("finishes when the last sample has been played, not when it was sent", () => {
  const { clock, player, log, say, sentMs } = setup();
  say(1000, 0, TEXT.length);
  player.finish();
  clock.advance(900);
  expect(sentMs()).toBe(1000);
  expect(log).toEqual(["audible"]);
  clock.advance(101);
  expect(log).toEqual(["audible", "finished"]);
  expect(player.heardChars(TEXT)).toBe(TEXT.length);
  expect(clock.pendingTimers).toBe(0);
});

test("property: a reply of any number of samples is heard to its end when it was played to its end", () => {
  const samples = fc.integer({ min: 1, max: 60_000 });
  fc.assert(
    fc.property(
      fc.array(samples, { minLength: 1, maxLength: 4 }),
      fc.double({ min: 0, max: 1e6, noNaN: true }),
      (clips, began) => {
        const { clock, player, log } = setup();
        clock.advance(began);
        const text = clips
          .map(() => "is it, ")
          .join("")
          .trim();
        for (const [at, length] of clips.entries())
          player.enqueue({ pcm: new Int16Array(length), fromChar: 7 * at, toChar: 7 * at + 6 });
        player.finish();
        clock.advance(20_000);
        expect(log).toContain("finished");
        expect(player.heardChars(text)).toBe(text.length);
      },
    ),
  );
});

test("an utterance starts when the next one will be ready in time, after 1.5 s at the latest", () => {
  let needed = 5000;
  const { clock, player, log, say, sentMs } = setup({ waitMs: (readyMs) => needed - readyMs });
  say(1000, 0, 12);
  clock.advance(600);
  expect(log).toEqual([]);
  expect(player.heardChars(TEXT)).toBe(0);
  needed = 1000;
  clock.advance(50);
  expect(log).toEqual(["audible"]);
  needed = 9000;
  say(1000, 12, TEXT.length);
  clock.advance(1000);
  expect(sentMs()).toBe(1000);
  expect(player.heardChars(TEXT)).toBe(12);
  clock.advance(1400);
  expect(sentMs()).toBe(1000);
  clock.advance(150);
  expect(sentMs()).toBeGreaterThan(1000);
});

test("a hold does not end the wait before an utterance, a cancellation does", () => {
  let needed = 5000;
  const { clock, player, log, say } = setup({ waitMs: (readyMs) => needed - readyMs });
  say(1000, 0, 12);
  player.hold();
  needed = 0;
  clock.advance(500);
  expect(log).toEqual([]);
  needed = 5000;
  player.resume();
  expect(log).toEqual([]);
  player.cancel();
  clock.advance(5000);
  expect(log).toEqual([]);
  expect(clock.pendingTimers).toBe(0);
});

test("a reply without speech finishes at once", () => {
  const { player, log } = setup();
  player.finish();
  expect(log).toEqual(["finished"]);
});

test("the heard text ends at a whole word", () => {
  const { clock, player, say } = setup();
  say(1000, 0, 12);
  say(2000, 12, TEXT.length);
  clock.advance(1000);
  expect(TEXT.slice(0, player.heardChars(TEXT))).toBe("Hello there,");
  clock.advance(1000);
  expect(TEXT.slice(0, player.heardChars(TEXT))).toBe("Hello there, how are");
  player.cancel();
  expect(clock.pendingTimers).toBe(0);
});

test("held speech stops within the lead and continues at the same sample", () => {
  const { clock, player, say, sentMs } = setup();
  say(3000, 0, TEXT.length);
  clock.advance(500);
  player.hold();
  const atHold = sentMs();
  clock.advance(5000);
  expect(sentMs()).toBe(atHold);
  player.resume();
  clock.advance(4000);
  expect(sentMs()).toBe(3000);
});

test("synthesis waits while more than eight seconds of speech are buffered", async () => {
  const { clock, player, say } = setup();
  for (let clause = 0; clause < 5; clause += 1) say(2000, 0, 1);
  let free = false;
  const waiting = player.room().then(() => (free = true));
  await Promise.resolve();
  expect(free).toBe(false);
  clock.advance(2000);
  await waiting;
  expect(free).toBe(true);
});

test("property: each sample is sent once, and the heard position never exceeds the sent one or moves back", () => {
  const action = fc.oneof(
    fc.record({ say: fc.integer({ min: 0, max: 3000 }) }),
    fc.record({ wait: fc.integer({ min: 0, max: 1000 }) }),
    fc.record({ hold: fc.boolean() }),
  );
  fc.assert(
    fc.property(fc.array(action, { maxLength: 40 }), (actions) => {
      const { clock, player, log, say, sentMs } = setup();
      const text = "word ".repeat(actions.length);
      let total = 0;
      let clauses = 0;
      let heard = 0;
      for (const step of actions) {
        if ("say" in step) {
          say(step.say, clauses * 5, clauses * 5 + 5);
          clauses += 1;
          total += step.say;
        } else if ("wait" in step) clock.advance(step.wait);
        else if (step.hold) player.hold();
        else player.resume();
        const now = player.heardChars(text);
        expect(now).toBeGreaterThanOrEqual(heard);
        heard = now;
      }
      player.resume();
      player.finish();
      clock.advance(total + 1000);
      expect(sentMs()).toBeCloseTo(total, 6);
      expect(log.at(-1)).toBe("finished");
      expect(log.filter((name) => name === "finished")).toHaveLength(1);
    }),
  );
});

test("a reported position replaces the estimate: late playback is not heard, and sending follows it", () => {
  const { clock, player, say, sentMs } = setup();
  say(3000, 0, TEXT.length);
  clock.advance(220);
  player.reportPlayed(120);
  expect(player.heardMs).toBe(120);
  const sent = sentMs();
  clock.advance(50);
  expect(player.heardMs).toBe(170);
  expect(sentMs() - 170).toBeLessThanOrEqual(240);
  expect(sentMs()).toBeGreaterThanOrEqual(sent);
});

test("without more reports, at most the chunk after the reported one is heard", () => {
  const { clock, player, say } = setup();
  say(3000, 0, TEXT.length);
  clock.advance(120);
  player.reportPlayed(120);
  clock.advance(900);
  expect(player.heardMs).toBe(180);
  player.reportPlayed(60);
  player.reportPlayed(99_999);
  expect(player.heardMs).toBeLessThanOrEqual(1_600);
});

test("nothing is sent to a client whose buffer is full", () => {
  const { clock, player, log, say, setRoom, sentMs } = setup();
  say(2000, 0, TEXT.length);
  player.finish();
  setRoom(false);
  clock.advance(5000);
  expect(sentMs()).toBe(120);
  expect(log).toEqual(["audible"]);
  setRoom(true);
  player.sendMore();
  clock.advance(1900);
  expect(sentMs()).toBe(2000);
  expect(log).toEqual(["audible", "finished"]);
});
