import fc from "fast-check";
import { expect, it } from "vitest";
import { PhraseBook } from "../../../src/engines/stt/phrase-book.ts";
import { readSoundModel } from "../../../src/engines/stt/sound-model.ts";
import { STARTER_MODEL } from "./support.ts";

const book = await PhraseBook.open();
const read = (...phrases: string[]) => book.of(phrases);

it.each([
  ["Dr. Novak", "doctor novak"],
  ["Café Zoë", "cafe zoe"],
  ["Room 12", "room twelve"],
  ["KYC form", "k y c form"],
  ["O’Brien's", "o'brien's"],
  ["Smith-Jones", "smith jones"],
])("%s is heard as %s", (phrase, text) => {
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
  const own = read("constructor", "valueOf").pronunciations;
  expect(own).toEqual(["constructor k ax n s t r ah k t er", expect.stringMatching(/^valueof [a-z ]+$/u)]);
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

it("reads a phrase in the same way after thousands of others", () => {
  const first = book.of(["Dr. Novak", "Quenby"]);
  book.of(Array.from({ length: 5_000 }, (_, number) => `Room ${String(number)}`));
  expect(book.of(["Dr. Novak", "Quenby"])).toEqual(first);
});
