import type { VoiceConfiguration } from "../config/voice-configuration.ts";
import { DEFAULT_LANGUAGE, tagsOf } from "../language/language-setting.ts";
import { Redactor } from "./redaction/redactor.ts";

/**
 * The words of a call as a trace may have them: redacted, and, when the configuration keeps a record, only while the record is kept.
 * A caller who refuses the record refuses the trace of their words too.
 * @param isRecording Whether a record of the call is kept now.
 */
export function tracedWords(
  { language: setting, record }: VoiceConfiguration,
  isRecording: () => boolean,
): (text: string, speaker: "caller" | "assistant") => string | undefined {
  const redactor = new Redactor();
  const language = tagsOf(setting)[0] ?? DEFAULT_LANGUAGE;
  return (text, speaker) => {
    // Also what is not traced may say a name that is said again later.
    const redacted = redactor.redact(text, { speaker, language, isOpen: speaker === "caller", isDictation: true }).text;
    return record === undefined || isRecording() ? redacted : undefined;
  };
}
