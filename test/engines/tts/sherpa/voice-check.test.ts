import { describe, expect, it, vi } from "vitest";
import { checkSpeech, isAudible, trialWords } from "../../../../src/engines/tts/sherpa/voice-check.ts";

const tone = (seconds: number, level = 0.1) => new Float32Array(seconds * 1000).fill(level);

describe("the spoken check of a voice", () => {
  const check = (say: (text: string) => Float32Array) => checkSpeech(async (text) => say(text), ["one", "two"], 1000);

  it("passes when more words last longer", async () => {
    await expect(check((text) => tone(text.length * 0.08))).resolves.toBeUndefined();
  });

  it.each([
    ["silence", /no sound/, () => tone(1, 0)],
    ["nothing", /no sound/, () => tone(0)],
    ["NaN", /no sound/, () => tone(1, Number.NaN)],
    ["always the same", /skips words/, () => tone(1)],
    ["a click", /skips words/, (text: string) => tone(text.length * 0.01)],
    ["minutes", /last 90 s/, (text: string) => tone(text.length * 11.25)],
  ])("refuses %s", async (_what, message, say: (text: string) => Float32Array) => {
    await expect(check(say)).rejects.toThrow(message);
  });

  it("refuses a voice that never answers", async () => {
    vi.useFakeTimers();
    try {
      const checked = checkSpeech(() => new Promise(() => undefined), ["one"], 1000);
      const refused = expect(checked).rejects.toThrow(/within 30 s/);
      await vi.advanceTimersByTimeAsync(30_000);
      await refused;
    } finally {
      vi.useRealTimers();
    }
  });

  it("uses words that the voice knows", () => {
    expect(trialWords(false)).toEqual(["1", "2", "3", "4", "5", "6"]);
    expect(trialWords(true)).toContain("six");
  });

  it("accepts one loud sample and rejects NaN", () => {
    expect(isAudible(Float32Array.of(0, 0, -0.5))).toBe(true);
    expect(isAudible(Float32Array.of(0, Number.NaN, 0.0001))).toBe(false);
  });
});
