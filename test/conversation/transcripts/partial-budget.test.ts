import fc from "fast-check";
import { expect, test } from "vitest";
import { PartialBudget } from "../../../src/conversation/transcripts/partial-budget.ts";
import { VirtualClock } from "../../support/virtual-clock.ts";

test("whatever decodes cost, they never took more than half of one core when the next one starts, and never overlap", () => {
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

test("a decode of 100 ms on one thread may follow itself after 200 ms, on four threads after 800 ms", () => {
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
