import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { TokenText } from "../../../../src/engines/llm/llama/token-text.ts";

/** Tokens are runs of UTF-8 bytes, as in byte-level vocabularies. */
const detokenize = (tokens: readonly Buffer[]): string => Buffer.concat(tokens).toString("utf8");

function pieces(tokens: readonly Buffer[], stopTexts: readonly string[] = []): string[] {
  const text = new TokenText(detokenize, stopTexts, []);
  const all: string[] = [];
  for (const token of tokens) {
    all.push(text.push(token));
    if (text.isStopped) break;
  }
  return [...all, text.end()].filter((piece) => piece !== "");
}

const chop = (text: string, sizes: readonly number[]): Buffer[] => {
  const bytes = Buffer.from(text);
  const tokens: Buffer[] = [];
  for (let start = 0, index = 0; start < bytes.length; index += 1) {
    const size = sizes[index % sizes.length] ?? 1;
    tokens.push(bytes.subarray(start, start + size));
    start += size;
  }
  return tokens;
};

describe("TokenText", () => {
  it("never returns half a character", () => {
    const text = fc.string({ unit: "grapheme" }).filter((chars) => !chars.includes("\uFFFD"));
    fc.assert(
      fc.property(text, fc.array(fc.integer({ min: 1, max: 5 }), { minLength: 1 }), (chars, sizes) => {
        const given = pieces(chop(chars, sizes));
        expect(given.join("")).toBe(chars);
        for (const piece of given) expect(piece).not.toContain("\uFFFD");
      }),
      { numRuns: 1_000 },
    );
  });

  it("continues after bytes that are not a character", () => {
    expect(pieces([Buffer.from([0xff]), ...chop("hello", [1])]).join("")).toContain("ello");
  });

  it("ends before a stop text for any division into tokens", () => {
    for (const size of [1, 2, 3, 7, 40]) {
      expect(pieces(chop("Yes. ### Human: and", [size]), ["### Human"]).join("")).toBe("Yes. ");
    }
  });

  it("returns text that only begins like a stop text", () => {
    expect(pieces(chop("a ## b ###", [1]), ["### Human"]).join("")).toBe("a ## b ###");
  });
});
