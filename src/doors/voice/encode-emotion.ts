import type { SessionEvent } from "../../conversation/events.ts";
import { SHAPE_A_EMOTIONS, SHAPE_B_EMOTIONS } from "../../config/settings/emotion-names.ts";
import type { ServerData } from "./server-messages.ts";

const MAX_TOP_EMOTIONS = 3;

/**
 * The payload of `emotion_update`, which holds both shapes of the interface. Shape A has the tracked emotions of its list.
 * Shape B has the tracked names themselves, so that `dominant_emotion` is always one of them; without tracked names it has its list.
 */
export function encodeEmotion(
  { scores, tracked, analysisMs, audioMs }: SessionEvent & { type: "emotion" },
  connectionId: string,
): ServerData["emotion_update"] | undefined {
  const shapeA = scores.flatMap(({ names, score }) =>
    SHAPE_A_EMOTIONS.filter((name) => names.some((other) => other === name.toLowerCase())).map((name) => ({
      name,
      score,
    })),
  );
  const namesB = tracked.length === 0 ? SHAPE_B_EMOTIONS : tracked;
  const shapeB = scores.flatMap(({ names, score }) =>
    namesB.filter((name) => names.includes(name)).map((name) => ({ name, score })),
  );
  const [dominant] = shapeB;
  if (dominant === undefined) return undefined;
  return {
    top_emotions: shapeA.filter(({ score }) => score > 0).slice(0, MAX_TOP_EMOTIONS),
    all_emotions: Object.fromEntries(shapeA.map(({ name, score }) => [name, score])),
    processing_time: analysisMs / 1000,
    utterance_duration: audioMs / 1000,
    connection_id: connectionId,
    session_id: connectionId,
    dominant_emotion: dominant.name,
    confidence: dominant.score,
    emotions: Object.fromEntries(shapeB.map(({ name, score }) => [name, score])),
  };
}
