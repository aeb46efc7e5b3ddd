import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { tokenStarts } from "../../../../src/engines/stt/moonshine/align.ts";

const attention = (...rows: number[][]) => rows.map((row) => Float32Array.from(row));

describe("tokenStarts", () => {
  it("follows a diagonal attention", () => {
    const diagonal = Array.from({ length: 6 }, (_, token) => Array.from({ length: 6 }, (_each, at) => +(at === token)));
    expect(tokenStarts(attention(...diagonal))).toEqual([0, 1, 2, 3, 4, 5]);
  });

  it("gives each token the first position of its attention", () => {
    const rows = attention([1, 1, 0, 0, 0, 0, 0], [0, 0, 1, 1, 1, 0, 0], [0, 0, 0, 0, 0, 1, 1]);
    expect(tokenStarts(rows)).toEqual([0, 2, 5]);
  });

  it("never goes back for a token that attends to an earlier place", () => {
    const starts = tokenStarts(attention([0, 0, 1, 0, 0], [1, 0, 0, 0, 0], [0, 0, 0, 0, 1]));
    expect(starts).toEqual(starts.toSorted((one, other) => one - other));
    expect(starts[2]).toBe(4);
  });

  it("has no starts without tokens or positions", () => {
    expect(tokenStarts([])).toEqual([]);
    expect(tokenStarts(attention([], []))).toEqual([]);
  });

  it("has a start for each token, in order and inside the clip, also with more tokens than positions", () => {
    const size = fc.integer({ min: 1, max: 9 });
    const rows = fc.tuple(size, size).chain(([tokens, positions]) => {
      const row = fc.array(fc.float({ min: 0, max: 1, noNaN: true }), { minLength: positions, maxLength: positions });
      return fc.array(row, { minLength: tokens, maxLength: tokens });
    });
    fc.assert(
      fc.property(rows, (table) => {
        const starts = tokenStarts(attention(...table));
        expect(starts).toHaveLength(table.length);
        let latest = 0;
        for (const start of starts) {
          expect(start).toBeGreaterThanOrEqual(latest);
          expect(start).toBeLessThan(table[0]?.length ?? 0);
          latest = start;
        }
      }),
    );
  });
});
