import { expect, test } from "vitest";
import { LevelMeter } from "../../src/audio/level.ts";
import { Announcer } from "../../src/conversation/announcer.ts";

test("audio that was skipped is not made up for by a burst of voice activity", () => {
  const sent: string[] = [];
  const announcer = new Announcer({ send: (type) => void sent.push(type) }, "c", () => true);
  const meter = new LevelMeter(0.032);
  for (let atMs = 32; atMs <= 320; atMs += 32) announcer.activity(atMs, meter);
  sent.length = 0;
  for (let atMs = 40_000; atMs < 41_000; atMs += 32) announcer.activity(atMs, meter);
  expect(sent).toHaveLength(5);
});
