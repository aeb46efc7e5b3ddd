import type { VoiceConfiguration } from "../../config/voice-configuration.ts";
import type { SessionSettings } from "../settings.ts";

/**
 * The system message. It stays the same for the whole call unless the caller's settings change, so that its evaluation is
 * kept. The caller's own lines come last: all callers of a voice configuration share what stands before them.
 */
export function systemPrompt(voice: VoiceConfiguration, settings: SessionSettings): string {
  const { responseStyle: style, turnDetection } = settings;
  const context = turnDetection.contextAwareness;
  const lines = [
    sharedPrompt(voice),
    style.tone && `Tone: ${style.tone}.`,
    style.empathyLevel && `Empathy: ${style.empathyLevel}.`,
    style.explanationDetail && `Level of detail: ${style.explanationDetail}.`,
    context.enabled && context.conversationStyle && `Conversation style: ${context.conversationStyle}.`,
    context.enabled && context.userPreferences && `The user prefers: ${context.userPreferences}.`,
  ];
  return lines.filter(Boolean).join("\n");
}

/**
 * "(It is Friday, November 20, 2026, 7:41 PM.)": the line before the caller's words in a user message. The starter model was
 * trained on this form.
 */
export function timeNote(now: Date, timeZone: string): string {
  const { date, time } = formatsOf(timeZone);
  return `(It is ${date.format(now)}, ${time.format(now).replace(/\s/g, " ")}.)`;
}

interface Formats {
  readonly date: Intl.DateTimeFormat;
  readonly time: Intl.DateTimeFormat;
}

/** By time zone, because creating a format is slow. Only voice configurations name time zones, so the map stays small. */
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

/** The beginning that the system messages of all callers of a voice configuration share. */
export const sharedPrompt = ({ system_prompt: prompt, facts }: VoiceConfiguration): string =>
  [prompt, ...facts].filter(Boolean).join("\n");
