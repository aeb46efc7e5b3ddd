import type { EmotionScore } from "../events.ts";
import type { EmotionName } from "../../config/settings/emotion-names.ts";
import type { EmotionScores } from "../../engines/emotion/emotion-classifier.ts";

export interface Emotion {
  /** A voice without any other emotion is calm and neutral alike, so these two names are one emotion. */
  readonly names: readonly EmotionName[];
  /** Labels that models use for it. Other labels are ignored. */
  readonly labels: readonly string[];
}

/** The starter model knows four of these; the others score 0 with it. */
export const EMOTIONS: readonly Emotion[] = [
  { names: ["joy"], labels: ["joy", "happy", "happiness"] },
  { names: ["sadness"], labels: ["sadness", "sad"] },
  { names: ["anger"], labels: ["anger", "angry"] },
  { names: ["fear"], labels: ["fear", "fearful"] },
  { names: ["surprise"], labels: ["surprise", "surprised"] },
  { names: ["disgust"], labels: ["disgust", "disgusted"] },
  { names: ["calmness", "neutral"], labels: ["neutral", "calmness", "calm"] },
  { names: ["contempt"], labels: ["contempt"] },
  { names: ["excitement"], labels: ["excitement", "excited"] },
  { names: ["empathy"], labels: ["empathy"] },
  { names: ["confusion"], labels: ["confusion", "confused"] },
];

/** The scores of the tracked emotions, strongest first. `tracked` empty: of all. */
export function scoreEmotions(scores: EmotionScores, tracked: readonly EmotionName[]): readonly EmotionScore[] {
  return EMOTIONS.filter(({ names }) => tracked.length === 0 || names.some((name) => tracked.includes(name)))
    .map(({ names, labels }) => ({ names, score: Math.min(1, sumOf(scores, labels)) }))
    .toSorted((a, b) => b.score - a.score);
}

function sumOf(scores: EmotionScores, labels: readonly string[]): number {
  return Object.entries(scores).reduce(
    (sum, [label, score]) => (labels.includes(label.toLowerCase()) ? sum + score : sum),
    0,
  );
}
