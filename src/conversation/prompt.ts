import type { VoiceConfiguration } from "../config/voice-configuration.ts";
import type { SessionSettings } from "../protocol/session-settings.ts";

/** The system message: who the assistant is, what it may rely on, how to speak, and what time it is. */
export function systemPrompt(voice: VoiceConfiguration, settings: SessionSettings, now: Date): string {
  const { response_style: style, turn_detection: turns } = settings;
  const context = turns.context_awareness;
  const lines = [
    voice.system_prompt,
    ...voice.facts,
    style.tone && `Tone: ${style.tone}.`,
    style.empathy_level && `Empathy: ${style.empathy_level}.`,
    style.explanation_detail && `Level of detail: ${style.explanation_detail}.`,
    context.enabled && context.conversation_style && `Conversation style: ${context.conversation_style}.`,
    context.enabled && context.user_preferences && `The user prefers: ${context.user_preferences}.`,
    timeLine(now, voice.timezone),
  ];
  return lines.filter(Boolean).join("\n");
}

/** "It is Friday, November 20, 2026, 7:41 PM.": the form the starter model was trained to copy from. */
function timeLine(now: Date, timeZone: string): string {
  const date = now.toLocaleDateString("en-US", {
    timeZone,
    weekday: "long",
    year: "numeric",
    month: "long",
    day: "numeric",
  });
  const time = now.toLocaleTimeString("en-US", { timeZone, hour: "numeric", minute: "2-digit" }).replace(/\s/g, " ");
  return `It is ${date}, ${time}.`;
}
