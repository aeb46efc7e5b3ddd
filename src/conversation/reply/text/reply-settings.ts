import type { VoiceConfiguration } from "../../../config/voice-configuration.ts";
import type { ReplySettings } from "../../../config/settings/session-settings.ts";
import type { ToolChoice, ToolDefinition } from "../../../engines/llm/language-model.ts";

/** Rates of speech that the voices can make. */
const SLOWEST = 0.5;
const FASTEST = 2;

/** A call needs more text than an answer. */
const TOKENS_FOR_CALLS = 512;

/** How one reply is written and spoken. */
export interface ReplyStyle {
  readonly maxTokens: number;
  /** Undefined: the model's own. */
  readonly temperature: number | undefined;
  readonly voice: string;
  readonly speed: number;
  /** False: the reply is text only. */
  readonly speaks: boolean;
  readonly tools: readonly ToolDefinition[];
  readonly toolChoice: ToolChoice;
}

/** The voice configuration with the settings of the session, and those of one reply. */
export function replyStyle(voice: VoiceConfiguration, settings: ReplySettings): ReplyStyle {
  const { tools, toolChoice } = settings;
  const calls = tools.length > 0 && toolChoice !== "none";
  const most = !calls ? voice.max_reply_tokens : Math.max(voice.max_reply_tokens, TOKENS_FOR_CALLS);
  return {
    maxTokens: settings.maxTokens ?? most,
    temperature: voice.temperature,
    voice: settings.voice ?? voice.voice,
    speed: Math.min(FASTEST, Math.max(SLOWEST, voice.speed * settings.speed)),
    speaks: settings.speaks,
    tools,
    toolChoice,
  };
}
