import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { loadServerConfig } from "../../../../src/config/server-config.ts";
import { engineStarters } from "../../../../src/service/engine-starters.ts";
import type { SpeechToText, TranscribeRequest } from "../../../../src/engines/stt/speech-to-text.ts";
import { silentLog } from "../../../../src/shared/log.ts";
import { clip16k, noise, wordErrors } from "../support.ts";

const never = new AbortController().signal;
let stt: SpeechToText;

beforeAll(async () => {
  stt = await engineStarters(loadServerConfig(undefined, {}).config, 1, silentLog).stt();
});
afterAll(async () => stt.close());

const final = async (samples: Float32Array, request: Partial<TranscribeRequest> = {}) =>
  stt.open().transcribe({ samples, kind: "final", language: "en", ...request }, never);

describe("both ears on the starter models", () => {
  it.each([
    ["no samples", new Float32Array(0)],
    ["a tenth of a second", new Float32Array(1_600)],
    ["digital silence of 0.6 s", new Float32Array(9_600)],
    ["digital silence of 3 s", new Float32Array(48_000)],
    ["faint hiss", noise(2, 0.003)],
    ["hiss", noise(2, 0.03)],
    ["loud hiss", noise(2, 0.3)],
    ["a click", Float32Array.from({ length: 800 }, (_, index) => (index === 400 ? 0.9 : 0))],
  ])("write nothing for %s", async (_what, samples) => {
    for (const expects of [undefined, "number", "letters"] as const)
      expect(await final(samples, { expects })).toMatchObject({
        text: "",
        confidence: 0,
        words: [],
        isDoubtful: false,
      });
  });

  it.each([
    ["flite-lights.wav", "turn on the lights in the kitchen"],
    ["flite-timer.wav", "set a timer for minutes"], // `wordErrors` ignores digits: the text has "10".
    ["flite-time.wav", "what time is it"],
    ["flite-stop.wav", "stop"],
    ["flite-okay.wav", "okay"],
    ["kathleen-a0005.wav", "will we ever forget it"],
    ["stt-reading.wav", "she was so old that she only had one eye and one tooth left"],
  ])("write %s as it was said", async (name, said) => {
    const samples = clip16k(name);
    const { text, words, isDoubtful } = await final(samples);
    expect(wordErrors(said, text), text).toBe(0);
    expect(isDoubtful ?? false).toBe(false);
    expect(words.map(({ word }) => word).join(" ")).toBe(text);
    let latest = 0;
    for (const { start, end, confidence } of words) {
      expect(start).toBeGreaterThanOrEqual(latest);
      expect(end).toBeGreaterThanOrEqual(start);
      expect(confidence).toBeGreaterThan(0);
      expect(confidence).toBeLessThanOrEqual(1);
      latest = end;
    }
    expect(latest).toBeLessThanOrEqual(samples.length / 16_000);
  });

  it("write a rare name that is a configured phrase", async () => {
    const { text } = await final(clip16k("flite-doctor.wav"), { phrases: ["Drowski"] });
    expect(text).toContain("Drowski");
  });

  it("give the same result for the same final, whatever was decoded between", async () => {
    // Neither ear is sure of it.
    const unclear = clip16k("flite-timer.wav").toReversed();
    const clear = clip16k("flite-lights.wav");
    const first = [await final(unclear), await final(clear)];
    expect([await final(unclear), await final(clear)]).toEqual(first);
    expect([await final(clear), await final(unclear)]).toEqual(first.toReversed());
  });

  it("write a partial as they write a final of which the fast ear is sure", async () => {
    const clip = clip16k("flite-lights.wav");
    expect((await final(clip, { kind: "partial" })).text).toBe((await final(clip)).text);
  });
});
