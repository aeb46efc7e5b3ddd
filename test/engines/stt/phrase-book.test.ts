import { dictionary } from "cmu-pronouncing-dictionary";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { nativePhrases, PhraseBook } from "../../../src/engines/stt/phrase-book.ts";
import { readSoundModel } from "../../../src/engines/stt/sound-model.ts";
import { STARTER_MODEL } from "./support.ts";

const read = (...phrases: string[]) => nativePhrases(phrases, dictionary);

describe("phrases for the word search", () => {
  it.each([
    ["Dr. Novak", "doctor novak"],
    ["Café Zoë", "cafe zoe"],
    ["Room 12", "room twelve"],
    ["KYC form", "k y c form"],
    ["O’Brien's", "o'brien's"],
    ["Smith-Jones", "smith jones"],
  ])("%s is %s", (phrase, text) => {
    expect(read(phrase).texts).toEqual([text]);
  });

  it("leaves out phrases without words", () => {
    expect(read("", "...", "'", "漢字", "Москва")).toEqual({ texts: [], pronunciations: [] });
  });

  it("has each word once, with all its pronunciations of the dictionary or one by rules", () => {
    expect(read("Novak", "tomato Novak", "Quenby").pronunciations).toEqual([
      "novak n ow v ae k",
      "tomato t ax m ey t ow, t ax m aa t ow",
      "quenby k w eh n b iy",
    ]);
    // Names of an object's own properties are words like others.
    expect(read("constructor", "toString").pronunciations.every((line) => / [a-z]+/u.test(line))).toBe(true);
  });

  it("has only sounds that the starter model's network hears", () => {
    const sounds = new Set(readSoundModel(STARTER_MODEL)?.sounds);
    const phrase = fc.oneof(fc.string({ unit: "grapheme" }), fc.stringMatching(/^[A-Za-z' .-]{1,40}$/u));
    fc.assert(
      fc.property(fc.array(phrase), (phrases) => {
        const { texts, pronunciations } = read(...phrases);
        const words = texts.flatMap((text) => text.split(" "));
        expect(pronunciations.map((line) => line.split(" ", 1)[0])).toEqual([...new Set(words)]);
        const said = pronunciations.flatMap((line) => line.replaceAll(",", "").split(" ").slice(1));
        expect(said.filter((sound) => sound !== "" && !sounds.has(sound))).toEqual([]);
      }),
    );
  });
});

describe("a phrase book", () => {
  it("keeps the lists that are in use, and not all", async () => {
    const book = new PhraseBook();
    const first = await book.of(["Novak", "Quenby"]);
    expect(await book.of(["Novak", "Quenby"])).toBe(first);
    expect((await book.of(["Novak Quenby"])).texts).toEqual(["novak quenby"]);
    for (let list = 0; list < 32; list += 1) await book.of([`Room ${String(list)}`]);
    const again = await book.of(["Novak", "Quenby"]);
    expect(again).not.toBe(first);
    expect(again).toEqual(first);
  });
});
