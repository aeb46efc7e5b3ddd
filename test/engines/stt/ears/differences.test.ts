import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { mixed, passagesOf, type Passage } from "../../../../src/engines/stt/ears/differences.ts";

const word = fc.constantFrom("one", "two", "Two.", "three", "it's", "...", "-", "é", "四");
const text = fc.array(word, { maxLength: 8 }).map((words) => words.join(" "));
const all = () => true;
const none = () => false;
const brief = (passages: readonly Passage[]) =>
  passages.map(({ first, second, isSame }) => `${first.join(" ")}${isSame ? "=" : "/"}${second.join(" ")}`);

describe("passagesOf", () => {
  it.each([
    ["turn on the lights", "turn of the light", ["turn=turn", "on/of", "the=the", "lights/light"]],
    ["Turn on, please.", "turn on please", ["Turn on, please.=turn on please"]],
    ["well my name is Jean", "my name it is Gene", ["well/", "my name=my name", "/it", "is=is", "Jean/Gene"]],
    ["", "hello there", ["/hello there"]],
    ["hello there", "", ["hello there/"]],
    ["", "", []],
    ["a ... b", "a b", ["a=a", ".../", "b=b"]],
  ])("aligns %j with %j", (first, second, passages) => {
    expect(brief(passagesOf(first, second))).toEqual(passages);
  });

  it("covers both texts in order, and takes turns between equal and differing passages", () => {
    fc.assert(
      fc.property(text, text, (first, second) => {
        const passages = passagesOf(first, second);
        expect(passages.flatMap((passage) => passage.first).join(" ")).toBe(first);
        expect(passages.flatMap((passage) => passage.second).join(" ")).toBe(second);
        for (const [index, passage] of passages.entries()) {
          expect(passage.isSame).not.toBe(passages[index - 1]?.isSame);
          if (passage.isSame) expect(passage.first).toHaveLength(passage.second.length);
          else expect(passage.first.length + passage.second.length).toBeGreaterThan(0);
        }
      }),
    );
  });

  it("finds no difference between a text and itself in other case", () => {
    fc.assert(
      fc.property(text, (same) => {
        expect(passagesOf(same, same.toUpperCase()).every(({ isSame }) => isSame)).toBe(true);
      }),
    );
  });
});

describe("mixed", () => {
  it("is the first text without passages of the second one, and the second text with all of them", () => {
    fc.assert(
      fc.property(text, text, (first, second) => {
        const passages = passagesOf(first, second);
        expect(mixed(passages, none)).toBe(first);
        expect(mixed(passages, all)).toBe(second);
      }),
    );
  });

  it("takes the named passages from the second text", () => {
    const passages = passagesOf("turn on the lights", "turn of the light");
    expect(mixed(passages, (index) => index === 1)).toBe("turn of the lights");
  });
});
