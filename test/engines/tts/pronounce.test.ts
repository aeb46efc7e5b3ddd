import { readFileSync } from "node:fs";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { letterSounds } from "../../../src/language/en/letter-sounds.ts";
import { lexiconWords, pronounceable } from "../../../src/engines/tts/lexicon-voice/pronounce.ts";

const file = readFileSync(new URL("../../../models/starter/tts/lexicon.txt", import.meta.url), "utf8");
const lexicon = lexiconWords(file);
const say = (text: string): string => pronounceable(text, lexicon);
/** The words that sherpa-onnx looks up. It splits at spaces and at ASCII marks other than the apostrophe. */
const lookedUp = (text: string): string[] => text.split(/[\s,.?!;:]+/).filter((word) => word !== "");

describe("pronounceable", () => {
  it("keeps known words and marks", () => {
    expect(say("Hello, I'd like three rooms, please. Don't you?")).toBe(
      "hello, i'd like three rooms, please. don't you?",
    );
    expect(say("It’s what she’s called ‘home’.")).toBe("it's what she's called home.");
  });

  it("splits hyphens and compounds into known words", () => {
    expect(say("a twenty-one inch smartwatch")).toBe("a twenty one inch smart watch");
  });

  it("spells endings of known words with phones", () => {
    expect(say("rebookable")).toMatch(/0ah0 0b 0ah0 0l$/);
    expect(say("vlogging").split(" ").slice(-2)).toEqual(["0ih0", "0ng"]);
    expect(say("Oakvoice's")).toBe("oakvoice 0ih0 0z");
  });

  it("derives the sound of unknown words from their letters", () => {
    expect(say("blorp")).toBe("0b 0l 0ao1 0r 0p");
    expect(say("Zanthiq!")).toBe("0z 0ae1 0n 0th 0ih0 0k!");
  });

  it("spells initials and words without a vowel", () => {
    expect(say("NHS")).toBe("0eh1 0n 0ey1 0ch 0eh1 0s");
    expect(say("brb")).toBe("0b 0iy1 0aa1 0r 0b 0iy1");
    expect(say("U.K.")).toBe(`${say("u")} ${say("k")}`);
  });

  it("spells dotted letters by their names, also a and i, and pauses only at the end of a sentence", () => {
    const names = (letters: string): string =>
      Array.from(letters, (letter) => ({ a: "0ey1", i: "0ay1" })[letter] ?? say(letter)).join(" ");
    expect(say("at ten a.m. we close")).toBe(`at ten ${names("am")} we close`);
    expect(say("at ten a.m. We close")).toBe(`at ten ${names("am")}. we close`);
    expect(say("ask A.I, the U.S.A. or a friend")).toBe(`ask ${names("ai")}, the ${names("usa")} or a friend`);
    expect(say("the N.H.S.")).toBe(`the ${names("nhs")}.`);
    expect(say("the N.H.S Trust")).toBe(`the ${names("nhs")} trust`);
    expect(say("A.I-based, A-twelve")).toBe(`${names("ai")} based, ${names("a")} twelve`);
    expect(say("A.P.I's, C-D's and the N.H.S's")).toBe(
      `${names("api")} 0z, ${names("cd")} 0z and the ${names("nhs")} 0ih0 0z`,
    );
  });

  it("reads stray digits, symbols and accents", () => {
    expect(say("Room 407 & café at 5:30")).toBe("room four zero seven and cafe at five three zero");
    expect(say("3.5% – naïve")).toBe("three point five percent, naive");
  });

  it("treats names of JavaScript properties as plain words", () => {
    expect(say("valueOf __proto__ constructor")).toMatch(/^[a-z0-9' ]+$/);
  });

  it("returns an empty text for a text without words", () => {
    for (const text of ["", "   ", "...", "?!", "'", "—", "日本語", "🙂🙂"]) expect(say(text)).toBe("");
  });

  it("turns any text into words of the lexicon in bounded time and size", () => {
    const anything = fc.oneof(
      fc.string({ unit: "binary", maxLength: 300 }),
      fc.string({ unit: "grapheme" }),
      fc.lorem(),
    );
    fc.assert(
      fc.property(anything, (text) => {
        const said = say(text);
        expect(lookedUp(said).filter((word) => !lexicon.has(word))).toEqual([]);
        expect(said).toMatch(/^(?:[a-z0-9'][a-z0-9' ,.?!;:]*)?$/);
      }),
      { numRuns: 2000 },
    );
    expect(say("x".repeat(1_000_000)).length).toBeLessThan(5000);
    expect(lookedUp(say("aeiou".repeat(2000))).every((word) => lexicon.has(word))).toBe(true);
  });

  it("leaves no unknown word with a small foreign lexicon", () => {
    const small = new Set(["hello", "b", "r"]);
    expect(pronounceable("Hello brave world", small)).toBe("hello b r r");
  });

  it("every phone of every dictionary word has a pseudo-word", () => {
    const phones = new Set(file.split("\n").flatMap((line) => line.split(" ").slice(1)));
    for (const phone of phones) expect(lexicon).toContain(`0${phone.toLowerCase()}`);
  });
});

describe("letterSounds", () => {
  it("40 % of dictionary words and five of six phones are correct", () => {
    let errors = 0;
    let total = 0;
    let right = 0;
    let words = 0;
    const entries = file.split("\n").filter((line) => /^[a-z]{3,} /.test(line));
    for (let index = 0; index < entries.length; index += 37) {
      const [word = "", ...phones] = (entries[index] ?? "").replace(/[012]/g, "").split(" ");
      const distance = editDistance(
        phones,
        letterSounds(word).map((phone) => phone.replace(/\d/, "")),
      );
      errors += distance;
      total += phones.length;
      right += distance === 0 ? 1 : 0;
      words += 1;
    }
    expect(errors / total).toBeLessThan(1 / 6);
    expect(right / words).toBeGreaterThan(0.4);
  });
});

function editDistance(a: readonly string[], b: readonly string[]): number {
  let row = b.map((_, index) => index + 1);
  for (const [i, left] of a.entries()) {
    let diagonal = i;
    let before = i + 1;
    row = b.map((right, j) => {
      const up = row[j] ?? 0;
      before = Math.min(before + 1, up + 1, diagonal + (left === right ? 0 : 1));
      diagonal = up;
      return before;
    });
  }
  return row.at(-1) ?? a.length;
}
