import { CALL_HZ } from "../../audio/format.ts";
import type * as domain from "./session-settings.ts";
import { DEFAULT_SETTINGS } from "./session-settings.ts";
import type { DeepPartial } from "../../shared/deep-merge.ts";
import type { SessionSettings, SessionSettingsPatch } from "./settings-schema.ts";

type TurnPatch = NonNullable<SessionSettingsPatch["turn_detection"]>;
type EmotionPatch = NonNullable<SessionSettingsPatch["emotion_detection"]>;

/** The native interface has snake_case and seconds, the conversation has camelCase and milliseconds. */
export const decodeSettings = ({
  turn_detection: turns,
  emotion_detection: emotion,
  response_style: style,
  language,
  tool_calls: runsTools,
  caller_id: callerId,
  phrases,
}: SessionSettingsPatch): domain.SessionSettingsPatch => ({
  language,
  runsTools,
  callerId,
  phrases,
  turnDetection: turns && decodeTurnSettings(turns),
  emotionDetection: emotion && decodeEmotionSettings(emotion),
  responseStyle: style && {
    tone: style.tone,
    empathyLevel: style.empathy_level,
    explanationDetail: style.explanation_detail,
  },
});

export const decodeTurnSettings = (turns: TurnPatch): DeepPartial<domain.TurnSettings> => ({
  enabled: turns.enabled,
  mode: turns.mode,
  silenceThresholdMs: toMs(turns.silence_threshold),
  minSpeakingMs: toMs(turns.min_speaking_time),
  maxTurnMs: toMs(turns.max_turn_duration),
  speechThreshold: turns.speech_threshold,
  interruptThreshold: turns.interrupt_threshold,
  naturalPauses: turns.natural_pauses,
  backgroundNoiseAdaptation: turns.background_noise_adaptation,
  noiseSuppression: turns.background_noise_adaptation,
  speakingRateAdaptation: turns.speaking_rate_adaptation,
  contextAwareness: turns.context_awareness && {
    enabled: turns.context_awareness.enabled,
    conversationStyle: turns.context_awareness.conversation_style,
    userPreferences: turns.context_awareness.user_preferences,
  },
});

export const decodeEmotionSettings = (emotion: EmotionPatch): DeepPartial<domain.EmotionSettings> => ({
  enabled: emotion.enabled,
  confidenceThreshold: emotion.confidence_threshold,
  updates: emotion.update_frequency && UPDATES[emotion.update_frequency],
  tracked: emotion.emotions_to_track,
  windowMs: toMs(emotion.analysis_window),
});

const UPDATES = { continuous: "continuous", on_turn_complete: "on-turn-end", interval: "interval" } as const;
const UPDATE_FREQUENCIES = {
  continuous: "continuous",
  "on-turn-end": "on_turn_complete",
  interval: "interval",
} as const;

export function encodeSettings(settings: domain.SessionSettings): SessionSettings {
  const { turnDetection: turns, emotionDetection: emotion, responseStyle: style } = settings;
  return {
    emotion_detection: {
      enabled: emotion.enabled,
      confidence_threshold: emotion.confidenceThreshold,
      update_frequency: UPDATE_FREQUENCIES[emotion.updates],
      emotions_to_track: [...emotion.tracked],
      analysis_window: toSeconds(emotion.windowMs),
    },
    turn_detection: {
      enabled: turns.enabled,
      mode: turns.mode,
      silence_threshold: toSeconds(turns.silenceThresholdMs),
      min_speaking_time: toSeconds(turns.minSpeakingMs),
      max_turn_duration: toSeconds(turns.maxTurnMs),
      speech_threshold: turns.speechThreshold,
      interrupt_threshold: turns.interruptThreshold,
      natural_pauses: turns.naturalPauses,
      background_noise_adaptation: turns.backgroundNoiseAdaptation,
      speaking_rate_adaptation: turns.speakingRateAdaptation,
      context_awareness: {
        enabled: turns.contextAwareness.enabled,
        conversation_style: turns.contextAwareness.conversationStyle,
        user_preferences: turns.contextAwareness.userPreferences,
      },
    },
    audio: AUDIO,
    response_style: {
      ...(style.tone === undefined ? {} : { tone: style.tone }),
      ...(style.empathyLevel === undefined ? {} : { empathy_level: style.empathyLevel }),
      ...(style.explanationDetail === undefined ? {} : { explanation_detail: style.explanationDetail }),
    },
    language: typeof settings.language === "string" ? settings.language : [...settings.language],
    tool_calls: settings.runsTools,
    ...(settings.callerId === null ? {} : { caller_id: settings.callerId }),
    ...(settings.phrases.length === 0 ? {} : { phrases: [...settings.phrases] }),
  };
}

/** The only audio format of the native interface. */
export const AUDIO = { sample_rate: CALL_HZ, channels: 1, encoding: "linear16" } as const;

const toMs = (seconds: number | undefined): number | undefined => seconds && seconds * 1000;

/** Exact for up to 15 significant digits: 0.29 s is 290 ms and 0.29 s again. */
const toSeconds = (ms: number): number => Number((ms / 1000).toPrecision(15));

export const DEFAULT_SESSION_SETTINGS: SessionSettings = encodeSettings(DEFAULT_SETTINGS);
