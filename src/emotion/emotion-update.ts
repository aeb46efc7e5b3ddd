import type { ServerData } from "../protocol/server-messages.ts";
import type { EmotionScores } from "./contract.ts";
import { isTracked, scoreEmotions } from "./emotion-names.ts";
import type { EmotionSettings } from "./emotion-policy.ts";

type EmotionUpdate = ServerData["emotion_update"];

const MAX_TOP_EMOTIONS = 3;

/**
 * The payload of one `emotion_update`, or undefined when the strongest tracked emotion stays below the threshold.
 * `all_emotions` and `emotions` hold the tracked ones. Shape B must name a dominant emotion even when no tracked
 * one has a name there (only Contempt and Excitement are tracked): then it is the strongest of its whole list.
 */
export function buildEmotionUpdate(
  scores: EmotionScores,
  settings: EmotionSettings,
  ids: { readonly connectionId: string },
  times: { readonly processingSeconds: number; readonly utteranceSeconds: number },
): EmotionUpdate | undefined {
  const ranked = scoreEmotions(scores).toSorted((a, b) => b.score - a.score);
  const tracked = ranked.filter(({ emotion }) => isTracked(emotion, settings.emotions_to_track));
  const [strongest] = tracked;
  if (strongest === undefined || strongest.score < settings.confidence_threshold) return undefined;

  const named = tracked.flatMap(({ emotion: { shapeA: name }, score }) =>
    name === undefined ? [] : [{ name, score }],
  );
  const namedB = (from: typeof ranked) =>
    from.flatMap(({ emotion: { shapeB: name }, score }) => (name === undefined ? [] : [{ name, score }]));
  const trackedB = namedB(tracked);
  const dominant = trackedB[0] ?? namedB(ranked)[0];
  if (dominant === undefined) return undefined;

  return {
    top_emotions: named.filter(({ score }) => score > 0).slice(0, MAX_TOP_EMOTIONS),
    all_emotions: Object.fromEntries(named.map(({ name, score }) => [name, score])),
    processing_time: times.processingSeconds,
    utterance_duration: times.utteranceSeconds,
    connection_id: ids.connectionId,
    session_id: ids.connectionId,
    dominant_emotion: dominant.name,
    confidence: dominant.score,
    emotions: Object.fromEntries(trackedB.map(({ name, score }) => [name, score])),
  };
}
