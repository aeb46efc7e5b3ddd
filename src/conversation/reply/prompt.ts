import type { VoiceConfiguration } from "../../config/voice-configuration.ts";
import type { SessionSettings } from "../settings.ts";
import { toolPrompt } from "./tool-calls.ts";

/**
 * The system message. It stays the same for the whole call unless the caller's settings change, so that its evaluation is
 * kept. The caller's own lines come last: all callers of a voice configuration share what stands before them.
 */
export function systemPrompt(voice: VoiceConfiguration, settings: SessionSettings): string {
  const { responseStyle: style, turnDetection, callFacts, reply } = settings;
  const context = turnDetection.contextAwareness;
  const lines = [
    sharedPrompt(reply.instructions === null ? voice : { ...voice, system_prompt: reply.instructions }),
    ...callFacts,
    style.tone && `Tone: ${style.tone}.`,
    style.empathyLevel && `Empathy: ${style.empathyLevel}.`,
    style.explanationDetail && `Level of detail: ${style.explanationDetail}.`,
    context.enabled && context.conversationStyle && `Conversation style: ${context.conversationStyle}.`,
    toolPrompt(reply.tools, reply.toolChoice),
    context.enabled && context.userPreferences && `The user prefers: ${context.userPreferences}.`,
  ];
  return lines.filter(Boolean).join("\n");
}

/** The beginning that the system messages of all callers of a voice configuration share. */
export const sharedPrompt = ({
  system_prompt: prompt,
  facts,
}: Pick<VoiceConfiguration, "system_prompt" | "facts">): string => [prompt, ...facts].filter(Boolean).join("\n");
