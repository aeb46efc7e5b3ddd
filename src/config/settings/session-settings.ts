import { DEFAULT_LANGUAGE, type LanguageSetting } from "../../language/language-setting.ts";
import type { DeepPartial } from "../../shared/deep-merge.ts";
import type { ToolChoice, ToolDefinition } from "../../engines/llm/language-model.ts";
import type { EmotionName } from "./emotion-names.ts";

/** A longer list helps less, because each of its phrases is then less likely. */
export const MAX_PHRASES = 200;
export const MAX_PHRASE_LENGTH = 100;

/** Settings that a client can change in mid-call. Each door has its own form of them. */
export interface SessionSettings {
  readonly language: LanguageSetting;
  readonly turnDetection: TurnSettings;
  readonly emotionDetection: EmotionSettings;
  readonly responseStyle: ResponseStyle;
  readonly reply: ReplySettings;
  /** Names and phrases that the caller is likely to say, beside those of the voice configuration. */
  readonly phrases: readonly string[];
  /** Sentences about this call, for the prompt. */
  readonly callFacts: readonly string[];
  /** How the client names the caller, so that timers are kept until they connect again. Null: only for this connection. */
  readonly callerId: string | null;
  /** The client carries out the configuration's client tools. */
  readonly runsTools: boolean;
}

export interface TurnSettings {
  /** The client wants turn events. Turns decide when the service answers in any case. */
  readonly enabled: boolean;
  /** "client": only the client ends turns (push to talk). A voice opens a turn then and interrupts nothing. */
  readonly endedBy: "voice" | "client";
  /** The service answers each turn by itself. */
  readonly answers: boolean;
  /** A caller who speaks over a reply stops it. */
  readonly interruptible: boolean;
  readonly mode: "standard" | "adaptive" | "aggressive" | "conservative";
  /** Silence that ends a turn, before mode, words and sound make it shorter or longer. */
  readonly silenceThresholdMs: number;
  /** Voice that makes a turn. */
  readonly minSpeakingMs: number;
  readonly maxTurnMs: number;
  /** Audio before the first voice that belongs to the turn. */
  readonly leadInMs: number;
  /** Silence after a reply until the service speaks again by itself; 0: never. */
  readonly idleMs: number;
  /** Speech probabilities, 0 to 1: while the service is silent, and while its reply is audible. */
  readonly speechThreshold: number;
  readonly interruptThreshold: number;
  readonly naturalPauses: boolean;
  readonly backgroundNoiseAdaptation: boolean;
  /** In a noisy room, voice activity is detected with the noise suppressed. */
  readonly noiseSuppression: boolean;
  readonly speakingRateAdaptation: boolean;
  readonly contextAwareness: {
    readonly enabled: boolean;
    readonly conversationStyle: string;
    readonly userPreferences: string;
  };
}

export interface EmotionSettings {
  readonly enabled: boolean;
  /** Score, 0 to 1, that the strongest tracked emotion must reach. */
  readonly confidenceThreshold: number;
  readonly updates: "continuous" | "on-turn-end" | "interval";
  /** Empty: all. */
  readonly tracked: readonly EmotionName[];
  /** Audio that is analysed, and the length of an interval. */
  readonly windowMs: number;
}

/** How replies are written and spoken. Null: as the voice configuration says. */
export interface ReplySettings {
  /** In the place of the configuration's system prompt. */
  readonly instructions: string | null;
  readonly voice: string | null;
  /** Multiplies the configuration's rate of speech. */
  readonly speed: number;
  readonly maxTokens: number | null;
  /** False: replies are text only. */
  readonly speaks: boolean;
  /** Functions that the client carries out. */
  readonly tools: readonly ToolDefinition[];
  readonly toolChoice: ToolChoice;
}

/** Lines for the prompt. */
export interface ResponseStyle {
  readonly tone?: string;
  readonly empathyLevel?: string;
  readonly explanationDetail?: string;
}

export type SessionSettingsPatch = DeepPartial<SessionSettings>;

/** The defaults of the native interface; docs/protocol.md explains the ones that it leaves open. */
export const DEFAULT_SETTINGS: SessionSettings = {
  language: DEFAULT_LANGUAGE,
  turnDetection: {
    enabled: true,
    endedBy: "voice",
    answers: true,
    interruptible: true,
    mode: "standard",
    silenceThresholdMs: 500,
    minSpeakingMs: 300,
    maxTurnMs: 30_000,
    leadInMs: 300,
    idleMs: 0,
    speechThreshold: 0.3,
    interruptThreshold: 0.8,
    naturalPauses: true,
    backgroundNoiseAdaptation: true,
    noiseSuppression: true,
    speakingRateAdaptation: true,
    contextAwareness: { enabled: false, conversationStyle: "", userPreferences: "" },
  },
  emotionDetection: {
    enabled: true,
    confidenceThreshold: 0.7,
    updates: "continuous",
    tracked: [],
    windowMs: 3000,
  },
  responseStyle: {},
  reply: { instructions: null, voice: null, speed: 1, maxTokens: null, speaks: true, tools: [], toolChoice: "auto" },
  phrases: [],
  callFacts: [],
  callerId: null,
  runsTools: false,
};
