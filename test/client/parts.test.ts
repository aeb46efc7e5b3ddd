import * as fc from "fast-check";
import { expect, test } from "vitest";
import { voiceAddress } from "../../src/client/address.ts";
import { fromBase64, uuid } from "../../src/client/bytes.ts";
import { MessageStream } from "../../src/client/message-stream.ts";
import { PlaybackClock } from "../../src/client/playback-clock.ts";
import type { ServerMessage } from "../../src/doors/voice/server-messages.ts";

test("an address turns http into ws, keeps the path of a proxy and encodes its parts", () => {
  const address = voiceAddress({
    base: "https://box/voice/",
    apiKey: "oak_a+b",
    configId: "front desk",
    projectId: "p",
  });
  expect(address("1 2")).toBe("wss://box/voice/ws/voice/1%202?config_id=front+desk&api_key=oak_a%2Bb&project_id=p");
  expect(voiceAddress({ base: "ws://box:1", token: "t", configId: "d" })("x")).toBe(
    "ws://box:1/ws/voice/x?config_id=d&authorization=Bearer+t",
  );
});

test("base64 and ids match those of Node", () => {
  fc.assert(
    fc.property(fc.uint8Array(), (bytes) => {
      expect(fromBase64(Buffer.from(bytes).toString("base64"))).toEqual(bytes);
    }),
  );
  expect(uuid()).toMatch(/^[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/u);
});

test("parallel reads get the messages in order, then the end", async () => {
  const stream = new MessageStream<ServerMessage>(() => undefined);
  const asked = [stream.next(), stream.next(), stream.next(), stream.next()];
  const message = (message_id: string) =>
    ({ type: "tts_interruption", timestamp: 0, message_id, content: "" }) as const;
  stream.push(message("first"));
  stream.push(message("second"));
  stream.end(undefined);
  const answers = await Promise.all(asked);
  expect(answers.map(({ value }) => value?.message_id)).toEqual(["first", "second", undefined, undefined]);
  expect(answers.map(({ done }) => done)).toEqual([false, false, true, true]);
});

test("the heard position shrinks only by an interruption and ends at the received audio", () => {
  const steps = fc.array(
    fc.record({
      addMs: fc.integer({ min: 0, max: 500 }),
      waitMs: fc.integer({ min: 0, max: 500 }),
      stop: fc.boolean(),
    }),
  );
  fc.assert(
    fc.property(steps, (row) => {
      const clock = new PlaybackClock();
      let nowMs = 0;
      let received = 0;
      let heard = 0;
      for (const { addMs, waitMs, stop } of row) {
        clock.add(addMs, nowMs);
        received += addMs;
        nowMs += waitMs;
        expect(clock.heardMs(nowMs)).toBeGreaterThanOrEqual(heard);
        if (stop) received -= clock.interrupt(nowMs);
        heard = clock.heardMs(nowMs);
        expect(heard).toBeLessThanOrEqual(received);
        if (stop) expect(clock.isPlaying(nowMs)).toBe(false);
      }
      expect(clock.heardMs(nowMs + 1_000_000)).toBeCloseTo(received);
    }),
  );
});
