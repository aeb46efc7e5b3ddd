import { expect, test } from "vitest";
import { PunctuationOdds } from "../../../src/conversation/ear/punctuation-odds.ts";

test("a text without a stop is less likely over, once the recogniser has written stops", () => {
  const odds = new PunctuationOdds();
  expect(odds.of("I would like")).toBe(0);
  expect(odds.of("Yes.")).toBe(0);
  expect(odds.of("I would like")).toBe(0);
  expect(odds.of("Turn it on.")).toBe(0);
  expect(odds.of("I would like")).toBeLessThan(-1);
  expect(odds.of("I would like,")).toBeLessThan(-1);
});

test("a question is more likely over", () => {
  expect(new PunctuationOdds().of("What time is it?")).toBeGreaterThan(0);
});

test.each(["", "My number is 4900", "It is V Q D", "BBC"])("%j needs no stop", (text) => {
  const odds = new PunctuationOdds();
  odds.of("Turn it on.");
  expect(odds.of(text)).toBe(0);
});
