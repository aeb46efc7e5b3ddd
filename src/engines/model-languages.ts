import { loadModelCatalog, modelAt, modelPath, namedModel } from "../config/model-catalog.ts";
import type { ServerConfig } from "../config/server-config.ts";
import type { VoiceConfiguration } from "../config/voice-configuration.ts";
import { OakError } from "../shared/errors.ts";
import { whisperLanguages } from "./stt/whisper-cpp.ts";

type Models = Pick<ServerConfig, "models" | "dataDir">;

/** Languages that a caller of this voice may speak. Undefined when neither the catalogue nor the file says them. */
export const recogniserLanguages = (config: Models, voice: VoiceConfiguration): readonly string[] | undefined =>
  languagesOf("stt", pathOf("stt", config.models.stt.path, config, voice));

/** Refuses a voice whose recogniser or speech model does not list its language. @throws OakError `CONFIG_INVALID`. */
export function requireLanguage(config: Models, voice: VoiceConfiguration): void {
  const { models } = config;
  const used = [
    ["stt", "recogniser", pathOf("stt", models.stt.path, config, voice)],
    ["tts", "speech model", pathOf("tts", models.tts.dir, config, voice)],
  ] as const;
  for (const [role, name, path] of used) {
    const languages = languagesOf(role, path);
    if (languages?.includes(voice.language) !== false) continue;
    const message =
      `Voice configuration ${voice.config_id}: language: the ${name} ${path} knows ${languages.join(", ")}, not ` +
      `${voice.language}. Change language, or name another model in models.${role}.`;
    throw new OakError(message, { code: "CONFIG_INVALID" });
  }
}

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
