import * as fc from "fast-check";
import { expect, test } from "vitest";
import { scoreEmotions } from "../../../src/conversation/ear/score-emotions.ts";
import type { EmotionSettings } from "../../../src/config/settings/session-settings.ts";
import { encodeEmotion } from "../../../src/doors/voice/encode-emotion.ts";
import { SHAPE_B_EMOTIONS, TRACKABLE_EMOTIONS } from "../../../src/config/settings/emotion-names.ts";
import { encodeServerMessage, serverMessageSchema, type ServerData } from "../../../src/doors/voice/server-messages.ts";

const SCORES = { angry: 0.06, happy: 0.8, neutral: 0.1, sad: 0.04 };

function build(
  { tracked = [] }: Partial<EmotionSettings> = {},
  scores: Record<string, number> = SCORES,
): ServerData["emotion_update"] | undefined {
  const event = { scores: scoreEmotions(scores, tracked), tracked, analysisMs: 10, audioMs: 2500 };
  const update = encodeEmotion({ type: "emotion", ...event }, "c-1");
  // Each payload must pass the schema of the interface.
  if (update !== undefined) serverMessageSchema.parse(JSON.parse(encodeServerMessage("emotion_update", update, 0)));
  return update;
}

test("a payload contains both shapes", () => {
  expect(build()).toEqual({
    top_emotions: [
      { name: "Joy", score: 0.8 },
      { name: "Calmness", score: 0.1 },
      { name: "Anger", score: 0.06 },
    ],
    all_emotions: {
      Joy: 0.8,
      Sadness: 0.04,
      Anger: 0.06,
      Fear: 0,
      Surprise: 0,
      Disgust: 0,
      Contempt: 0,
      Excitement: 0,
      Calmness: 0.1,
    },
    processing_time: 0.01,
    utterance_duration: 2.5,
    connection_id: "c-1",
    session_id: "c-1",
    dominant_emotion: "joy",
    confidence: 0.8,
    emotions: {
      joy: 0.8,
      sadness: 0.04,
      anger: 0.06,
      fear: 0,
      surprise: 0,
      disgust: 0,
      neutral: 0.1,
      empathy: 0,
      confusion: 0,
    },
  });
});

test("only tracked emotions are reported", () => {
  const update = build({ tracked: ["anger", "calmness"] });
  expect(update).toMatchObject({ dominant_emotion: "calmness", confidence: 0.1 });
  expect(update?.all_emotions).toEqual({ Anger: 0.06, Calmness: 0.1 });
  expect(update?.emotions).toEqual({ anger: 0.06, calmness: 0.1 });
});

test("tracked emotions that only shape A lists are in shape B with lower-case names", () => {
  expect(build({ tracked: ["contempt", "excitement"] })).toMatchObject({
    top_emotions: [],
    all_emotions: { Contempt: 0, Excitement: 0 },
    dominant_emotion: "contempt",
    confidence: 0,
    emotions: { contempt: 0, excitement: 0 },
  });
});

test("property: the dominant emotion is a tracked one for any scores", () => {
  const labels = ["happy", "sad", "neutral", "contempt", "excited", "empathy", "bored"];
  const scores = fc.dictionary(fc.constantFrom(...labels), fc.double({ min: 0, max: 1, noNaN: true }));
  const tracked = fc.array(fc.constantFrom(...TRACKABLE_EMOTIONS));
  fc.assert(
    fc.property(scores, tracked, (given, names) => {
      const update = build({ tracked: names }, given);
      expect(names.length === 0 ? SHAPE_B_EMOTIONS : names).toContain(update?.dominant_emotion);
      expect(Object.keys(update?.emotions ?? {}).toSorted()).toEqual(
        [...new Set(names.length === 0 ? SHAPE_B_EMOTIONS : names)].toSorted(),
      );
      expect(update?.emotions[update.dominant_emotion]).toBe(update?.confidence);
      expect(update?.confidence).toBe(Math.max(...Object.values(update?.emotions ?? {})));
    }),
  );
});

test("rounding errors do not move a score out of 0 to 1", () => {
  expect(build({}, { happy: 1.0000001, sad: -0 })).toMatchObject({ confidence: 1 });
});
