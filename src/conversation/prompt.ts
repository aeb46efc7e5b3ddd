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
  const { date, time } = formatsOf(timeZone);
  return `It is ${date.format(now)}, ${time.format(now).replace(/\s/g, " ")}.`;
}

interface Formats {
  readonly date: Intl.DateTimeFormat;
  readonly time: Intl.DateTimeFormat;
}

/** By time zone: making one costs more than all else of a prompt. There are as many as voice configurations name. */
const formats = new Map<string, Formats>();

function formatsOf(timeZone: string): Formats {
  const made = formats.get(timeZone) ?? {
    date: new Intl.DateTimeFormat("en-US", {
      timeZone,
      weekday: "long",
      year: "numeric",
      month: "long",
      day: "numeric",
    }),
    time: new Intl.DateTimeFormat("en-US", { timeZone, hour: "numeric", minute: "2-digit" }),
  };
  formats.set(timeZone, made);
  return made;
}
