import { SHAPE_B_EMOTIONS } from "../../doors/voice/emotions.ts";
import type { ServerData } from "../../doors/voice/server-messages.ts";
import type { EmotionScores } from "../../engines/emotion/emotion-classifier.ts";
import { isTracked, scoreEmotions } from "./emotion-names.ts";
import type { EmotionSettings } from "./emotion-policy.ts";

type EmotionUpdate = ServerData["emotion_update"];

const MAX_TOP_EMOTIONS = 3;

/**
 * The payload of one `emotion_update`, or undefined when the strongest tracked emotion stays below the threshold.
 * Shape A has the tracked emotions of its list. Shape B has the tracked names themselves, so that `dominant_emotion`
 * is always one of them; when no name is tracked, it has its list.
 */
export function buildEmotionUpdate(
  scores: EmotionScores,
  settings: EmotionSettings,
  ids: { readonly connectionId: string },
  times: { readonly processingSeconds: number; readonly utteranceSeconds: number },
): EmotionUpdate | undefined {
  const { emotions_to_track: names, confidence_threshold: threshold } = settings;
  const tracked = scoreEmotions(scores)
    .filter(({ emotion }) => isTracked(emotion, names))
    .toSorted((a, b) => b.score - a.score);
  const [strongest] = tracked;
  if (strongest === undefined || strongest.score < threshold) return undefined;

  const shapeA = tracked.flatMap(({ emotion: { shapeA: name }, score }) =>
    name === undefined ? [] : [{ name, score }],
  );
  const shapeB = tracked.flatMap(({ emotion, score }) =>
    (names.length === 0 ? SHAPE_B_EMOTIONS : names)
      .filter((name) => isTracked(emotion, [name]))
      .map((name) => ({ name, score })),
  );
  const [dominant] = shapeB;
  if (dominant === undefined) return undefined;

  return {
    top_emotions: shapeA.filter(({ score }) => score > 0).slice(0, MAX_TOP_EMOTIONS),
    all_emotions: Object.fromEntries(shapeA.map(({ name, score }) => [name, score])),
    processing_time: times.processingSeconds,
    utterance_duration: times.utteranceSeconds,
    connection_id: ids.connectionId,
    session_id: ids.connectionId,
    dominant_emotion: dominant.name,
    confidence: dominant.score,
    emotions: Object.fromEntries(shapeB.map(({ name, score }) => [name, score])),
  };
}
