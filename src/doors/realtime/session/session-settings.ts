import type { VoiceConfiguration } from "../../../config/voice-configuration.ts";
import {
  DEFAULT_SETTINGS,
  MAX_PHRASE_LENGTH,
  MAX_PHRASES,
  type ReplySettings,
  type SessionSettings,
  type SessionSettingsPatch,
  type TurnSettings,
} from "../../../config/settings/session-settings.ts";
import type { ToolChoice, ToolDefinition } from "../../../engines/llm/language-model.ts";
import type { VoiceSession } from "../../../conversation/session/session-interface.ts";
import { isByEar, type LanguageSetting } from "../../../language/language-setting.ts";
import { languageFault } from "../../language-fault.ts";
import { deepMerge } from "../../../shared/deep-merge.ts";
import type { SessionConfig, TurnDetection } from "./session-config.ts";

type Recogniser = Pick<VoiceSession, "languages" | "identifiesLanguage">;

/** OpenAI's own voices. Clients send one of them by default; the voice configuration's voice stands for all. */
const FOREIGN_VOICES = new Set([
  "default",
  "alloy",
  "ash",
  "ballad",
  "cedar",
  "coral",
  "echo",
  "fable",
  "marin",
  "nova",
  "onyx",
  "sage",
  "shimmer",
  "verse",
]);

const MODES = { low: "conservative", medium: "adaptive", auto: "adaptive", high: "aggressive" } as const;

/**
 * The conversation's settings for a client's configuration.
 * @param base The settings of the voice configuration.
 * @param recogniser The languages that it knows; undefined: any.
 */
export const decodeSession = (
  config: SessionConfig,
  base: SessionSettings,
  recogniser: Recogniser = {},
): SessionSettingsPatch => ({
  phrases: phrasesOf(config.audio.input.transcription?.prompt),
  language: decodeLanguage(config.audio.input.transcription?.language, recogniser) ?? base.language,
  reply: {
    instructions: config.instructions === "" ? null : config.instructions,
    ...decodeReply({ ...config, audio: { output: config.audio.output } }),
  },
  turnDetection: {
    ...decodeTurnDetection(config.audio.input.turn_detection, base.turnDetection),
    noiseSuppression: suppressesNoise(config.audio.input.noise_reduction) ?? base.turnDetection.noiseSuppression,
  },
});

/** Near and far microphones are treated alike. Undefined: as the voice configuration says. */
const suppressesNoise = (reduction: SessionConfig["audio"]["input"]["noise_reduction"]): boolean | undefined =>
  reduction === undefined ? undefined : reduction !== null;

/** The settings of a voice configuration, before the client's. */
export const baseSettings = ({
  language,
  turn_detection: turnDetection,
  emotion_detection: emotionDetection,
}: VoiceConfiguration): SessionSettings => deepMerge(DEFAULT_SETTINGS, { turnDetection, emotionDetection, language });

/** The fields that a session and a single response have in common. */
export interface ReplyConfig {
  readonly output_modalities?: SessionConfig["output_modalities"];
  readonly max_output_tokens?: SessionConfig["max_output_tokens"];
  readonly tools?: SessionConfig["tools"];
  readonly tool_choice?: SessionConfig["tool_choice"];
  readonly audio?: { readonly output?: Partial<Pick<SessionConfig["audio"]["output"], "voice" | "speed">> };
}

export function decodeReply(config: ReplyConfig): Partial<ReplySettings> {
  const { output_modalities, max_output_tokens, tools, tool_choice, audio = {} } = config;
  const { voice, speed } = audio.output ?? {};
  return {
    ...(tools === undefined ? {} : { tools: tools.flatMap(toolOf) }),
    ...(tool_choice === undefined ? {} : { toolChoice: choiceOf(tool_choice) }),
    ...(output_modalities === undefined ? {} : { speaks: output_modalities[0] === "audio" }),
    ...(max_output_tokens === undefined ? {} : { maxTokens: max_output_tokens === "inf" ? null : max_output_tokens }),
    ...(voice === undefined ? {} : { voice: voiceOf(voice) }),
    ...(speed === undefined ? {} : { speed }),
  };
}

function toolOf(tool: SessionConfig["tools"][number]): readonly ToolDefinition[] {
  if (tool.type !== "function") return [];
  const { name, description, parameters = {} } = tool as Partial<ToolDefinition> & { readonly name: string };
  return [{ name, description: description ?? "", parameters }];
}

function choiceOf(choice: SessionConfig["tool_choice"]): ToolChoice {
  if (typeof choice === "string") return choice;
  return choice.name === undefined ? "required" : { name: choice.name };
}

/** OpenAI's clients write a list of words, or sentences. The dot of "Dr." ends no sentence. */
const phrasesOf = (prompt: string | null | undefined): readonly string[] =>
  (prompt ?? "")
    .split(/[,;:\n]|(?<=\p{L}{4})[.?!](?:\s|$)/u)
    .map((phrase) => phrase.trim())
    .filter((phrase) => phrase !== "" && phrase.length <= MAX_PHRASE_LENGTH)
    .slice(0, MAX_PHRASES);

/** A setting that the recogniser cannot serve is ignored: clients send what their own page is written in. */
function decodeLanguage(tag: string | null | undefined, recogniser: Recogniser): LanguageSetting | undefined {
  const setting = languageOf(tag ?? "");
  return setting === undefined || languageFault(setting, recogniser) !== undefined ? undefined : setting;
}

/** Why the recogniser cannot choose among the languages that the client asks for, or undefined. */
export function choiceFault(config: SessionConfig, recogniser: Recogniser): string | undefined {
  const setting = languageOf(config.audio.input.transcription?.language ?? "");
  return setting === undefined || !isByEar(setting) ? undefined : languageFault(setting, recogniser);
}

/** "de", "auto", or several as "en,de". `en-US` counts as `en`. */
function languageOf(text: string): LanguageSetting | undefined {
  if (text === "auto") return text;
  const codes = text.split(",").map((tag) => tag.trim().toLowerCase().split(/[-_]/u, 1)[0] ?? "");
  if (!codes.every((code) => /^[a-z]{2,3}$/u.test(code))) return undefined;
  return codes.length === 1 ? codes[0] : codes;
}

function voiceOf(voice: SessionConfig["audio"]["output"]["voice"]): string | null {
  const name = typeof voice === "string" ? voice : voice.id;
  return FOREIGN_VOICES.has(name) ? null : name;
}

function decodeTurnDetection(detection: TurnDetection, base: TurnSettings): Partial<TurnSettings> {
  const { mode, silenceThresholdMs, speechThreshold, leadInMs, naturalPauses, speakingRateAdaptation } = base;
  const own = { mode, silenceThresholdMs, speechThreshold, leadInMs, naturalPauses, speakingRateAdaptation, idleMs: 0 };
  if (detection === null) return { ...own, endedBy: "client" };
  const answers = detection.create_response ?? true;
  const interruptible = detection.interrupt_response ?? true;
  const common = { ...own, endedBy: "voice", answers, interruptible } as const;
  if (detection.type === "semantic_vad")
    return { ...common, naturalPauses: true, mode: MODES[detection.eagerness ?? "auto"] };
  const { threshold, prefix_padding_ms: leadIn, silence_duration_ms: silence, idle_timeout_ms: idle } = detection;
  return {
    ...common,
    speechThreshold: threshold ?? base.speechThreshold,
    leadInMs: leadIn ?? base.leadInMs,
    // A client that names the silence gets exactly that. Otherwise the end-of-turn model decides.
    ...(typeof silence === "number" ? { ...SILENCE_ALONE, silenceThresholdMs: silence } : {}),
    idleMs: idle ?? 0,
  };
}

const SILENCE_ALONE = { naturalPauses: false, speakingRateAdaptation: false, mode: "standard" } as const;

/** The whole session, as clients read it. */
export function encodeSession(
  config: SessionConfig,
  settings: SessionSettings,
  { id, model }: { readonly id: string; readonly model: string },
) {
  const { input, output } = config.audio;
  const turn_detection = encodeTurnDetection(input.turn_detection, settings);
  return {
    type: "realtime" as const,
    object: "realtime.session",
    id,
    model,
    ...config,
    audio: { input: { ...input, noise_reduction: input.noise_reduction ?? null, turn_detection }, output },
  };
}

/** `turn_detection` as it is in force. */
export function encodeTurnDetection(detection: TurnDetection, { turnDetection }: SessionSettings): TurnDetection {
  if (detection === null) return null;
  const common = {
    create_response: detection.create_response ?? true,
    interrupt_response: detection.interrupt_response ?? true,
  };
  if (detection.type === "semantic_vad")
    return { type: "semantic_vad", eagerness: detection.eagerness ?? "auto", ...common };
  return {
    type: "server_vad",
    threshold: turnDetection.speechThreshold,
    prefix_padding_ms: Math.round(turnDetection.leadInMs),
    silence_duration_ms: Math.round(turnDetection.silenceThresholdMs),
    idle_timeout_ms: detection.idle_timeout_ms ?? null,
    ...common,
  };
}
