import { describe, expect, it } from "vitest";
import { MODEL_HZ } from "../../../src/audio/format.ts";
import { TurnWords } from "../../../src/conversation/transcripts/turn-words.ts";

/** Words of half a second each. */
const timed = (text: string, from: number) =>
  text.split(" ").map((word, at) => ({ word, start: from + at / 2, end: from + (at + 1) / 2, confidence: 1 }));

/** A window of a text, with the sample of its end. */
function windowOf(text: string, from: number) {
  const words = timed(text, from);
  const start = from * MODEL_HZ;
  const decode = { window: { from: start, knownFrom: start }, fromSample: start, words };
  return { decode, end: (words.at(-1)?.end ?? from) * MODEL_HZ };
}

describe("the seam between two windows", () => {
  it.each([
    ["in good education.", "to share", "in good education to share"],
    ["in good education.", "To share", "in good education. To share"],
    ["in good education...", "to share", "in good education... to share"],
    ["in good education?", "to share", "in good education? to share"],
    ["in good education!", "to share", "in good education! to share"],
    ["in good education,", "to share", "in good education, to share"],
    ["from 5 p.m.", "to six", "from 5 p.m. to six"],
    ["the number is 4.", "900 please", "the number is 4. 900 please"],
    ["es war schön.", "über dem See", "es war schön über dem See"],
  ])("%j and %j", (first, second, expected) => {
    const closed = windowOf(first, 0);
    const last = windowOf(second, 10);
    const words = new TurnWords();
    words.settle(closed.decode, closed.end);
    const { text, accumulated } = words.final(last.decode, 1);
    expect(text).toBe(expected);
    expect(accumulated).toBe(expected);
  });

  it("is also between two closed windows", () => {
    const words = new TurnWords();
    for (const { decode, end } of [windowOf("a good.", 0), windowOf("day and.", 10)]) words.settle(decode, end);
    expect(words.settledText).toBe("a good day and.");
    expect(words.final(windowOf("night", 20).decode, 1).text).toBe("a good day and night");
  });

  it("leaves the words that partials showed", () => {
    const words = new TurnWords();
    const [first, second] = [windowOf("in good education.", 0), windowOf("to share", 10)];
    words.settle(first.decode, first.end);
    expect(words.shown.text).toBe("in good education.");
    words.settle(second.decode, second.end);
    expect(words.shown.text).toBe("in good education. to share");
  });
});
