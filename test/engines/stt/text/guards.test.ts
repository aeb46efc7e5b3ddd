import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  guarded,
  isLooping,
  withoutDoubling,
  withoutLoop,
  withoutSoundTags,
} from "../../../../src/engines/stt/text/guards.ts";

const split = (text: string) => text.split(" ").map((word) => ({ word }));
const join = (words: readonly { word: string }[]) => words.map(({ word }) => word).join(" ");

describe("withoutSoundTags", () => {
  it.each([
    ["[BLANK_AUDIO]", ""],
    ["yes [ Silence ] please", "yes please"],
    ["(upbeat music)", ""],
    ["*laughs* no (coughs) way", "no way"],
    ["♪ hello ♪", "hello"],
    ["call me (not now) later", "call me (not now) later"],
    ["five [open", "five [open"],
  ])("%s", (text, expected) => {
    expect(join(withoutSoundTags(split(text)))).toBe(expected);
  });
});

describe("withoutLoop", () => {
  const cut = (text: string) => join(withoutLoop(split(text)));
  const sentence = "he was going to be the first one to get out of the";

  it.each([
    [`so then ${"thank you very much ".repeat(12).trim()}`, "so then thank you very much"],
    [`Thank you. ${"Thank you very much. ".repeat(4).trim()}`, "Thank you. Thank you very much."],
    [`A${"H".repeat(878)}`, "AH"],
    ["Bbbbb...", "Bbbbb..."],
    ["Bbbbbbb...", "B..."],
    ["I-I-I-I-I", "I"],
    ["I-I-I-I-I'm late", "I-I'm late"],
    ["hahahaha", "ha"],
    ["Hello, hahahahaha goodbye", "Hello, ha goodbye"],
    [`${sentence} `.repeat(3).trim(), sentence],
    [`${sentence} `.repeat(5).trim().slice(0, -12), sentence],
    [`yes ${"very ".repeat(40)}good`, "yes very good"],
    ["I think I think I think I think I know", "I think I know"],
    ["oh ".repeat(16).trim(), "oh"],
    [`five five ${"thank you ".repeat(12).trim()}`, "five five thank you"],
    [`it is ${"number five of the five ".repeat(8).trim()}`, "it is number five of the five"],
    [`I need ${"someone ".repeat(12).trim()}`, "I need someone"],
    ["eight ".repeat(260).trim(), "eight"],
    ["0".repeat(200), "0"],
    ["哈哈哈哈哈哈哈哈", "哈"],
    ["♪".repeat(9), "♪"],
  ])("keeps the first round of a loop: %s", (text, kept) => {
    expect(cut(text)).toBe(kept);
  });

  it.each([
    "no no no no",
    "No, no, no, no, no!",
    "bye bye",
    "very very very very good",
    "ha ha ha, hahaha",
    "mmm, hmmm, sooo",
    "thank you thank you thank you",
    "can you hear me now can you hear me now can you hear me now",
    `${sentence} ${sentence}`,
    "one two three one two three",
    "it was the best of times it was the worst of times",
    "5 5 5 5",
    "zero zero zero zero zero",
    "my number is five five five five five five five five five",
    "it is Zero, zero, zero, zero, zero, zero, zero, zero.",
    "the code is 1 1 1 1 1 1 1 1 1 1",
    "4444 4444 4444 4444, then 10000000",
    "call 555-5555 555-5555 555-5555 555-5555 555-5555",
    "twenty-one twenty-one twenty-one twenty-one twenty-one",
    "double oh seven double oh seven double oh seven double oh seven double oh seven",
    "one two one two one two one two one two one two one two",
    "W W W dot A A A dot com",
  ])("keeps speech: %s", (text) => {
    expect(cut(text)).toBe(text);
  });

  it("keeps an empty text", () => {
    expect(withoutLoop([])).toEqual([]);
  });

  it("keeps ordinary text, in any order", () => {
    fc.assert(
      fc.property(fc.shuffledSubarray(ORDINARY, { minLength: 1 }), (lines) => {
        const text = lines.join(" ");
        expect(cut(text)).toBe(text);
      }),
    );
  });

  it("cuts any round of different words, also in the middle of a text", () => {
    const round = fc.uniqueArray(fc.constantFrom(...WORDS), { minLength: 1, maxLength: 20 });
    const before = fc.subarray(["well", "so", "then"]);
    fc.assert(
      fc.property(round, fc.integer({ min: 6, max: 30 }), before, fc.boolean(), (words, rounds, start, goesOn) => {
        const end = goesOn ? ["goodbye"] : words.slice(0, words.length - 1);
        const looping = [...start, ...Array.from({ length: rounds }, () => words).flat(), ...end];
        expect(cut(looping.join(" "))).toBe([...start, ...words, ...(goesOn ? end : [])].join(" "));
      }),
    );
  });

  it("cuts any round of different letters inside a word", () => {
    const round = fc.uniqueArray(fc.constantFrom("a", "b", "c", "d", "e", "f", "g", "h", "i", "j"), {
      minLength: 1,
      maxLength: 8,
    });
    fc.assert(
      fc.property(round, fc.integer({ min: 6, max: 200 }), (letters, rounds) => {
        const syllable = letters.join("");
        expect(cut(`the x${syllable.repeat(rounds)}y`)).toBe(`the x${syllable}y`);
      }),
    );
  });

  it("adds no words and keeps the first one", () => {
    const few = fc.array(fc.constantFrom("a", "b", "no", "five"), { maxLength: 60 });
    fc.assert(
      fc.property(few, (words) => {
        const once = withoutLoop(words.map((word) => ({ word })));
        expect(once.length).toBeLessThanOrEqual(words.length);
        if (words.length > 0) expect(once[0]?.word).toBe(words[0]);
      }),
    );
  });

  it("stays fast on a long answer", () => {
    expect(cut(`${"A".repeat(200_000)} ${"five ".repeat(20_000).trim()}`)).toBe("A five");
  });
});

describe("withoutDoubling", () => {
  it.each([
    ["8 8", 0.21, "8"],
    ["Kevin? Kevin?", 0.39, "Kevin?"],
    ["seven seven", 0.7, "seven seven"],
    ["5 5 5 5 5 5 5 5", 0.3, "5"],
    ["no no no", 0.9, "no no no"],
    ["five oh five oh five", 0.5, "five oh"],
    ["hello, can you hear me? Hello, can you hear me?", 2.4, "hello, can you hear me? Hello, can you hear me?"],
    [
      "Basil was founded in the town. Basil was founded in the town. Basil was fou",
      2,
      "Basil was founded in the town.",
    ],
    ["1 1 2", 0.2, "1 1 2"],
    ["sixty six", 0.4, "sixty six"],
    ["eight", 0.01, "eight"],
    ["", 0, ""],
  ])("%s, with %d s of voice: %s", (text, voicedSeconds, kept) => {
    expect(join(withoutDoubling(text === "" ? [] : split(text), voicedSeconds))).toBe(kept);
  });
});

describe("guarded", () => {
  it.each([
    ["I would like to book a table", 1.4, "I would like to book a table"],
    ["I would like to book a table for two", 0.4, ""],
    ["you", 0, ""],
    ["you", 0.01, ""],
    ["two", 0.1, "two"],
    ["(upbeat music)", 3, ""],
    ["A".repeat(30), 0.3, "A"],
  ])("%s, with %d s of voice: %s", (text, voicedSeconds, kept) => {
    expect(join(guarded(split(text), voicedSeconds))).toBe(kept);
  });
});

describe("isLooping", () => {
  it("finds a loop of any period", () => {
    const round = fc.uniqueArray(fc.nat(50_000), { minLength: 1, maxLength: 60 });
    fc.assert(
      fc.property(fc.array(fc.nat(50_000)), round, (before, again) => {
        const looping = [...before, ...Array.from({ length: 24 }, () => again).flat()];
        expect(isLooping(looping)).toBe(true);
      }),
    );
  });

  it("stops in the fourth round of a sentence", () => {
    const sentence = Array.from({ length: 12 }, (_, token) => token);
    const written = Array.from({ length: 60 }, (_, index) => sentence[index % 12] ?? 0);
    const lengths = written.map((_, index) => index + 1);
    expect(lengths.find((length) => isLooping(written.slice(0, length)))).toBe(48);
  });

  it.each([
    ["nothing", []],
    ["different tokens", Array.from({ length: 200 }, (_, token) => token)],
    ["a digit read out 16 times", Array<number>(16).fill(5)],
    ["a number of eleven digits, three times", Array.from({ length: 33 }, (_, index) => index % 11)],
    ["a loop that ended", [...Array<number>(30).fill(5), 6]],
  ])("is false for %s", (_name, written) => {
    expect(isLooping(written)).toBe(false);
  });
});

/** Sentences of callers and readers, with the repetitions of ordinary speech. */
const ORDINARY = [
  "I am feeling hungry so I would like to find a place to eat.",
  "Do you have a specific which you want the eating place to be located at?",
  "Hi i need a help, i am very hungry, I am looking for a restaurant",
  "Sure, I will help you, What type of food are you looking for? Which city should i search in?",
  "I found a good restaurant in Milpitas, The restaurant name is Anjappar Chettinad Restaurant",
  "'We are, above all, a keen school,'\" quoted Burgess.",
  '"A bird, I think, sir," said Holland.',
  "what expression would i use to say i love you if i were an italian",
  "Yes yes, that that is what I I mean.",
  "Their phone number is 408-555-0100 and the street address is 1111 North First Street.",
  "Mississippi, banana, cha-cha-cha, so-so, ha ha.",
  "No, no, no. Not today, not tomorrow, not ever.",
];
const WORDS =
  "alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu nu xi omicron pi rho sigma tau upsilon".split(
    " ",
  );
