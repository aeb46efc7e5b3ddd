import { describe, expect, it } from "vitest";
import {
  dictatedNumber,
  isNumberAnswer,
  isOneWord,
  likelyAnswers,
} from "../../../../src/engines/stt/ears/likely-answers.ts";

const find = (expects: Parameters<typeof likelyAnswers>[0], text: string) =>
  likelyAnswers(expects).find(({ writings }) => writings[0] === text);

describe("likelyAnswers", () => {
  it.each([undefined, "number", "letters"] as const)("has each answer once when the service expects %s", (expects) => {
    const texts = likelyAnswers(expects).flatMap(({ writings }) => writings);
    expect(new Set(texts).size).toBe(texts.length);
    expect(texts).not.toContain("");
  });

  it("gives a digit the three ways of writing it", () => {
    expect(find(undefined, "Seven.")?.writings).toEqual(["Seven.", "7", "7."]);
    expect(find("number", "Twelve.")?.writings).toEqual(["Twelve.", "12", "12."]);
  });

  it("finds numbers likelier after a question for a number", () => {
    expect(find("number", "Seven.")?.advantage).toBeGreaterThan(find(undefined, "Seven.")?.advantage ?? Infinity);
    expect(find(undefined, "Seven.")?.advantage).toBeGreaterThan(find(undefined, "Yes.")?.advantage ?? Infinity);
    expect(find(undefined, "Twelve.")).toBeUndefined();
  });

  it("has letters only after a question for letters", () => {
    expect(find("letters", "Q.")?.writings).toEqual(["Q.", "Q"]);
    expect(find("number", "Q.")).toBeUndefined();
  });

  it("has answers of two words", () => {
    expect(find(undefined, "Thank you.")).toBeDefined();
  });
});

describe("dictatedNumber", () => {
  it("writes the digits in the ways of recognisers", () => {
    const writings = ["Five, oh, 1", "Five, zero, one.", "501", "501.", "5 0 1."];
    expect(dictatedNumber("Five, oh, 1")?.writings).toEqual(writings);
  });

  it.each(["Five.", "Five to one", "Set a timer", "", "1 2 3 4 5 6 7"])("is undefined for %j", (text) =>
    expect(dictatedNumber(text)).toBeUndefined(),
  );
});

describe("isNumberAnswer", () => {
  it.each(["Zero.", "Nine.", "Twenty."])("is true for %s", (text) => expect(isNumberAnswer(text)).toBe(true));
  it.each(["Oh.", "Yes.", "nine", "9", ""])("is false for %j", (text) => expect(isNumberAnswer(text)).toBe(false));
});

describe("isOneWord", () => {
  it.each(["", "Yes.", "it's", "9", "...", "Élan!"])("is true for %j", (text) => expect(isOneWord(text)).toBe(true));
  it.each(["thank you", "12", "A B", "V-8", "7 7"])("is false for %j", (text) => expect(isOneWord(text)).toBe(false));
});
