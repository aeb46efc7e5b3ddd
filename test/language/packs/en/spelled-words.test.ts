import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { canonicalSpelling, canonicalSpellingOfWords } from "../../../../src/language/packs/en/spelled-words.ts";

const timed = (text: string) =>
  text.split(" ").map((word, index) => ({ word, start: index, end: index + 1, confidence: index % 2 === 0 ? 1 : 0.5 }));

describe("canonicalSpelling", () => {
  it.each([
    ["S-T-O-D-O-L-S-K-Y", "STODOLSKY"],
    ["s t o d o l s k y", "STODOLSKY"],
    ["S, T, O, D, O, L, S, K, Y", "STODOLSKY"],
    ["S. T. O. D. O. L. S. K. Y.", "STODOLSKY."],
    ["S.T.O.D.O.L.S.K.Y.", "STODOLSKY."],
    ["J. E. a, N..", "JEAN."],
    ["J. E. a, N..  Thanks", "JEAN.  Thanks"],
    ["J. E. A. N.. thanks", "JEAN. thanks"],
    ["is it J. E. A. N.?", "is it JEAN?"],
    ["J. E. A. N...", "JEAN..."],
    ["My name is S-M-I-T-H.", "My name is SMITH."],
    ["it's m i l l e r thanks", "it's MILLER thanks"],
    ["That's M-I-L-L-E-R, Miller.", "That's MILLER, Miller."],
    ["R U double S E double L", "RUSSELL"],
    ["double U A R D", "WARD"],
    ["M I double L E R", "MILLER"],
    ["B as in Boy", "B"],
    ["B as in Boy, O as in Oscar, B as in Bravo", "BOB"],
    ["V as in Victor, Q as in Quebec", "V Q"],
    ["B as in Apple", "B as in Apple"],
    ["VQDB as in Boy", "V Q D B"],
    ["N-T-D as in Dog, 4 9", "N T D 49"],
    ["VQDB as in Apple", "V Q D B as in Apple"],
    ["VQDB 4900", "V Q D B 4900"],
    ["V Q D B 4900", "V Q D B 4900"],
    ["V-Q-D-B-4-9-0-0", "V Q D B 4900"],
    ["V, Q, D, B, 4, 9, 0, 0.", "V Q D B 4900."],
    ["V. Q. D. B. 4900", "V Q D B 4900"],
    ["v q d b four nine zero zero", "V Q D B 4900"],
    ["the code is VQDB.", "the code is V Q D B."],
    ["N-T-D-I-C-591", "NTDIC 591"],
    ["n t d i c five nine one", "NTDIC 591"],
    ["u m n y h six", "UMNYH 6"],
    ["S T O six", "STO 6"],
    ["K A five three two B", "K A 532 B"],
    ["one two three B four five six", "123 B 456"],
    ["one five double oh", "1500"],
    ["one five double zero", "1500"],
    ["double five one", "551"],
    ["triple seven", "777"],
    ["five five five, zero one two", "555 012"],
    ["5 5 5, 0 1 2", "555 012"],
    ["5, 5, 5, 0, 1, 2", "555012"],
    ["five five five zero one two", "555012"],
    ["5-5-5-0-1-2", "555012"],
    ["oh one two three", "0123"],
    ["o one two three", "0123"],
    ["one o five", "105"],
    ["one oh five", "105"],
    ["S T oh D", "STOD"],
    ["V Q D oh five", "V Q D 05"],
    ["my number is four two seven, please", "my number is 427, please"],
    ["Oh, one two three", "Oh, 123"],
    ["a V Q D B plate", "a V Q D B plate"],
    ["it's V Q D B a room", "it's V Q D B a room"],
    ["S T O D I want a room", "STOD I want a room"],
    ["R O S S I please", "ROSSI please"],
    ["My code is V Q D. Be quick.", "My code is V Q D. Be quick."],
    ["(S T O)", "(STO)"],
    ["  s t o  and  v q d ", "  STO  and  V Q D "],
    ["is it n t d i c?", "is it NTDIC?"],
    ["X Y Z", "XYZ"],
    ["B C D", "B C D"],
    ["a b, o double oh 6, I", "ABO 006, I"],
  ])("writes %j as %j", (said, written) => {
    expect(canonicalSpelling(said)).toBe(written);
    expect(canonicalSpelling(written)).toBe(written);
  });

  it.each([
    "I am a member",
    "a b test",
    "I O U",
    "U.S.",
    "the U.S.A. team",
    "5 p.m.",
    "at 5 p m",
    "two people at seven",
    "J. R. R. Tolkien",
    "room 12",
    "555-0123",
    "2026-11-28",
    "7-11",
    "a B-52 and a 3-D print",
    "an x-ray, an e-mail, a t-shirt",
    "I-I-I think so",
    "plan B",
    "VQD 490",
    "vitamin C",
    "a double room",
    "one or two",
    "one two",
    "oh no",
    "three point one four one five",
    "one two three hundred",
    "the BBC and the NHS",
    "a TV and two DVDs",
    "twenty five people",
    "flight 4900",
    "OK. I see.",
    "4900",
    "STODOLSKY",
    "",
    " ",
  ])("leaves %j alone", (text) => {
    expect(canonicalSpelling(text)).toBe(text);
  });

  it("leaves text without spelled runs alone", () => {
    const word = fc.constantFrom(
      ..."I a am the double room at seven twenty U.S. p.m. Smith B, test. e-mail 4900 7:30 oh! it's and C-3".split(" "),
    );
    const gap = fc.constantFrom("please", "and", "now,");
    fc.assert(
      fc.property(fc.array(fc.tuple(word, gap), { maxLength: 12 }), (pairs) => {
        const text = pairs.flat().join(" ");
        expect(canonicalSpelling(text)).toBe(text);
      }),
    );
  });

  it("changes nothing in a second call, and keeps every letter and digit", () => {
    const word = fc.constantFrom(
      ..."I a A b, B. C q D- S-T-O VQDB VQD 490 one two, oh o O double L five 5 6, U.S. as in Boy point hundred S.T.O.D. the Am want (x y) -".split(
        " ",
      ),
    );
    const plain = fc.constantFrom(..."S T O. I a, B-C-D VQDB 4 9, 123 the Tom want N-5".split(" "));
    const letters = (text: string) =>
      text
        .toUpperCase()
        .replaceAll(/[^A-Z0-9]/gu, "")
        .replaceAll("O", "0");
    fc.assert(
      fc.property(fc.array(word, { maxLength: 12 }), fc.array(plain, { maxLength: 12 }), (words, others) => {
        const once = canonicalSpelling(words.join(" "));
        expect(canonicalSpelling(once)).toBe(once);
        expect(letters(canonicalSpelling(others.join(" ")))).toBe(letters(others.join(" ")));
      }),
      { numRuns: 2000 },
    );
  });

  it("gives the same words with times", () => {
    const texts = [
      "my name is S T O thanks",
      "VQDB 4900",
      "N-T-D-I-C-591",
      "one five double oh",
      "B as in Boy",
      "hello",
    ];
    for (const text of texts)
      expect(
        canonicalSpellingOfWords(timed(text))
          .map(({ word }) => word)
          .join(" "),
      ).toBe(canonicalSpelling(text));
  });
});

describe("canonicalSpellingOfWords", () => {
  it("joins items from the start of the first to the end of the last, with their mean confidence", () => {
    expect(canonicalSpellingOfWords(timed("is S T O. Yes"))).toEqual([
      { word: "is", start: 0, end: 1, confidence: 1 },
      { word: "STO.", start: 1, end: 4, confidence: (0.5 + 1 + 0.5) / 3 },
      { word: "Yes", start: 4, end: 5, confidence: 1 },
    ]);
  });

  it("divides the time of an item among its parts", () => {
    expect(canonicalSpellingOfWords([{ word: "VQDB", start: 2, end: 4, confidence: 0.7 }])).toEqual([
      { word: "V", start: 2, end: 2.5, confidence: 0.7 },
      { word: "Q", start: 2.5, end: 3, confidence: 0.7 },
      { word: "D", start: 3, end: 3.5, confidence: 0.7 },
      { word: "B", start: 3.5, end: 4, confidence: 0.7 },
    ]);
  });

  it("keeps words in order without overlaps", () => {
    const word = fc.constantFrom(..."S T, O. VQDB N-5-D 5 oh double the I a B as in Boy".split(" "));
    fc.assert(
      fc.property(fc.array(word, { maxLength: 10 }), (words) => {
        const result = canonicalSpellingOfWords(timed(words.join(" ")));
        for (const [index, { start, end }] of result.entries()) {
          expect(end).toBeGreaterThan(start);
          expect(start).toBeGreaterThanOrEqual(result[index - 1]?.end ?? 0);
        }
      }),
    );
  });
});
