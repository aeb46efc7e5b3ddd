import { readFileSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Pieces } from "../../../../src/engines/stt/moonshine/pieces.ts";

const TABLE = readFileSync(new URL("../../../../models/starter/fast-stt/tokens.txt", import.meta.url), "utf8");
const pieces = Pieces.parse(TABLE);

const written = (text: string): string =>
  Buffer.from(
    pieces
      .tokensOf(text)
      .map((token) => pieces.bytesOf(token))
      .join(""),
    "latin1",
  ).toString();

describe("the vocabulary of Moonshine", () => {
  it("writes words with few tokens, the first of which begins with a space", () => {
    const tokens = pieces.tokensOf("Turn on the lights.");
    expect(tokens.map((token) => pieces.bytesOf(token))).toEqual([" Turn", " on", " the", " lights", "."]);
  });

  it.each([
    ["ASCII", fc.string({ unit: "binary-ascii" })],
    ["Unicode", fc.string({ unit: "binary" })],
    [
      "words",
      fc
        .array(fc.constantFrom("the", "Oakvoice", "naïve", "四", "😀", "</s>", "▁"), { size: "small" })
        .map((all) => all.join(" ")),
    ],
  ])("gives any text in %s back", (_what, text) => {
    fc.assert(
      fc.property(text, (said) => {
        expect(written(said)).toBe(` ${said.trim()}`);
      }),
    );
  });

  it("never takes text for the marks of a begin and an end", () => {
    for (const text of ["<s>", "</s>", "<unk>", "a</s> b"])
      for (const token of pieces.tokensOf(text)) expect(token, text).toBeGreaterThan(2);
  });
});

describe("a Latin token", () => {
  const [begin = NaN] = pieces.tokensOf("");
  it.each([
    ["words and marks", "Turn it on at 7:30, okay?", true],
    ["Latin letters with marks", "naïve", true],
    ["Chinese", "这", false],
    ["Russian", "на", false],
    ["a part of a character", "\u{1F980}", false],
  ])("differs from other ones: %s", (_what, text, isLatin) => {
    for (const token of pieces.tokensOf(text).filter((each) => each !== begin))
      expect(pieces.isLatin(token), pieces.bytesOf(token)).toBe(isLatin);
  });
});

describe("Pieces.parse", () => {
  it.each([
    ["an empty table", "", 1],
    ["a table without a line", TABLE.replace("\nAg== 5\n", "\n"), 6],
    ["a table with a line that is no token", TABLE.replace("\nAg== 5\n", "\nAg==\n"), 6],
    ["a table that is cut inside a line", TABLE.slice(0, TABLE.indexOf("= 5\n")), 6],
    ["other data", "\0\0\0\0", 1],
  ])("refuses %s", (_what, table, line) => {
    expect(() => Pieces.parse(table)).toThrow(`line ${String(line)} of its token table is damaged`);
  });
});
