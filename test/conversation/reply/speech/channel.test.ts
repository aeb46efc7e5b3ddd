import { getEventListeners } from "node:events";
import { expect, test } from "vitest";
import { Channel } from "../../../../src/conversation/reply/speech/channel.ts";

test("a full channel makes the producer wait, keeps the order and removes its listener from the signal", async () => {
  const { signal } = new AbortController();
  const channel = new Channel<number>(1);
  const producing = (async () => {
    for (let item = 0; item < 30; item += 1) await channel.push(item, signal);
    channel.close();
  })();
  const read: number[] = [];
  for await (const item of channel) read.push(item);
  await producing;
  expect(read).toEqual(Array.from({ length: 30 }, (_, item) => item));
  expect(getEventListeners(signal, "abort")).toEqual([]);
});

test("an abort ends the wait for space", async () => {
  const abort = new AbortController();
  const channel = new Channel<number>(1);
  await channel.push(0, abort.signal);
  const waiting = channel.push(1, abort.signal);
  abort.abort(new Error("the user went on"));
  await expect(waiting).rejects.toThrow("the user went on");
});
