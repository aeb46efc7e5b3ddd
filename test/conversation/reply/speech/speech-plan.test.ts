import fc from "fast-check";
import { expect, test } from "vitest";
import { stallsMs, type AwaitedClause } from "../../../../src/conversation/reply/speech/speech-plan.ts";

const rate = fc.double({ min: 0.1, max: 150, noNaN: true });
const pace = fc.record({ write: rate, synthesis: rate, speech: rate });
const clause = fc
  .record({ chars: fc.integer({ min: 1, max: 200 }), written: fc.double({ min: 0, max: 1, noNaN: true }) })
  .map(({ chars, written }): AwaitedClause => ({ chars, unwrittenChars: Math.round(chars * (1 - written)) }));
const reply = fc.array(clause, { minLength: 1, maxLength: 6 });
const readyMs = fc.integer({ min: 0, max: 8000 });
const total = (stalls: readonly number[]) => stalls.reduce((sum, ms) => sum + ms, 0);

test("property: a wait as long as the sum of all stalls prevents them, a shorter wait does not", () => {
  fc.assert(
    fc.property(readyMs, reply, pace, (ready, clauses, at) => {
      const wait = total(stallsMs(ready, clauses, at));
      expect(total(stallsMs(ready + wait, clauses, at))).toBeCloseTo(0, 5);
      if (wait > 2) expect(total(stallsMs(ready + wait - 1, clauses, at))).toBeCloseTo(1, 5);
    }),
  );
});

test("property: faster engines never stall longer", () => {
  fc.assert(
    fc.property(readyMs, reply, pace, fc.double({ min: 0, max: 1, noNaN: true }), (ready, clauses, at, factor) => {
      const faster = { ...at, write: at.write * factor, synthesis: at.synthesis * factor };
      expect(total(stallsMs(ready, clauses, faster))).toBeLessThanOrEqual(total(stallsMs(ready, clauses, at)) + 1e-6);
    }),
  );
});

test("the wait is shorter by the time that a clause has been in synthesis", () => {
  const at = { write: 50, synthesis: 20, speech: 60 };
  const clauses = [{ chars: 50, unwrittenChars: 0 }];
  expect(stallsMs(300, clauses, at)).toEqual([700]);
  expect(stallsMs(300, clauses, at, 600)).toEqual([100]);
  expect(stallsMs(300, clauses, at, 5000)).toEqual([0]);
});
