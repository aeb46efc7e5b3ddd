import { loadModelCatalog, modelAt, modelPath, namedModel } from "../config/model-catalog.ts";
import type { ServerConfig } from "../config/server-config.ts";
import type { VoiceConfiguration } from "../config/voice-configuration.ts";
import { OakError } from "../shared/errors.ts";
import { isByEar, tagsOf } from "../language/language-setting.ts";
import { identifiesLanguage, whisperLanguages } from "../engines/stt/whisper/whisper-cpp.ts";

type Models = Pick<ServerConfig, "models" | "dataDir">;

/** Languages that a caller of this voice may speak. Undefined when neither the catalogue nor the file says them. */
export const recogniserLanguages = (config: Models, voice: VoiceConfiguration): readonly string[] | undefined =>
  languagesOf("stt", pathOf("stt", config.models.stt.path, config, voice));

/**
 * Refuses a voice whose recogniser or speech model does not list its language, or whose recogniser cannot choose one of several.
 * @throws OakError `CONFIG_INVALID`.
 */
export function requireLanguage(config: Models, voice: VoiceConfiguration): void {
  const { models } = config;
  const path = pathOf("stt", models.stt.path, config, voice);
  const chosenByEar = isByEar(voice.language);
  if (chosenByEar && !identifiesLanguage(path)) {
    const message =
      `Voice configuration ${voice.config_id}: language: the recogniser ${path} cannot identify languages. ` +
      "Name one language, or a multilingual Whisper model in models.stt.";
    throw new OakError(message, { code: "CONFIG_INVALID" });
  }
  const used = [
    ["stt", "recogniser", path],
    // The configured voice speaks a language without a voice of its own.
    ...(chosenByEar ? [] : ([["tts", "speech model", pathOf("tts", models.tts.dir, config, voice)]] as const)),
  ] as const;
  for (const [role, name, model] of used) {
    const languages = languagesOf(role, model);
    const unknown = tagsOf(voice.language).find((tag) => languages?.includes(tag) === false);
    if (languages === undefined || unknown === undefined) continue;
    const message =
      `Voice configuration ${voice.config_id}: language: the ${name} ${model} knows ${languages.join(", ")}, not ` +
      `${unknown}. Change language, or name another model in models.${role}.`;
    throw new OakError(message, { code: "CONFIG_INVALID" });
  }
}

/** Languages of a speech model by its path. Undefined when the catalogue does not list them. */
export const speechLanguages = (path: string): readonly string[] | undefined => languagesOf("tts", path);

function pathOf(role: "stt" | "tts", own: string, { dataDir }: Models, voice: VoiceConfiguration): string {
  const name = voice.models[role];
  return name === undefined ? own : modelPath(namedModel(loadModelCatalog(), role, name), dataDir);
}

/** A Whisper file's vocabulary decides. The catalogue decides for other files. */
function languagesOf(role: "stt" | "tts", path: string): readonly string[] | undefined {
  const known = role === "stt" ? whisperLanguages(path) : undefined;
  if (known !== undefined) return known;
  const listed = modelAt(loadModelCatalog(), role, path)?.languages ?? [];
  return listed.length > 0 ? listed : undefined;
}
