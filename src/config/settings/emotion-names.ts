/** Names of `all_emotions` and `top_emotions` (payload shape A), capitalised as in the interface. */
export const SHAPE_A_EMOTIONS = [
  "Joy",
  "Sadness",
  "Anger",
  "Fear",
  "Surprise",
  "Disgust",
  "Contempt",
  "Excitement",
  "Calmness",
] as const;

/** Names of `emotions` and `dominant_emotion` (payload shape B) when the client tracks no names. */
export const SHAPE_B_EMOTIONS = [
  "joy",
  "sadness",
  "anger",
  "fear",
  "surprise",
  "disgust",
  "neutral",
  "empathy",
  "confusion",
] as const;

export type ShapeAEmotion = (typeof SHAPE_A_EMOTIONS)[number];
export type ShapeBEmotion = (typeof SHAPE_B_EMOTIONS)[number];

export type EmotionName = Lowercase<ShapeAEmotion> | ShapeBEmotion;

/** Every name that a client may put in `emotions_to_track`, in lower case. Shape B uses the names that are tracked. */
export const TRACKABLE_EMOTIONS: readonly EmotionName[] = [
  ...new Set([...SHAPE_A_EMOTIONS.map((name) => name.toLowerCase() as Lowercase<ShapeAEmotion>), ...SHAPE_B_EMOTIONS]),
];
