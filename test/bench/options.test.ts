import { expect, test } from "vitest";
import { HALVES, isInHalf, parseOptions } from "../../bench/options.ts";

const halfOf = (...args: readonly string[]) =>
  parseOptions(args, { half: { type: "string", default: "even" } }, { half: HALVES }).half;

test("an option that allows few values refuses the others and names those it allows", () => {
  expect([halfOf(), halfOf("--half", "odd"), halfOf("--half=even")]).toEqual(["even", "odd", "even"]);
  for (const wrong of ["WORD", "", "Odd", "both"])
    expect(() => halfOf("--half", wrong), wrong).toThrow("--half must be one of even, odd");
  expect(() => halfOf("--haf", "odd")).toThrow("--haf");
});

test("the halves share nothing and leave nothing out", () => {
  const all = [0, 1, 2, 3, 4];
  expect(all.filter((at) => isInHalf("even", at))).toEqual([0, 2, 4]);
  expect(all.filter((at) => isInHalf("odd", at))).toEqual([1, 3]);
});

test("a number is a number, and a word in its place is refused", () => {
  const read = (...args: readonly string[]) =>
    parseOptions(args, { runs: { type: "number", default: 3 }, fan: { type: "number" }, name: { type: "string" } });
  expect(read()).toEqual({ runs: 3 });
  expect(read("--runs", "10", "--fan=-2.5", "--name", "7")).toEqual({ runs: 10, fan: -2.5, name: "7" });
  for (const wrong of ["ten", "", " ", "1x", "NaN", "Infinity"])
    expect(() => read(`--fan=${wrong}`), wrong).toThrow(`--fan must be a number, not "${wrong}"`);
});

test("numbers have commas between them, and a word among them is refused", () => {
  const read = (...args: readonly string[]) => parseOptions(args, { callers: { type: "numbers", default: "1,2" } });
  expect(read()).toEqual({ callers: [1, 2] });
  expect(read("--callers", "8,0.5")).toEqual({ callers: [8, 0.5] });
  for (const wrong of ["1,two", "1,", "", "1;2"]) expect(() => read(`--callers=${wrong}`), wrong).toThrow("--callers");
});
