import type { VoiceSession } from "../conversation/session/session-interface.ts";
import { isByEar, tagsOf, type LanguageSetting } from "../language/language-setting.ts";

/** Why the recogniser cannot serve a language setting, or undefined. It may know any language when it lists none. */
export function languageFault(
  setting: LanguageSetting,
  { languages, identifiesLanguage = false }: Pick<VoiceSession, "languages" | "identifiesLanguage">,
): string | undefined {
  if (languages !== undefined && tagsOf(setting).some((tag) => !languages.includes(tag)))
    return `the recogniser knows only ${languages.join(", ")}`;
  if (isByEar(setting) && !identifiesLanguage) return "the recogniser cannot identify languages: name one language";
  return undefined;
}
