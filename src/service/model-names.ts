import { basename } from "node:path";
import { loadModelCatalog, modelAt } from "../config/model-catalog.ts";
import type { ServerConfig } from "../config/server-config.ts";
import type { VoiceConfiguration } from "../config/voice-configuration.ts";
import type { AssistantParts } from "../doors/door.ts";
import type { Engines } from "../engines/engines.ts";

/** Reads the catalogue once. The result names the parts that a call of a configuration uses. */
export function modelNames({ models }: Pick<ServerConfig, "models">) {
  const catalog = loadModelCatalog();
  const nameOf = (role: "stt" | "llm" | "tts", path: string, remote: string | undefined) =>
    remote ?? modelAt(catalog, role, path)?.id ?? basename(path);
  const own = {
    stt: nameOf("stt", models.stt.path, models.stt.remote?.model),
    llm: nameOf("llm", models.llm.path, models.llm.remote?.model),
    tts: nameOf("tts", models.tts.dir, models.tts.remote?.model),
  };
  return ({ models: named, voice }: VoiceConfiguration, { tts }: Pick<Engines, "tts">): AssistantParts => {
    const { names = [] } = tts.speakers ?? {};
    const speaker = names.includes(voice) ? voice : (names[Number(voice)] ?? names[0] ?? voice);
    return { stt: named.stt ?? own.stt, llm: named.llm ?? own.llm, tts: named.tts ?? own.tts, voice: speaker };
  };
}
