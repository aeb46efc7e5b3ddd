import { expect, test } from "vitest";
import { SampleRing } from "../../../src/audio/ring-buffer.ts";
import { EmotionWatch } from "../../../src/conversation/ear/emotion-watch.ts";
import { DEFAULT_SESSION_SETTINGS } from "../../../src/doors/voice/session-settings.ts";
import { OakError } from "../../../src/shared/errors.ts";
import { ownedTasks } from "../../support/faults.ts";
import { VirtualClock } from "../../support/virtual-clock.ts";

test("a classifier that fails is told once, until it has worked again", async () => {
  const failures: unknown[] = [];
  let works = false;
  const watch = new EmotionWatch({
    classifier: {
      labels: ["joy"],
      minSeconds: 0.5,
      maxSeconds: 3,
      classify: async () => {
        if (works) return { joy: 1 };
        throw new OakError("restarting", { code: "ENGINE_UNAVAILABLE" });
      },
      close: async () => undefined,
    },
    ring: new SampleRing(16_000),
    connectionId: "c",
    clock: new VirtualClock(),
    tasks: ownedTasks(),
    signal: new AbortController().signal,
    onUpdate: () => undefined,
    onFailure: (error) => failures.push(error),
  });
  const settings = { ...DEFAULT_SESSION_SETTINGS.emotion_detection, update_frequency: "on_turn_complete" } as const;
  const look = () => watch.onTurnEnd(0, 16_000, settings);
  await look();
  await look();
  expect(failures).toHaveLength(1);
  works = true;
  await look();
  works = false;
  await look();
  expect(failures).toHaveLength(2);
});
