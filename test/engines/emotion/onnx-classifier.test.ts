import { copyFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { loadEmotionClassifier } from "../../../src/engines/emotion/onnx-classifier.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

const LOUDNESS = "test/engines/emotion/fixtures/loudness.onnx";
const { signal } = new AbortController();

test("a clip gives labels with probabilities, from its last maxSeconds when it is long", async () => {
  const classifier = await loadEmotionClassifier(LOUDNESS);
  expect(classifier).toMatchObject({ labels: ["angry", "sad"], minSeconds: 0.5, maxSeconds: 1 });
  const clip = new Float32Array(32000).fill(0.75);
  clip.fill(0.25, 16000);
  const scores = await classifier.classify(clip, signal);
  expect(scores["angry"]).toBeCloseTo(0.25, 4);
  expect(scores["sad"]).toBeCloseTo(0.75, 4);
  await classifier.close();
});

test("a clip that is too short, an aborted request and a closed classifier are refused", async () => {
  const classifier = await loadEmotionClassifier(LOUDNESS);
  await expect(classifier.classify(new Float32Array(7999), signal)).rejects.toThrow(RangeError);
  const reason = new Error("the caller hung up");
  await expect(classifier.classify(new Float32Array(8000), AbortSignal.abort(reason))).rejects.toBe(reason);
  const late = new AbortController();
  const answer = classifier.classify(new Float32Array(8000), late.signal);
  late.abort(reason);
  await expect(answer).rejects.toBe(reason);
  // Samples far beyond full scale: the output is no longer a distribution.
  await expect(classifier.classify(new Float32Array(8000).fill(3), signal)).rejects.toMatchObject({
    code: "EMOTION_FAILED",
  });
  await classifier.close();
  await classifier.close();
  await expect(classifier.classify(new Float32Array(8000), signal)).rejects.toMatchObject({ code: "EMOTION_CLOSED" });
});

describe("unsuitable files", () => {
  const facts = { labels: ["angry", "sad"], sampleRateHz: 16000, minSeconds: 0.5, maxSeconds: 1 };
  let folder: string;
  let onnx: string;
  beforeAll(async () => {
    folder = temporaryFolder();
    onnx = join(folder, "model.onnx");
  });

  const failure = (): Promise<unknown> =>
    loadEmotionClassifier(onnx).then(
      () => undefined,
      (error: unknown) => error,
    );

  test("the model is checked before its facts", async () => {
    expect(await failure()).toMatchObject({ code: "MODEL_MISSING", message: expect.stringContaining(onnx) });
    await copyFile(LOUDNESS, onnx);
    expect(await failure()).toMatchObject({ code: "MODEL_MISSING", message: expect.stringContaining("model.json") });
  });

  test.each([
    ["no JSON", "labels: angry"],
    ["another rate", { ...facts, sampleRateHz: 8000 }],
    ["limits the wrong way round", { ...facts, minSeconds: 2 }],
    ["a label twice", { ...facts, labels: ["sad", "sad"] }],
    ["a label too many", { ...facts, labels: ["angry", "sad", "happy"] }],
  ])("%s", async (_, content) => {
    await copyFile(LOUDNESS, onnx);
    await writeFile(join(folder, "model.json"), typeof content === "string" ? content : JSON.stringify(content));
    const error = await failure();
    expect(error).toMatchObject({ code: "MODEL_BROKEN", message: expect.not.stringContaining("\n") });
  });

  test("a model of another kind is refused", async () => {
    await copyFile("test/engines/vad/fixtures/silero5-layout.onnx", onnx);
    await writeFile(join(folder, "model.json"), JSON.stringify(facts));
    expect(await failure()).toMatchObject({ code: "MODEL_BROKEN", message: expect.stringContaining(onnx) });
  });
});
