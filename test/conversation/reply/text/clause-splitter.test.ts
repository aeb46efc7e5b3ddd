import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ClauseSplitter, type Clause } from "../../../../src/conversation/reply/text/clause-splitter.ts";

function split(pieces: Iterable<string>): Clause[] {
  const splitter = new ClauseSplitter();
  const clauses: Clause[] = [];
  for (const piece of pieces) clauses.push(...splitter.push(piece));
  return [...clauses, ...splitter.flush()];
}

const texts = (clauses: readonly Clause[]): string[] => clauses.map(({ text }) => text);

describe("ClauseSplitter", () => {
  it("returns the first clause when the character after its punctuation arrives, then whole sentences", () => {
    const splitter = new ClauseSplitter();
    expect(splitter.push("Certainly sir")).toEqual([]);
    expect(splitter.push(",")).toEqual([]);
    expect(splitter.push(" I")).toEqual([{ text: "Certainly sir,", start: 0, end: 14 }]);
    expect(splitter.push(" can do that, and more. ")).toEqual([
      { text: " I can do that, and more.", start: 14, end: 39 },
    ]);
    expect(splitter.push("Anything else?")).toEqual([]);
    expect(texts(splitter.flush())).toEqual([" Anything else?"]);
  });

  it("splits later text at commas or after six words when the voice would have to wait", () => {
    const hurried = (hurry: "clauses" | "words") => {
      const splitter = new ClauseSplitter();
      splitter.push("Certainly sir, ");
      return texts(splitter.push("I can book it for the two of you, and for 7 p.m. on Friday ", hurry));
    };
    expect(hurried("clauses")).toEqual([" I can book it for the two of you,"]);
    expect(hurried("words")).toEqual([" I can book it for the", " two of you,"]);
  });

  it("does not speak a single short word alone when more follows", () => {
    expect(texts(split(["Sure! What time would you like?"]))).toEqual(["Sure! What time would you like?"]);
    expect(texts(split(["Sure."]))).toEqual(["Sure."]);
  });

  it.each([
    "It costs 3.5 dollars in all",
    "The train at 7:30 is full",
    "We have 1,200 rooms left",
    "Your date is Nov 3, 2026 then",
    "Please ask Dr. No about the matter",
    "Bring fruit e.g. apples",
    "Open from 5–7 on weekdays",
    "We met J. Smith and the U.S. envoy there",
    "At 7 p.m. we close the doors",
    "It is in Apt. 5 and Apt. B upstairs",
    "Dial the number and ext. 12 for us",
    "Ask the Dept. of Health about it",
    "We are open on Sat. from nine",
    "Wait for 5 min. before the next one",
    "He stands 6 ft. 2 in his socks",
    "Please ask our Sr. Manager about it",
    "The suite is room no. 5 upstairs",
    "这里有12：30和1、2、3",
  ])("keeps %j whole, at once or letter by letter", (text) => {
    expect(texts(split([text]))).toEqual([text]);
    expect(texts(split(text))).toEqual([text]);
  });

  it.each([
    ["We close at 7 p.m. Come early.", ["We close at 7 p.m.", " Come early."]],
    ["He said “come in.” Then he left.", ["He said “come in.”", " Then he left."]],
    ["We met John Fox Jr. Then we left.", ["We met John Fox Jr.", " Then we left."]],
    ["I said no. 5 people came.", ["I said no.", " 5 people came."]],
    ["It stands in Apt. 5. Come up.", ["It stands in Apt. 5.", " Come up."]],
    [
      "好的，今天天气很好。我们去公园吧！你说：“好。”再见",
      ["好的，今天天气很好。", "我们去公园吧！", "你说：“好。”", "再见"],
    ],
    ["नमस्ते जी। आप कैसे हैं?", ["नमस्ते जी।", " आप कैसे हैं?"]],
    ["مرحبا بك معنا، كيف حالك؟ شكرا", ["مرحبا بك معنا،", " كيف حالك؟", " شكرا"]],
    ["That is fine — see you then", ["That is fine —", " see you then"]],
    ["Wait a moment... I see it now.", ["Wait a moment...", " I see it now."]],
    ["Two things:\n1. Bread rolls\n2. Butter", ["Two things:", "\n1. Bread rolls\n", "2. Butter"]],
  ])("splits %j", (text, expected) => {
    expect(texts(split([text]))).toEqual(expected);
  });

  it("limits a first piece without punctuation, but not between a number and its unit", () => {
    const words = Array.from({ length: 40 }, (_, index) => (index === 23 ? "30" : `w${"x".repeat(index % 3)}`));
    const [first] = split([words.join(" ")]);
    expect(first?.text.split(" ")).toHaveLength(22);
  });

  it("returns pieces that join to the text, with correct offsets, for any division of the input", () => {
    const token = fc.oneof(
      fc.constantFrom(
        ".",
        ",",
        "!",
        "?",
        ":",
        ";",
        "—",
        "–",
        "\n",
        " ",
        "  ",
        "3",
        "7:30",
        "1,200",
        "Dr.",
        "e.g.",
        "p.m.",
        "U.S.",
        "word",
        "Word",
        "…",
        "。",
        "，",
        "؟",
        "你好",
        '"',
        ")",
      ),
      fc.string({ unit: "grapheme", maxLength: 12 }),
    );
    fc.assert(
      fc.property(fc.array(token, { maxLength: 120 }), (pieces) => {
        const text = pieces.join("");
        const clauses = split(pieces);
        expect(texts(clauses).join("")).toBe(text);
        for (const { text: part, start, end } of clauses) {
          expect(part).toBe(text.slice(start, end));
          expect(part).not.toBe("");
          expect(part.length).toBeLessThanOrEqual(320);
        }
      }),
      { numRuns: 500 },
    );
  });

  it("splits at the same places when the text arrives at once or letter by letter", () => {
    const token = fc.constantFrom(
      ". ",
      ", ",
      "! ",
      ": ",
      " — ",
      "\n",
      "3",
      "7:30 ",
      "1,200 ",
      "Dr. ",
      "p.m. ",
      "We ",
      "word ",
      "Word ",
      "said ",
      "你好。",
      "，",
      "」",
      "no. ",
      "Jr. ",
      "Apt. ",
    );
    fc.assert(
      fc.property(fc.array(token, { maxLength: 60 }), (tokens) => {
        const text = tokens.join("");
        expect(texts(split(text))).toEqual(texts(split([text])));
      }),
      { numRuns: 500 },
    );
  });

  it("splits a megabyte of text without a space", () => {
    expect(texts(split(["a".repeat(1_000_000)])).join("")).toHaveLength(1_000_000);
    expect(texts(split(["1,".repeat(500_000)])).join("")).toHaveLength(1_000_000);
  });
});
