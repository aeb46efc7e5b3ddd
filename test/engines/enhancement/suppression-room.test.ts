import { expect, test } from "vitest";
import { SuppressionRoom } from "../../../src/engines/enhancement/suppression-room.ts";
import { VirtualClock } from "../../support/virtual-clock.ts";

test("callers get noise suppression one after the other while the loop has time, and lose it so when it has none", () => {
  const clock = new VirtualClock();
  let busy = 0.2;
  const room = new SuppressionRoom(clock, () => busy);
  /** Callers that start and stop in a second of frames of five callers. */
  const second = () => {
    const changes = { starts: 0, stops: 0 };
    for (let frame = 0; frame < 150; frame += 1) {
      clock.advance(1000 / 150);
      if (room.mayStart()) changes.starts += 1;
      if (room.mustStop()) changes.stops += 1;
    }
    return changes;
  };
  expect(second()).toEqual({ starts: 1, stops: 0 });
  expect(second()).toEqual({ starts: 1, stops: 0 });
  busy = 0.7;
  second();
  expect(second(), "neither idle nor overloaded").toEqual({ starts: 0, stops: 0 });
  busy = 0.95;
  second();
  expect(second()).toEqual({ starts: 0, stops: 1 });
});

test("the share of the event loop's time is measured", async () => {
  const clock = new VirtualClock();
  const room = new SuppressionRoom(clock);
  const isIdle = async () => {
    await new Promise((resolve) => setTimeout(resolve, 50));
    clock.advance(1000);
    return room.mayStart();
  };
  await expect.poll(isIdle).toBe(true);
  clock.advance(1000);
  const end = performance.now() + 200;
  while (performance.now() < end);
  expect(room.mustStop(), "a loop without rest").toBe(true);
});
