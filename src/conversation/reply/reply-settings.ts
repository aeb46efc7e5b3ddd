import type { VoiceConfiguration } from "../../config/voice-configuration.ts";
import type { ReplySettings } from "../settings.ts";

/** Rates of speech that the voices can make. */
const SLOWEST = 0.5;
const FASTEST = 2;

/** How one reply is written and spoken. */
export interface ReplyStyle {
  readonly maxTokens: number;
  readonly temperature: number;
  readonly voice: string;
  readonly speed: number;
  /** False: the reply is text only. */
  readonly speaks: boolean;
}

/** The voice configuration with the settings of the session, and those of one reply. */
export function replyStyle(voice: VoiceConfiguration, settings: ReplySettings): ReplyStyle {
  return {
    maxTokens: settings.maxTokens ?? voice.max_reply_tokens,
    temperature: voice.temperature,
    voice: settings.voice ?? voice.voice,
    speed: Math.min(FASTEST, Math.max(SLOWEST, voice.speed * settings.speed)),
    speaks: settings.speaks,
  };
}
