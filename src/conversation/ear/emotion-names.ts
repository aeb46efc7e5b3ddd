import type { ShapeAEmotion, ShapeBEmotion } from "../../doors/voice/emotions.ts";
import type { EmotionScores } from "../../engines/emotion/emotion-classifier.ts";

/**
 * One emotion under the names of both payload shapes. The two lists differ: what one of them lacks has no name there.
 * Shape A has no "neutral"; calmness is what it has for a voice without any other emotion, so the two are one here.
 */
export interface Emotion {
  readonly shapeA?: ShapeAEmotion;
  readonly shapeB?: ShapeBEmotion;
  /** What models call it. A label of a model that is in no row is left out. */
  readonly labels: readonly string[];
}

/** The starter model knows four of these; the others score 0 with it. */
export const EMOTIONS: readonly Emotion[] = [
  { shapeA: "Joy", shapeB: "joy", labels: ["joy", "happy", "happiness"] },
  { shapeA: "Sadness", shapeB: "sadness", labels: ["sadness", "sad"] },
  { shapeA: "Anger", shapeB: "anger", labels: ["anger", "angry"] },
  { shapeA: "Fear", shapeB: "fear", labels: ["fear", "fearful"] },
  { shapeA: "Surprise", shapeB: "surprise", labels: ["surprise", "surprised"] },
  { shapeA: "Disgust", shapeB: "disgust", labels: ["disgust", "disgusted"] },
  { shapeA: "Calmness", shapeB: "neutral", labels: ["neutral", "calmness", "calm"] },
  { shapeA: "Contempt", labels: ["contempt"] },
  { shapeA: "Excitement", labels: ["excitement", "excited"] },
  { shapeB: "empathy", labels: ["empathy"] },
  { shapeB: "confusion", labels: ["confusion", "confused"] },
];

/** 0-1 for each row of `EMOTIONS`, in their order. */
export function scoreEmotions(scores: EmotionScores): readonly { readonly emotion: Emotion; readonly score: number }[] {
  return EMOTIONS.map((emotion) => {
    const sum = Object.entries(scores).reduce(
      (total, [label, score]) => (emotion.labels.includes(label.toLowerCase()) ? total + score : total),
      0,
    );
    return { emotion, score: Math.min(1, sum) };
  });
}

/** `tracked`: lower-case names of either shape; none means all. */
export function isTracked(emotion: Emotion, tracked: readonly string[]): boolean {
  return (
    tracked.length === 0 || tracked.some((name) => name === emotion.shapeA?.toLowerCase() || name === emotion.shapeB)
  );
}
