import type { VoiceConfiguration } from "../../config/voice-configuration.ts";
import type { SpeechContext } from "../../engines/stt/speech-to-text.ts";
import { languageOf } from "../../language/packs/languages.ts";
import type { SessionSettings } from "../../config/settings/session-settings.ts";

/** The caller's language, the phrases of the operator and of the client, and what the service's last words ask for. */
export function speechContext(
  voice: Pick<VoiceConfiguration, "phrases">,
  { phrases }: Pick<SessionSettings, "phrases">,
  language: string,
  said: string,
): SpeechContext {
  return {
    language,
    phrases: [...new Set([...voice.phrases, ...phrases])],
    expects: languageOf(language).asksFor?.(said),
  };
}
