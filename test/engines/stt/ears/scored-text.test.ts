import { expect, test } from "vitest";
import { logProbabilityOf, wordScores } from "../../../../src/engines/stt/ears/scored-text.ts";

const scored = (...tokens: [bytes: string, logProbability: number][]) =>
  tokens.map(([bytes, logProbability]) => ({ bytes, logProbability }));

test("a text is as likely as all its tokens and its end", () => {
  expect(logProbabilityOf(scored([" Yes", -1], [".", -2], ["", -4]))).toBe(-7);
});

test("a text that an ear cannot score is impossible", () => {
  expect(logProbabilityOf([])).toBe(-Infinity);
});

test("a word is as likely as its tokens, without the end", () => {
  expect(wordScores(scored([" thank", -1], [" y", -2], ["ou", -3], [".", -4], ["", -5]))).toEqual([-1, -9]);
  expect(wordScores(scored(["No", -1], [",", -2], [" no", -3]))).toEqual([-3, -3]);
  expect(wordScores([])).toEqual([]);
});
