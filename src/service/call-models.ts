import { redactedModel } from "../call-record/redacted-prompts/redacted-model.ts";
import type { ServerConfig } from "../config/server-config.ts";
import type { VoiceConfiguration } from "../config/voice-configuration.ts";
import type { AssistantParts } from "../doors/door.ts";
import type { Engines } from "../engines/engines.ts";
import type { LanguageModel } from "../engines/llm/language-model.ts";
import { DEFAULT_LANGUAGE, tagsOf } from "../language/language-setting.ts";
import type { TracedCall } from "../tracing/tracing.ts";
import { modelNames } from "./model-names.ts";

/** Primary tag of the language that a call begins with. */
export const firstLanguage = ({ language }: VoiceConfiguration): string => tagsOf(language)[0] ?? DEFAULT_LANGUAGE;

/** The models that calls use, as calls see them. */
export class CallModels {
  readonly #config: Pick<ServerConfig, "models">;
  readonly #engines: { for(voice: VoiceConfiguration): Engines };
  readonly #named: ReturnType<typeof modelNames>;

  constructor(config: Pick<ServerConfig, "models">, engines: { for(voice: VoiceConfiguration): Engines }) {
    this.#config = config;
    this.#engines = engines;
    this.#named = modelNames(config);
  }

  /** A remote one gets no words that `models.llm.redact` names. @param language Primary tag of the language that is spoken now. */
  language(voice: VoiceConfiguration, language = () => firstLanguage(voice)): LanguageModel {
    const { redact } = this.#config.models.llm;
    const { llm } = this.#engines.for(voice);
    return redact.length > 0 && this.#isRemote(voice) ? redactedModel(llm, redact, language) : llm;
  }

  /** Models that a voice configuration names are on this machine. */
  #isRemote({ models }: VoiceConfiguration): boolean {
    return this.#config.models.llm.remote !== undefined && models.llm === undefined;
  }

  names(voice: VoiceConfiguration): AssistantParts {
    return this.#named(voice, this.#engines.for(voice));
  }

  /** The names of the models in the spans of their work. */
  stages(voice: VoiceConfiguration): NonNullable<TracedCall["stages"]> {
    const { llm, tts } = this.names(voice);
    const provider = this.#isRemote(voice) ? "openai-compatible" : "llama.cpp";
    return {
      llm_reply: { "gen_ai.request.model": llm, "gen_ai.provider.name": provider },
      tts_clause: { "gen_ai.request.model": tts },
    };
  }
}
