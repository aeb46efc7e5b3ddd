import type { VoiceConfiguration } from "../../../config/voice-configuration.ts";
import type { ChatMessage } from "../../../engines/llm/language-model.ts";
import type { SessionSettings } from "../../../config/settings/session-settings.ts";

/** The operator's words, the same for all callers of a voice configuration unless the client replaces the instructions. */
export function systemPrompt(voice: VoiceConfiguration, { reply }: Pick<SessionSettings, "reply">): string {
  return sharedPrompt(reply.instructions === null ? voice : { ...voice, system_prompt: reply.instructions });
}

/** The beginning that the system messages of all callers of a voice configuration share. */
export const sharedPrompt = ({
  system_prompt: prompt,
  facts,
}: Pick<VoiceConfiguration, "system_prompt" | "facts">): string => [prompt, ...facts].filter(Boolean).join("\n");

const LANGUAGE_NAMES = new Intl.DisplayNames("en", { type: "language" });

/**
 * Texts of the client and of the telephone about the caller. They stand beside the caller's words, because they may hold anything:
 * only the operator writes the system message. Undefined when there is none. `heard`: the language that the recogniser heard.
 */
export function callerNote(settings: SessionSettings, heard?: string): ChatMessage | undefined {
  const { responseStyle: style, turnDetection, callFacts } = settings;
  const context = turnDetection.contextAwareness;
  const lines = [
    ...callFacts,
    style.tone && `Tone: ${style.tone}.`,
    style.empathyLevel && `Empathy: ${style.empathyLevel}.`,
    style.explanationDetail && `Level of detail: ${style.explanationDetail}.`,
    context.enabled && context.conversationStyle && `Conversation style: ${context.conversationStyle}.`,
    context.enabled && context.userPreferences && `The user prefers: ${context.userPreferences}.`,
    heard && `Answer in ${LANGUAGE_NAMES.of(heard) ?? heard}.`,
  ].filter(Boolean);
  return lines.length === 0 ? undefined : { role: "user", content: `(${lines.join(" ")})`, isPinned: true };
}
