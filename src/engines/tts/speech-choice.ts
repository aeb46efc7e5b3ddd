import type { Log } from "../../shared/log.ts";
import type { TextToSpeech } from "./text-to-speech.ts";

interface Installed {
  readonly speech: TextToSpeech;
  /** Undefined: not known. */
  readonly languages: readonly string[] | undefined;
}

/**
 * Chooses the speech model for a language: the configured one when it speaks it or may speak it, else another one that runs. The
 * operator gets one warning for each language that no model speaks. Callers hear the configured voice then.
 */
export function speechChoice(installed: readonly Installed[], log: Log) {
  const warned = new Set<string>();
  return (language: string, own: TextToSpeech): TextToSpeech => {
    const languages = installed.find(({ speech }) => speech === own)?.languages;
    if (languages?.includes(language) !== false) return own;
    const other = installed.find((model) => model.languages?.includes(language) === true);
    if (other === undefined && !warned.has(language)) {
      warned.add(language);
      log.warn({ language }, "A caller speaks a language without a voice: install one. The configured voice is heard.");
    }
    return other?.speech ?? own;
  };
}
