import fc from "fast-check";
import { expect, test } from "vitest";
import { PartialBudget } from "../../../src/conversation/transcripts/partial-budget.ts";
import { VirtualClock } from "../../support/virtual-clock.ts";

test("property: decodes of any cost use at most half a core on average and never overlap", () => {
  const costsMs = fc.array(fc.integer({ min: 0, max: 5000 }), { minLength: 1, maxLength: 40 });
  const threads = fc.integer({ min: 1, max: 8 });
  fc.assert(
    fc.property(costsMs, threads, fc.integer({ min: 1, max: 200 }), (costs, cores, frameMs) => {
      const clock = new VirtualClock();
      const budget = new PartialBudget(clock, cores);
      let spentMs = 0;
      for (const costMs of costs) {
        while (!budget.isFree) clock.advance(frameMs);
        expect(spentMs).toBeLessThanOrEqual(clock.nowMs() * 0.5 + 1e-6);
        const ended = budget.begin();
        clock.advance(costMs / 2);
        expect(budget.isFree).toBe(false);
        clock.advance(costMs / 2);
        ended();
        spentMs += costMs * cores;
      }
    }),
  );
});

test("after a decode of 100 ms the next decode starts at 200 ms with one thread, at 800 ms with four", () => {
  for (const [threads, spacingMs] of [
    [1, 200],
    [4, 800],
  ] as const) {
    const clock = new VirtualClock();
    const budget = new PartialBudget(clock, threads);
    expect(budget.isFree).toBe(true);
    const ended = budget.begin();
    clock.advance(100);
    ended();
    clock.advance(spacingMs - 101);
    expect(budget.isFree).toBe(false);
    clock.advance(1);
    expect(budget.isFree).toBe(true);
  }
});
