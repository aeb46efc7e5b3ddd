import { expect, test } from "vitest";
import { nearestWord } from "../../src/shared/did-you-mean.ts";

const known = ["keys", "token", "greeting", "models", "say"];

test.each([
  ["kyes", "keys"],
  ["key", "keys"],
  ["greting", "greeting"],
  ["Greeting", "greeting"],
  ["modles", "models"],
  ["constructor", undefined],
  ["x", undefined],
  ["", undefined],
  ["x".repeat(100_000), undefined],
])("%s", (word, meant) => {
  expect(nearestWord(word, known)).toBe(meant);
});
