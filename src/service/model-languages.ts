import { loadModelCatalog, modelAt, modelPath, namedModel } from "../config/model-catalog.ts";
import type { ServerConfig } from "../config/server-config.ts";
import type { VoiceConfiguration } from "../config/voice-configuration.ts";
import { OakError } from "../shared/errors.ts";
import { isByEar, tagsOf } from "../language/language-setting.ts";
import { whisperLanguages } from "../engines/stt/whisper/whisper-cpp.ts";

type SpeechRole = "stt" | "tts";

/**
 * The languages of a server's models. Each model's file is read once: a server keeps the models that it loaded, and a call
 * that opens must not wait for a disk.
 */
export class ModelLanguages {
  readonly #config: Pick<ServerConfig, "models" | "dataDir">;
  readonly #catalog = loadModelCatalog();
  readonly #ofWhisper = new Map<string, readonly string[] | undefined>();

  constructor(config: Pick<ServerConfig, "models" | "dataDir">) {
    this.#config = config;
  }

  /** Languages that a caller of this voice may speak. Undefined when neither the catalogue nor the file says them. */
  recogniser(voice: VoiceConfiguration): readonly string[] | undefined {
    return this.#of("stt", this.#pathOf("stt", voice));
  }

  /** Languages of a speech model by its path. Undefined when the catalogue does not list them. */
  speech(path: string): readonly string[] | undefined {
    return this.#of("tts", path);
  }

  /**
   * Refuses a voice whose recogniser or speech model does not list its language, or whose recogniser cannot choose one of several.
   * @throws OakError `CONFIG_INVALID`.
   */
  require(voice: VoiceConfiguration): void {
    const path = this.#pathOf("stt", voice);
    const chosenByEar = isByEar(voice.language);
    if (chosenByEar && (this.#whisper(path)?.length ?? 0) <= 1) {
      const message =
        `Voice configuration ${voice.config_id}: language: the recogniser ${path} cannot identify languages. ` +
        "Name one language, or a multilingual Whisper model in models.stt.";
      throw new OakError(message, { code: "CONFIG_INVALID" });
    }
    const used = [
      ["stt", "recogniser", path],
      // The configured voice speaks a language without a voice of its own.
      ...(chosenByEar ? [] : ([["tts", "speech model", this.#pathOf("tts", voice)]] as const)),
    ] as const;
    for (const [role, name, model] of used) {
      const languages = this.#of(role, model);
      const unknown = tagsOf(voice.language).find((tag) => languages?.includes(tag) === false);
      if (languages === undefined || unknown === undefined) continue;
      const message =
        `Voice configuration ${voice.config_id}: language: the ${name} ${model} knows ${languages.join(", ")}, not ` +
        `${unknown}. Change language, or name another model in models.${role}.`;
      throw new OakError(message, { code: "CONFIG_INVALID" });
    }
  }

  #pathOf(role: SpeechRole, voice: VoiceConfiguration): string {
    const { models, dataDir } = this.#config;
    const name = voice.models[role];
    if (name !== undefined) return modelPath(namedModel(this.#catalog, role, name), dataDir);
    return role === "stt" ? models.stt.path : models.tts.dir;
  }

  /** A Whisper file's vocabulary decides. The catalogue decides for other files. */
  #of(role: SpeechRole, path: string): readonly string[] | undefined {
    const known = role === "stt" ? this.#whisper(path) : undefined;
    if (known !== undefined) return known;
    const listed = modelAt(this.#catalog, role, path)?.languages ?? [];
    return listed.length > 0 ? listed : undefined;
  }

  #whisper(path: string): readonly string[] | undefined {
    if (!this.#ofWhisper.has(path)) this.#ofWhisper.set(path, whisperLanguages(path));
    return this.#ofWhisper.get(path);
  }
}
