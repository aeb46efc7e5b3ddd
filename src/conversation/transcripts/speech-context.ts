import type { VoiceConfiguration } from "../../config/voice-configuration.ts";
import type { SpeechContext } from "../../engines/stt/speech-to-text.ts";
import type { SessionSettings } from "../settings.ts";

/** The caller's language, and the phrases of the operator and of the client. */
export function speechContext(
  voice: Pick<VoiceConfiguration, "phrases">,
  { phrases }: Pick<SessionSettings, "phrases">,
  language: string,
): SpeechContext {
  return { language, phrases: [...new Set([...voice.phrases, ...phrases])] };
}
