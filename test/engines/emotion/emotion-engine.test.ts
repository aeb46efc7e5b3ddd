import { expect, test } from "vitest";
import { startEmotion } from "../../../src/engines/emotion/emotion-engine.ts";
import { silentLog } from "../../../src/shared/log.ts";

const MODEL = "test/engines/emotion/fixtures/loudness.onnx";

test.each([
  ["in this process", Number.POSITIVE_INFINITY],
  ["in a child", 0],
])("%s gives the same scores", async (_, maxInProcessMs) => {
  const classifier = await startEmotion({ modelPath: MODEL, maxInProcessMs }, silentLog);
  try {
    expect(classifier).toMatchObject({ labels: ["angry", "sad"], minSeconds: 0.5, maxSeconds: 1 });
    const { signal } = new AbortController();
    const clip = new Float32Array(32000).fill(0.75);
    clip.fill(0.25, 16000);
    const scores = await classifier.classify(clip, signal);
    expect(scores["angry"]).toBeCloseTo(0.25, 4);
    expect(scores["sad"]).toBeCloseTo(0.75, 4);

    const reason = new Error("the caller hung up");
    await expect(classifier.classify(clip, AbortSignal.abort(reason))).rejects.toBe(reason);
    const late = new AbortController();
    const answer = classifier.classify(clip, late.signal);
    late.abort(reason);
    await expect(answer).rejects.toBe(reason);
    // An abort does not affect other requests.
    expect((await classifier.classify(clip, signal))["sad"]).toBeCloseTo(0.75, 4);
  } finally {
    await classifier.close();
  }
});

test("a missing model is reported before a child is started", async () => {
  const missing = startEmotion({ modelPath: "test/engines/emotion/none.onnx", maxInProcessMs: 0 }, silentLog);
  await expect(missing).rejects.toMatchObject({ code: "MODEL_MISSING" });
});

test("load from other programs does not decide where the model runs", async () => {
  // Each turn of the event loop takes longer than a measurement may, without CPU time of this process.
  const sleeper = new Int32Array(new SharedArrayBuffer(4));
  let busy = true;
  const holdUp = (): void => {
    Atomics.wait(sleeper, 0, 0, 200);
    if (busy) setImmediate(holdUp);
  };
  setImmediate(holdUp);
  const classifier = await startEmotion({ modelPath: MODEL, maxInProcessMs: 100 }, silentLog).finally(
    () => (busy = false),
  );
  expect(classifier.process).toBeUndefined();
  await classifier.close();
});

test("other work of this process during the start does not decide where the model runs", async () => {
  const until = performance.now() + 700;
  const work = (): void => {
    const from = performance.now();
    while (performance.now() < from + 60);
    if (performance.now() < until) setImmediate(work);
  };
  setImmediate(work);
  const classifier = await startEmotion({ modelPath: MODEL, maxInProcessMs: 50 }, silentLog);
  await classifier.close();
  expect(classifier.process).toBeUndefined();
});
