import { expect, test } from "vitest";
import { SampleRing } from "../../../src/audio/ring-buffer.ts";
import type { EmotionClassifier } from "../../../src/engines/emotion/emotion-classifier.ts";
import { EmotionWatch } from "../../../src/conversation/ear/emotion-watch.ts";
import type { SessionEvent } from "../../../src/conversation/events.ts";
import { DEFAULT_SETTINGS } from "../../../src/config/settings/session-settings.ts";
import { OakError } from "../../../src/shared/errors.ts";
import { onFault, ownedTasks } from "../../support/faults.ts";
import { VirtualClock } from "../../support/virtual-clock.ts";

function watchWith({
  classify,
  emit,
  onFailure = onFault,
}: {
  readonly classify: EmotionClassifier["classify"];
  readonly emit: (event: SessionEvent) => void;
  readonly onFailure?: (error: unknown) => void;
}) {
  return new EmotionWatch({
    classifier: { labels: ["joy"], minSeconds: 0.5, maxSeconds: 3, classify, close: async () => undefined },
    ring: new SampleRing(64_000),
    clock: new VirtualClock(),
    tasks: ownedTasks(),
    signal: new AbortController().signal,
    emit,
    onFailure,
  });
}

test("a classifier failure is reported once until a classification succeeds", async () => {
  const failures: unknown[] = [];
  const reported: SessionEvent[] = [];
  let works = false;
  const watch = watchWith({
    classify: async () => {
      if (works) return { joy: 1 };
      throw new OakError("restarting", { code: "ENGINE_UNAVAILABLE" });
    },
    emit: (event) => reported.push(event),
    onFailure: (error) => failures.push(error),
  });
  const settings = { ...DEFAULT_SETTINGS.emotionDetection, confidenceThreshold: 0, updates: "on-turn-end" } as const;
  const look = () => watch.onTurnEnd(0, 16_000, settings);
  await look();
  await look();
  expect([failures.length, reported.length]).toEqual([1, 0]);
  works = true;
  await look();
  works = false;
  await look();
  expect(failures).toHaveLength(2);
});

test.each([
  [0.8, 1],
  [0.81, 0],
])("an emotion of 0.8 with a threshold of %f is reported %i times", async (confidenceThreshold, times) => {
  const reported: SessionEvent[] = [];
  const watch = watchWith({
    classify: async () => ({ happy: 0.8, sad: 0.2 }),
    emit: (event) => reported.push(event),
  });
  const settings = { ...DEFAULT_SETTINGS.emotionDetection, confidenceThreshold, updates: "on-turn-end" } as const;
  await watch.onTurnEnd(0, 16_000, settings);
  // Only tracked emotions can reach the threshold.
  await watch.onTurnEnd(0, 16_000, { ...settings, tracked: ["sadness"] });
  expect(reported).toHaveLength(times);
});

test("the emotion of a turn that ends where it was prepared needs no second inference", async () => {
  const reported: SessionEvent[] = [];
  let inferences = 0;
  const watch = watchWith({
    classify: async () => {
      inferences += 1;
      return { joy: 1 };
    },
    emit: (event) => reported.push(event),
  });
  const settings = { ...DEFAULT_SETTINGS.emotionDetection, updates: "on-turn-end" } as const;
  watch.prepareTurnEnd(0, 16_000, settings);
  watch.prepareTurnEnd(0, 16_000, settings);
  await Promise.resolve();
  expect([inferences, reported.length]).toEqual([1, 0]);
  await watch.onTurnEnd(0, 16_000, settings);
  expect([inferences, reported.length]).toEqual([1, 1]);
  // The caller went on after a pause.
  watch.prepareTurnEnd(20_000, 40_000, settings);
  await watch.onTurnEnd(20_000, 60_000, settings);
  expect([inferences, reported.length]).toEqual([3, 2]);
});
