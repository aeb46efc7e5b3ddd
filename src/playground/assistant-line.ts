import type { ServerData } from "../doors/voice/server-messages.ts";
import type { Call } from "./call.ts";
import { byId } from "./dom.ts";

/** One line: the configuration, the models, the voice and the language of the call. A key without `inspect` gets no models. */
export class AssistantLine {
  readonly #line = byId("assistant");

  attach(call: Call): void {
    let metadata: ServerData["connection_metadata"] | undefined;
    let language = "";
    const show = () => {
      if (metadata === undefined) return;
      const { config_id, parts } = metadata;
      const named =
        parts === undefined ? [] : [`model ${parts.llm}`, `voice ${voiceOf(parts)}`, `recogniser ${parts.stt}`];
      this.#line.textContent = [`Configuration ${config_id}`, ...named, language && `language ${language}`]
        .filter(Boolean)
        .join(" · ");
    };
    this.#line.textContent = "";
    call.client.on("connection_metadata", (data) => {
      metadata = data;
      show();
    });
    call.client.on("status", ({ status, details }) => {
      if (status === "ready" && details.applied_settings !== undefined)
        language = [details.applied_settings.language].flat().join(", ");
      else if (status === "language") ({ language } = details);
      else return;
      show();
    });
  }
}

/** A voice model with one speaker has no name for it. */
const voiceOf = ({ tts, voice }: NonNullable<ServerData["connection_metadata"]["parts"]>): string =>
  voice === "default" ? tts : `${voice} of ${tts}`;
