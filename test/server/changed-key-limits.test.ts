import { expect, test } from "vitest";
import type { KeyLimits } from "../../src/auth/key-file.ts";
import { KeyQuotas } from "../../src/server/calls/key-quotas.ts";
import { VirtualClock } from "../support/virtual-clock.ts";

/** Connections of one key in turn, each with the key's limits at that time. */
function connections() {
  const clock = new VirtualClock();
  const quotas = new KeyQuotas({ audio_burst_seconds: 10 }, clock);
  const join = (limits: KeyLimits) => quotas.join({ method: "api_key", id: "key_1", limits } as never);
  return { clock, join };
}
const countTaken = (take: () => boolean, most: number): number => {
  let taken = 0;
  while (taken < most && take()) taken += 1;
  return taken;
};

test("a raised rate of messages acts on the next connection of a busy key", () => {
  const { join } = connections();
  const first = join({ max_messages_per_second: 1 });
  countTaken(() => first.takeMessage(), 100);
  const second = join({ max_messages_per_second: 1_000 });
  expect(countTaken(() => second.takeMessage(), 500)).toBeGreaterThan(100);
});

test("a lowered rate of messages acts on the next connection, after abuse", () => {
  const { join, clock } = connections();
  join({ max_messages_per_second: 1_000 });
  const second = join({ max_messages_per_second: 5 });
  clock.advance(10_000);
  expect(countTaken(() => second.takeMessage(), 500)).toBeLessThanOrEqual(10);
});

test("the same for audio", () => {
  const { join, clock } = connections();
  join({ max_audio_bytes_per_second: 1_000_000 });
  const second = join({ max_audio_bytes_per_second: 48_000 });
  clock.advance(60_000);
  expect(countTaken(() => second.takeAudio(48_000), 100)).toBeLessThanOrEqual(11);
});

test("a limit for a key that had none, and no limit for one that had it", () => {
  const { join } = connections();
  join({});
  const limited = join({ max_messages_per_second: 5 });
  expect.soft(countTaken(() => limited.takeMessage(), 500)).toBeLessThanOrEqual(10);
  const free = join({});
  expect.soft(countTaken(() => free.takeMessage(), 500)).toBe(500);
});
