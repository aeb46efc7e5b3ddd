import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { phraseReadings } from "../../../../src/engines/stt/ears/phrase-readings.ts";

describe("phraseReadings", () => {
  it.each([
    ["I am calling from Okvois.", ["Oakvoice"], ["I am calling from Oakvoice."]],
    ["mister kowalsky please", ["Kowalski"], ["mister Kowalski please"]],
    ["Fon Noymann, please", ["von Neumann"], ["von Neumann, please"]],
    ["call oak voice now", ["Oakvoice"], ["call Oakvoice now"]],
    ["call John at Ackme Inc", ["Acme Inc."], ["call John at Acme Inc."]],
    ["call Ackme Ink.", ["Acme Inc."], ["call Acme Inc."]],
  ])("changes %j with %j", (text, phrases, readings) => {
    expect(phraseReadings(text, phrases)).toEqual(readings);
  });

  it.each([
    ["a phrase that is there", "Please call Oakvoice, now", ["oakvoice"]],
    ["a phrase of two words that is there", "the Grand Hotel.", ["Grand Hotel"]],
    ["a phrase that is there beside similar words", "Oakvoice or okvois", ["Oakvoice"]],
    ["text without similar words", "what time is it in the kitchen", ["Oakvoice", "Kowalski", "Grand Hotel"]],
    ["no text", "", ["Oakvoice"]],
    ["no phrases", "what time is it", []],
    ["a phrase without letters", "what time is it", ["..."]],
  ])("has none for %s", (_what, text, phrases) => {
    expect(phraseReadings(text, phrases)).toEqual([]);
  });

  it("has the likest first", () => {
    const readings = phraseReadings("ask for Meier", ["Major", "Meyer"]);
    expect(readings[0]).toBe("ask for Meyer");
  });

  it("has three at most, for 200 phrases and 60 words", () => {
    const name = (index: number) => `Kowal${String.fromCodePoint(97 + (index % 26))}ki ${String(index)}`;
    const phrases = Array.from({ length: 200 }, (_, index) => name(index));
    const text = Array.from({ length: 60 }, (_, index) => `kovalsky${String(index)}`).join(" ");
    expect(phraseReadings(text, phrases)).toHaveLength(3);
  });

  it("keeps the words around the phrase", () => {
    const word = fc.constantFrom("please", "call", "Kowalsky", "kovalski.", "the", "grand", "hotel");
    const phrase = fc.constantFrom("Kowalski", "Grant Hotel", "Klees");
    fc.assert(
      fc.property(fc.array(word, { maxLength: 6 }), fc.array(phrase, { maxLength: 3 }), (words, phrases) => {
        const text = words.join(" ");
        for (const reading of phraseReadings(text, phrases)) {
          const used = phrases.find((each) => reading.includes(each) && !text.includes(each)) ?? "";
          const [before = "", after = ""] = reading.split(used);
          expect(text.startsWith(before.trim())).toBe(true);
          expect(text.endsWith(after.replace(/^[.,!?]/u, "").trim())).toBe(true);
        }
      }),
    );
  });
});
