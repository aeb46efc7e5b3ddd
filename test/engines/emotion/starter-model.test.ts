import { readFile } from "node:fs/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { resampleAll } from "../../../src/audio/resampler.ts";
import { readWav } from "../../../src/audio/wav.ts";
import type { EmotionClassifier } from "../../../src/engines/emotion/emotion-classifier.ts";
import { scoreEmotions } from "../../../src/conversation/ear/score-emotions.ts";
import { loadEmotionClassifier } from "../../../src/engines/emotion/onnx-classifier.ts";

const { signal } = new AbortController();
let classifier: EmotionClassifier;
let speech: Float32Array;

beforeAll(async () => {
  classifier = await loadEmotionClassifier("models/starter/emotion/emotion.onnx");
  const wav = readWav(await readFile("test/audio/kathleen-a0005.wav"));
  speech = resampleAll(wav.samples, wav.sampleRateHz, 16000);
});
afterAll(() => classifier.close());

test("every label of the model has a name in the interface", () => {
  for (const label of classifier.labels) {
    expect(scoreEmotions({ [label]: 1 }, []).filter(({ score }) => score === 1)).toHaveLength(1);
  }
});

test("the level of the microphone changes the scores only slightly", async () => {
  const scores = await classifier.classify(speech, signal);
  const quiet = await classifier.classify(
    speech.map((sample) => sample / 4),
    signal,
  );
  for (const label of classifier.labels) expect(Math.abs(quiet[label]! - scores[label]!)).toBeLessThan(0.2);
});
