import {
  contextRuleOf,
  secondOpinionRuleOf,
  loadModelCatalog,
  modelAt,
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
import { startEmotion } from "../engines/emotion/emotion-engine.ts";
import type { EndOfTurnModel } from "../engines/end-of-turn/end-of-turn-model.ts";
import { loadEndOfTurn } from "../engines/end-of-turn/onnx-end-of-turn.ts";
import { speechChoice } from "../engines/tts/speech-choice.ts";
import { recogniserLanguages, requireLanguage, speechLanguages } from "./model-languages.ts";
import { Egress } from "../egress/egress.ts";
import type { EngineHealth } from "../child-processes/engine-health.ts";
import { startRemoteLanguageModel, type RemoteLanguage } from "../engines/llm/remote/remote-language-model.ts";
import type { ModelProcess } from "../child-processes/model-process.ts";
import { describeThreads } from "../resources/thread-budget.ts";
import { startLlama } from "../engines/llm/llama/llama-engine.ts";
import type { GraphicsCard } from "../resources/graphics.ts";
import type { MemoryPlan } from "../resources/memory-plan.ts";
import { requireInstalled } from "../model-install/installed.ts";
import { graphicsCardFor, memoryFor, recognitionUsesCard, threadsFor } from "../resources/resources.ts";
import { errorMessage, errorCode, OakError } from "../shared/errors.ts";
import type { Log } from "../shared/log.ts";
import { machineLimits } from "../resources/machine-limits.ts";
import { twoEars } from "../engines/stt/ears/two-ears.ts";
import { isMoonshine, startMoonshine } from "../engines/stt/moonshine/moonshine.ts";
import { startWhisperCpp } from "../engines/stt/whisper/whisper-cpp.ts";
import type { SpeechToText } from "../engines/stt/speech-to-text.ts";
import { startRemoteRecognition } from "../engines/stt/remote/remote-recognizer.ts";
import { startRemoteSpeech } from "../engines/tts/remote/remote-voice.ts";
import { warnOfUnknownSpeaker } from "../engines/tts/speaker-choice.ts";
import { startSherpa } from "../engines/tts/sherpa/sherpa-engine.ts";
import { loadSilero } from "../engines/vad/silero.ts";

/** A remote recogniser's time limit when none is set. */
const REMOTE_STT_SECONDS = 30;

/**
 * Starts the engines of a configuration. Only this file names concrete engines. `callers`: how many contexts the language model
 * holds. A `path` replaces the configured model. `signal` cancels starts.
 */
export function engineStarters(
  { models, egress = { allowed_hosts: [] } }: Pick<ServerConfig, "models"> & Partial<Pick<ServerConfig, "egress">>,
  callers: number,
  log: Log,
  signal?: AbortSignal,
) {
  let card: Promise<GraphicsCard | undefined> | undefined;
  /** Probed once, on first use. */
  const graphics = () => (card ??= graphicsCardFor(models, signal));
  /** Threads when `own` replaces configured models. */
  const threads = async (own: Partial<Record<"stt" | "llm" | "tts", string>>) => {
    const stt = { ...models.stt, path: own.stt ?? models.stt.path };
    const llm = { ...models.llm, path: own.llm ?? models.llm.path };
    const tts = { ...models.tts, dir: own.tts ?? models.tts.dir };
    return threadsFor({ stt, llm, tts }, await graphics());
  };
  /** Each remote model has connections of its own. */
  const ways = () => new Egress(egress.allowed_hosts, { keepsConnections: true });
  return {
    graphics,
    vad: () => loadSilero(models.vad.path),
    emotion: () => startEmotion({ ...models.emotion, modelPath: models.emotion.path }, log, signal),
    endOfTurn: () => loadEndOfTurn(models.turn.path, modelAt(loadModelCatalog(), "turn", models.turn.path)?.languages),
    stt: async (path = models.stt.path): Promise<SpeechToText & Engine> => {
      const { remote, deadlineSeconds = REMOTE_STT_SECONDS } = models.stt;
      if (remote !== undefined && path === models.stt.path)
        return startRemoteRecognition({ remote, deadlineSeconds, egress: ways(), log, signal });
      if (isMoonshine(path)) return startMoonshine({ ...models.stt, folder: path }, log, signal);
      const catalog = loadModelCatalog();
      const rules = {
        contextRule: contextRuleOf(catalog, path),
        secondOpinionRule: secondOpinionRuleOf(catalog, path),
      };
      const usesCard = recognitionUsesCard({ ...models, stt: { ...models.stt, path } }, await graphics());
      // A named kind that has no card is an error of the engine's start.
      const gpu = models.stt.gpu === "auto" && !usesCard ? "off" : models.stt.gpu;
      const options = { ...models.stt, path, gpu, ...rules, ...(await threads({ stt: path })).stt };
      const { fastPath } = models.stt;
      if (fastPath === undefined || path !== models.stt.path) return startWhisperCpp(options, log, signal);
      const [sure, fast] = await allOrNone([
        startWhisperCpp(options, log, signal),
        startMoonshine({ ...models.stt, folder: fastPath }, log, signal),
      ]);
      return { ...twoEars(fast, sure), parts: [sure, fast] };
    },
    llm: async (path = models.llm.path) => {
      const { remote, contextTokens, deadlineSeconds } = models.llm;
      if (remote !== undefined && path === models.llm.path) {
        return startRemoteLanguageModel({ remote, contextTokens, deadlineSeconds, egress: ways(), log, signal });
      }
      const { prompt, reply } = (await threads({ llm: path })).llm;
      const { temperature, trained_tokens: trainedTokens } = modelAt(loadModelCatalog(), "llm", path) ?? {};
      const limits = { temperature, trainedTokens, sequences: callers, threads: prompt, replyThreads: reply };
      return startLlama({ ...models.llm, modelPath: path, ...limits }, log, signal);
    },
    tts: async (path = models.tts.dir) => {
      const { remote, deadlineSeconds } = models.tts;
      if (remote !== undefined && path === models.tts.dir)
        return startRemoteSpeech({ remote, deadlineSeconds, egress: ways(), log, signal });
      return startSherpa({ deadlineSeconds, modelDir: path, ...(await threads({ tts: path })).tts }, log, signal);
    },
  };
}

/** Waits for both, and closes the other one when one fails. */
async function allOrNone<One extends Engine, Other extends Engine>(
  starting: readonly [Promise<One>, Promise<Other>],
): Promise<readonly [One, Other]> {
  try {
    return await Promise.all(starting);
  } catch (error) {
    for (const result of await Promise.allSettled(starting))
      if (result.status === "fulfilled") await result.value.close();
    throw error;
  }
}

export interface Engine {
  /** Two engines that act as one. */
  readonly parts?: readonly Engine[];
  /** A child process or a remote model has one of them. */
  readonly process?: ModelProcess | undefined;
  readonly health?: EngineHealth;
  readonly tokens?: RemoteLanguage["tokens"];
  close(): Promise<void>;
}

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
  const start = engineStarters(config, limits.max_connections, log, failing.signal);
  const sttPaths = pathsOf("stt", models.stt.path);
  const llmPaths = pathsOf("llm", models.llm.path);
  const ttsPaths = pathsOf("tts", models.tts.dir);
  try {
    for (const voice of voices) requireLanguage(config, voice);
    const card = await start.graphics();
    const paths = { stt: files(sttPaths), llm: files(llmPaths), tts: files(ttsPaths) };
    for (const plan of memoryFor(models, limits.max_connections, card, paths)) requireMemory(plan, models, log);
    log.info(describeThreads(machineLimits().cores, threadsFor(models, card)));
    const recognisers = startAll(sttPaths, start.stt);
    // llama.cpp loads as many layers onto a card as fit beside the recognisers.
    const languageModels = async () => {
      if (card !== undefined) await recognisers;
      return startAll(llmPaths, start.llm);
    };
    const [vad, emotion, endOfTurn, stt, llm, tts] = await Promise.all([
      keep(start.vad()),
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
      languages: speechLanguages(path),
    }));
    const speechFor = speechChoice(voicesByPath, log);
    return {
      for: (voice) => {
        const { models: named } = voice;
        const own = { stt: pick(stt, named.stt), llm: pick(llm, named.llm), tts: pick(tts, named.tts) };
        // The file may have changed since the start.
        requireLanguage(config, voice);
        const speechIn = (language: string) => speechFor(language, own.tts);
        return { vad, emotion, endOfTurn, ...own, languages: recogniserLanguages(config, voice), speechIn };
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
