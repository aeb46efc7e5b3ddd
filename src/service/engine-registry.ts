import {
  loadModelCatalog,
  MODEL_ROLES,
  modelFor,
  modelPath,
  namedModel,
  type CatalogModel,
  type ModelCatalog,
} from "../config/model-catalog.ts";
import type { ServerConfig } from "../config/server-config.ts";
import type { VoiceConfiguration } from "../config/voice-configuration.ts";
import type { Engines } from "../engines/engines.ts";
import type { EndOfTurnModel } from "../engines/end-of-turn/end-of-turn-model.ts";
import { speechChoice } from "../engines/tts/speech-choice.ts";
import { ModelLanguages } from "./model-languages.ts";
import type { EngineHealth } from "../child-processes/engine-health.ts";
import type { RemoteLanguage } from "../engines/llm/remote/remote-language-model.ts";
import { describeThreads } from "../resources/thread-budget.ts";
import type { MemoryPlan } from "../resources/memory-plan.ts";
import { requireInstalled } from "../model-install/installed.ts";
import { memoryFor, threadsFor } from "../resources/resources.ts";
import { errorMessage, errorCode, OakError } from "../shared/errors.ts";
import { systemClock } from "../shared/clock.ts";
import type { Log } from "../shared/log.ts";
import { machineLimits } from "../resources/machine-limits.ts";
import { SuppressionRoom } from "../engines/enhancement/suppression-room.ts";
import { warnOfUnknownSpeaker } from "../engines/tts/speaker-choice.ts";
import { engineStarters, speakerModels, type Engine } from "./engine-starters.ts";

export interface EngineRegistry {
  close(): Promise<void>;
  /** Reads one fact from each engine outside this process, by the engine's name. */
  each(read: (health: EngineHealth) => number): Readonly<Record<string, number>>;
  /** Tokens of remote language models so far, by kind. Undefined when there is none. */
  tokens(): RemoteLanguage["tokens"] | undefined;
  /** @throws OakError `MODEL_NOT_LOADED` when the voice configuration names a model that was not loaded at the start. */
  for(voice: VoiceConfiguration): Engines;
}

/** Starts the configured models and those that voice configurations name. */
export async function startEngines(
  config: ServerConfig,
  voices: readonly VoiceConfiguration[],
  log: Log,
): Promise<EngineRegistry> {
  const catalog = loadModelCatalog();
  requireInstalled(defaultsOf(config, catalog), config.profile, config.dataDir);
  const running: Promise<Engine | undefined>[] = [];
  const keep = <Kind extends Engine | undefined>(starting: Promise<Kind>): Promise<Kind> => {
    running.push(starting);
    return starting;
  };
  const close = async () => {
    for (const result of await Promise.allSettled(running))
      if (result.status === "fulfilled") await result.value?.close();
  };

  /** Model paths by the names in voice configurations. The configured model has the name "". */
  const pathsOf = (role: "stt" | "llm" | "tts", own: string): ReadonlyMap<string, string> => {
    const names = voices.map((voice) => voice.models[role]).filter((name) => name !== undefined);
    const named = names.map((name) => [name, modelPath(namedModel(catalog, role, name), config.dataDir)] as const);
    return new Map([["", own], ...named]);
  };
  /** Starts one engine per path. Several names may have the same path. */
  const startAll = async <Kind extends Engine>(
    paths: ReadonlyMap<string, string>,
    open: (path: string) => Promise<Kind>,
  ): Promise<ReadonlyMap<string, Kind>> => {
    const started = new Map([...new Set(paths.values())].map((path) => [path, keep(open(path))] as const));
    const engines = [...paths].map(async ([name, path]) => [name, await started.get(path)!] as const);
    return new Map(await Promise.all(engines));
  };

  const { models, limits } = config;
  const failing = new AbortController();
  const modelLanguages = new ModelLanguages(config);
  const start = engineStarters(config, limits.max_connections, log, failing.signal);
  const sttPaths = pathsOf("stt", models.stt.path);
  const llmPaths = pathsOf("llm", models.llm.path);
  const ttsPaths = pathsOf("tts", models.tts.dir);
  try {
    for (const voice of voices) modelLanguages.require(voice);
    const card = await start.graphics();
    const speakers = speakerModels(voices);
    const paths = { stt: files(sttPaths), llm: files(llmPaths), tts: files(ttsPaths), speaker: speakers };
    for (const plan of memoryFor(models, limits.max_connections, card, paths)) requireMemory(plan, models, log);
    log.info(describeThreads(machineLimits().cores, threadsFor(models, card)));
    const recognisers = startAll(sttPaths, start.stt);
    // llama.cpp loads as many layers onto a card as fit beside the recognisers.
    const languageModels = async () => {
      if (card !== undefined) await recognisers;
      return startAll(llmPaths, start.llm);
    };
    const [vad, noise, speaker, emotion, endOfTurn, stt, llm, tts] = await Promise.all([
      keep(start.vad()),
      start.noise().then((engine) => ({ ...engine, room: new SuppressionRoom(systemClock) })),
      speakers.length > 0 ? keep(start.speaker()) : undefined,
      keep(start.emotion()),
      keep(endOfTurnOrNone(start.endOfTurn(), log)),
      recognisers,
      languageModels(),
      startAll(ttsPaths, start.tts),
    ]);
    const started = await Promise.all(running);
    for (const { config_id, voice, models: named } of voices)
      warnOfUnknownSpeaker(`Voice configuration ${config_id}`, voice, pick(tts, named.tts).speakers, log);
    const outside = namedEngines(started);
    const voicesByPath = [...ttsPaths].map(([name, path]) => ({
      speech: pick(tts, name),
      languages: modelLanguages.speech(path),
    }));
    const speechFor = speechChoice(voicesByPath, log);
    return {
      for: (voice) => {
        const { models: named } = voice;
        const own = { stt: pick(stt, named.stt), llm: pick(llm, named.llm), tts: pick(tts, named.tts) };
        // The voice configuration may have changed since the start.
        modelLanguages.require(voice);
        if (voice.only_my_caller && speaker === undefined)
          log.warn(`Voice configuration ${voice.config_id}: only_my_caller needs a restart. All voices are heard.`);
        const speechIn = (language: string) => speechFor(language, own.tts);
        const languages = modelLanguages.recogniser(voice);
        return { vad, noise, speaker, emotion, endOfTurn, ...own, languages, speechIn };
      },
      each: (read) => Object.fromEntries([...outside].map(([name, health]) => [name, read(health)])),
      tokens: () => started.find((engine) => engine?.tokens !== undefined)?.tokens,
      close,
    };
  } catch (error) {
    // Do not wait for the slowest model, which may take minutes.
    failing.abort();
    await close();
    throw error;
  }
}

/** A remote model has none. */
const files = (paths: ReadonlyMap<string, string>): readonly string[] =>
  [...new Set(paths.values())].filter((path) => path !== "");

/** With "auto" a small card is only a warning: llama.cpp leaves the remaining layers to the processor. */
function requireMemory({ verdict, place, text }: MemoryPlan, { llm, stt }: ServerConfig["models"], log: Log): void {
  if (verdict === "fits") return log.info(text);
  const isOptional = place === "GPU memory" && [llm.gpu, stt.gpu].every((gpu) => gpu === "auto" || gpu === "off");
  if (verdict === "too much" && !isOptional) throw new OakError(`Not enough ${text}.`, { code: "MEMORY_SHORT" });
  log.warn(text);
}

/** Names follow the order of the requests, not the order in which the engines became ready. */
function namedEngines(engines: readonly (Engine | undefined)[]): ReadonlyMap<string, EngineHealth> {
  const named = new Map<string, EngineHealth>();
  for (const engine of engines.flatMap((each): readonly (Engine | undefined)[] => each?.parts ?? [each])) {
    const health = engine?.health ?? engine?.process;
    if (health !== undefined) named.set(uniqueName(health.name, named), health);
  }
  return named;
}

/** Models of the profile that the configuration does not replace by a path. */
function defaultsOf({ models, profile, dataDir }: ServerConfig, catalog: ModelCatalog): readonly CatalogModel[] {
  const used = [models.stt.path, models.llm.path, models.tts.dir, models.vad.path, models.emotion.path];
  return MODEL_ROLES.map((role) => modelFor(catalog, role, profile)).filter((model) =>
    used.includes(modelPath(model, dataDir)),
  );
}

function uniqueName(name: string, taken: ReadonlyMap<string, unknown>): string {
  let unique = name;
  for (let number = 2; taken.has(unique); number += 1) unique = `${name} ${String(number)}`;
  return unique;
}

/** The server runs without this model. Turns then end by silence alone. */
async function endOfTurnOrNone(loading: Promise<EndOfTurnModel>, log: Log): Promise<EndOfTurnModel | undefined> {
  try {
    return await loading;
  } catch (error) {
    log.warn({ code: errorCode(error) }, `${errorMessage(error)} Until then turns end by silence alone.`);
    return undefined;
  }
}

function pick<Kind>(engines: ReadonlyMap<string, Kind>, name = ""): Kind {
  const engine = engines.get(name);
  if (engine === undefined) {
    throw new OakError(`The model "${name}" is not loaded: restart the server to load it.`, {
      code: "MODEL_NOT_LOADED",
    });
  }
  return engine;
}
