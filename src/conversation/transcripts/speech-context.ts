import type { VoiceConfiguration } from "../../config/voice-configuration.ts";
import type { SpeechContext } from "../../engines/stt/speech-to-text.ts";
import { languageOf } from "../../language/languages.ts";
import type { SessionSettings } from "../settings.ts";

/** The caller's language, and the phrases of the operator and of the client. */
export function speechContext(
  voice: Pick<VoiceConfiguration, "phrases">,
  { language, phrases }: Pick<SessionSettings, "language" | "phrases">,
): SpeechContext {
  return { language: languageOf(language).code, phrases: [...new Set([...voice.phrases, ...phrases])] };
}
