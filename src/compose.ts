import { mkdirSync } from "node:fs";
import { createAuthenticator } from "./auth/authenticate.ts";
import { openApiKeys } from "./auth/api-keys.ts";
import { createTokenVerifier } from "./auth/jwt.ts";
import { keyFilePath } from "./auth/key-file.ts";
import {
  loadModelCatalog,
  MODEL_ROLES,
  modelFor,
  modelPath,
  type CatalogModel,
  type ModelCatalog,
  type ModelRole,
} from "./config/model-catalog.ts";
import type { ServerConfig } from "./config/server-config.ts";
import type { VoiceConfiguration } from "./config/voice-configuration.ts";
import { openVoiceStore } from "./config/voice-store.ts";
import type { Engines } from "./conversation/contract.ts";
import { Session } from "./conversation/session.ts";
import { SpeculationCounts } from "./conversation/speculation-counts.ts";
import type { EndOfTurnModel } from "./endpoint/contract.ts";
import { loadEndOfTurn } from "./endpoint/onnx-end-of-turn.ts";
import { TraceFile } from "./conversation/trace-file.ts";
import { startEmotion } from "./emotion/emotion-engine.ts";
import type { ModelProcess } from "./engine/contract.ts";
import { startLlama } from "./llm/llama-engine.ts";
import { Metrics } from "./metrics/metrics.ts";
import { timedEngines } from "./metrics/timed-engines.ts";
import { watchedClient } from "./metrics/watched-client.ts";
import { requireInstalled } from "./models/installed.ts";
import type { ServerStats } from "./server/admission.ts";
import { httpEndpoints } from "./server/http-endpoints.ts";
import { loadPage } from "./server/page-files.ts";
import { rehearseServer, startServer, type VoiceServer } from "./server/voice-server.ts";
import { systemClock } from "./shared/clock.ts";
import { errorCode, errorMessage, OakError } from "./shared/errors.ts";
import type { Log } from "./shared/log.ts";
import { startWhisperCpp } from "./stt/whisper-cpp.ts";
import { startWhisperNode } from "./stt/whisper-node.ts";
import { startSherpa } from "./tts/sherpa-engine.ts";
import { loadSilero } from "./vad/silero.ts";

export interface Box {
  readonly port: number;
  /** For the metrics; absent when the server does not speculate. */
  readonly speculation: SpeculationCounts | undefined;
  /** Reads voice configurations and TLS files again; calls under way keep theirs. */
  reload(): void;
  /** Stops taking calls, closes those under way, then the engines. */
  close(): Promise<void>;
}

interface Engine {
  /** Absent when the engine runs in this process. */
  readonly process?: ModelProcess;
  close(): Promise<void>;
}

/** Wires the parts. Nothing listens before every model is loaded and warm. */
export async function startBox(config: ServerConfig, log: Log): Promise<Box> {
  const voices = openVoiceStore(config.voicesDir, log);
  const { jwt } = config.auth;
  const auth = createAuthenticator({
    keys: openApiKeys(keyFilePath(config.dataDir), log),
    verifyToken: jwt === undefined ? undefined : createTokenVerifier(jwt),
  });
  if (config.traceDir !== undefined) mkdirSync(config.traceDir, { recursive: true, mode: 0o700 });
  const speculation = config.speculation ? new SpeculationCounts() : undefined;
  await rehearseServer(config);
  const engines = await startEngines(config, voices.list(), log);
  const metrics = new Metrics();
  try {
    const server: VoiceServer = await startServer({
      config,
      auth,
      voices,
      openSession: (request) => {
        const client = watchedClient(request.client, request.connectionId, metrics, log);
        const timed = timedEngines(engines.for(request.voice), metrics);
        return new Session({ ...request, client }, timed, systemClock, log, {
          speculation,
          trace: config.traceDir === undefined ? undefined : new TraceFile(config.traceDir, request.connectionId, log),
        });
      },
      log,
      handleHttp: httpEndpoints({
        notReady: () => notReady(engines, server.stats(), config.limits.max_connections),
        metrics: metrics.registry,
        metricsPublic: config.metricsPublic,
        page: config.playground ? pageOrNone(log) : undefined,
      }),
    });
    watchBox(metrics, engines, () => server.stats(), speculation);
    return {
      port: server.port,
      speculation,
      reload() {
        voices.reload();
        try {
          server.reloadTls();
        } catch (error) {
          log.error({ code: errorCode(error) }, errorMessage(error));
        }
      },
      async close() {
        await server.close();
        await engines.close();
      },
    };
  } catch (error) {
    await engines.close();
    throw error;
  }
}

interface EnginePark {
  close(): Promise<void>;
  /** One fact of each engine's process, by the engine's name. */
  each(read: (process: ModelProcess) => number): Readonly<Record<string, number>>;
  /** @throws OakError `MODEL_NOT_LOADED` when the configuration names a model that came up after the start. */
  for(voice: VoiceConfiguration): Engines;
}

/** The server's own models, and every other one that a voice configuration names. Concrete engines are named only here. */
async function startEngines(
  config: ServerConfig,
  voices: readonly VoiceConfiguration[],
  log: Log,
): Promise<EnginePark> {
  const { models, limits } = config;
  const catalog = loadModelCatalog();
  requireInstalled(defaultsOf(config, catalog), config.profile, config.dataDir);
  const running: Promise<Engine>[] = [];
  const processes = new Map<string, ModelProcess>();
  const keep = <Kind extends Engine>(starting: Promise<Kind>): Promise<Kind> => {
    running.push(starting);
    starting.then(
      ({ process }) => {
        if (process !== undefined) processes.set(uniqueName(process.name, processes), process);
      },
      () => undefined, // whoever waits for the engine says what is wrong
    );
    return starting;
  };
  const close = async () => {
    for (const result of await Promise.allSettled(running))
      if (result.status === "fulfilled") await result.value.close();
  };

  const start = {
    stt: (path: string) =>
      models.stt.engine === "whisper-node"
        ? startWhisperNode({ ...models.stt, path }, log)
        : startWhisperCpp({ ...models.stt, path }, log),
    llm: (path: string) => startLlama({ ...models.llm, modelPath: path, sequences: limits.max_connections }, log),
    tts: (path: string) => startSherpa({ modelDir: path, threads: Math.max(1, models.tts.threads) }, log),
  };
  /** One engine for the server's own model (under "") and for each one named. */
  const startAll = async <Kind extends Engine>(
    role: ModelRole & keyof typeof start,
    own: string,
    open: (path: string) => Promise<Kind>,
  ): Promise<ReadonlyMap<string, Kind>> => {
    const names = new Set(voices.map((voice) => voice.models[role]).filter((name) => name !== undefined));
    const paths = new Map([["", own]]);
    for (const name of names) {
      const model = catalog.models.find(({ id }) => id === name);
      if (model?.role !== role)
        throw new OakError(`No ${role} model of the catalogue is called "${name}".`, { code: "CONFIG_INVALID" });
      paths.set(name, modelPath(model, config.dataDir));
    }
    const engines = [...paths].map(async ([name, path]) => [name, await keep(open(path))] as const);
    return new Map(await Promise.all(engines));
  };

  try {
    const [vad, emotion, endOfTurn, stt, llm, tts] = await Promise.all([
      keep(loadSilero(models.vad.path)),
      keep(startEmotion({ modelPath: models.emotion.path }, log)),
      endOfTurnOrNone(keep(loadEndOfTurn(models.turn.path)), log),
      startAll("stt", models.stt.path, start.stt),
      startAll("llm", models.llm.path, start.llm),
      startAll("tts", models.tts.dir, start.tts),
    ]);
    return {
      for: ({ models: named }) => ({
        vad,
        emotion,
        endOfTurn,
        stt: pick(stt, named.stt),
        llm: pick(llm, named.llm),
        tts: pick(tts, named.tts),
      }),
      each: (read) => Object.fromEntries([...processes].map(([name, process]) => [name, read(process)])),
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

/** The models of the profile that no path of the configuration stands in for. */
function defaultsOf({ models, profile, dataDir }: ServerConfig, catalog: ModelCatalog): readonly CatalogModel[] {
  const used = [models.stt.path, models.llm.path, models.tts.dir, models.vad.path, models.emotion.path];
  return MODEL_ROLES.map((role) => modelFor(catalog, role, profile)).filter((model) =>
    used.includes(modelPath(model, dataDir)),
  );
}

/** Numbers that are read when somebody looks. */
function watchBox(
  metrics: Metrics,
  engines: EnginePark,
  stats: () => ServerStats,
  speculation: SpeculationCounts | undefined,
): void {
  const isUp = () => engines.each(({ state }) => (state === "ready" ? 1 : 0));
  metrics.gauge("oakvoice_engine_up", "1 while the engine's process is ready", isUp);
  const restarts = () => engines.each((process) => process.restarts);
  metrics.gauge("oakvoice_engine_restarts", "Restarts of the engine's process", restarts);
  metrics.gauge("oakvoice_sessions", "Calls open now", () => stats().connections);
  metrics.gauge("oakvoice_connections_accepted", "Calls since the start", () => stats().accepted);
  const rejected = () => stats().rejected;
  metrics.gauge("oakvoice_connections_rejected", "Calls turned away since the start", rejected, "code");
  if (speculation === undefined) return;
  const outcomes = () => ({ started: speculation.started, kept: speculation.kept, dropped: speculation.dropped });
  metrics.gauge(
    "oakvoice_speculation",
    "Replies prepared before the turn was over, since the start",
    outcomes,
    "outcome",
  );
  const wasted = () => speculation.wastedMs / 1000;
  metrics.gauge("oakvoice_speculation_wasted_seconds", "Work on prepared replies that were dropped", wasted);
}

function uniqueName(name: string, taken: ReadonlyMap<string, unknown>): string {
  let unique = name;
  for (let number = 2; taken.has(unique); number += 1) unique = `${name} ${String(number)}`;
  return unique;
}

function notReady(engines: EnginePark, { connections }: ServerStats, most: number): string | undefined {
  const down = Object.entries(engines.each(({ state }) => (state === "ready" ? 1 : 0))).filter(([, up]) => up === 0);
  if (down.length > 0) return `not running: ${down.map(([name]) => name).join(", ")}`;
  return connections >= most ? `all ${String(most)} calls are taken` : undefined;
}

/** Calls are what the box is for: it serves them without its page too. */
function pageOrNone(log: Log): ReturnType<typeof loadPage> | undefined {
  try {
    return loadPage();
  } catch (error) {
    log.warn({ code: errorCode(error) }, errorMessage(error));
    return undefined;
  }
}

/** Without the model a turn still ends, by silence alone: no reason not to take calls. */
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
    throw new OakError(`The model "${name}" is not loaded; it is loaded when the server starts again.`, {
      code: "MODEL_NOT_LOADED",
    });
  }
  return engine;
}
