import { expect, test } from "vitest";
import { VoiceEncoder } from "../../../src/doors/voice/encode.ts";
import { DEFAULT_SETTINGS } from "../../../src/config/settings/session-settings.ts";

const ended = (turn: number) =>
  ({
    type: "turn-ended",
    turn,
    cause: "silence",
    durationMs: 500,
    confidence: 1,
    transcript: { text: "hello", confidence: 1, words: [], accumulated: "hello" },
  }) as const;
const committed = (turn: number) =>
  ({
    type: "turn-committed",
    turn,
    startMs: 0,
    endMs: 500,
    voicedUntilMs: 500,
    cause: "silence",
    heardMs: 900,
  }) as const;

test("the end of a turn has the time that its words took", () => {
  let nowMs = 1_000;
  const encoder = new VoiceEncoder({ connectionId: "c", nowMs: () => nowMs });
  const endOf = (turn: number) => encoder.encode(ended(turn)).find(({ type }) => type === "turn_end")?.data;
  encoder.encode({ type: "ready", settings: DEFAULT_SETTINGS });
  for (const turn of [1, 2, 3]) encoder.encode({ type: "turn-started", turn, startMs: 0, interrupts: false });
  encoder.encode(committed(1));
  nowMs += 40;
  encoder.encode(committed(2));
  nowMs += 80;
  expect(endOf(1)).toMatchObject({ decode_duration: 0.12 });
  expect(endOf(2)).toMatchObject({ decode_duration: 0.08 });
  // The turn ended on a connection that was lost.
  expect(endOf(3)).not.toHaveProperty("decode_duration");
});
