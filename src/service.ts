import { createAuthenticator } from "./auth/authenticate.ts";
import { openApiKeys } from "./auth/api-keys.ts";
import { ClientSecrets } from "./auth/client-secrets.ts";
import { createTokenVerifier } from "./auth/jwt.ts";
import { keyFilePath } from "./auth/key-file.ts";
import type { ServerConfig } from "./config/server-config.ts";
import { openVoiceStore } from "./config/voice-store.ts";
import { Session } from "./conversation/session.ts";
import { SpeculationCounts } from "./conversation/reply/speculation-counts.ts";
import { SpeechPace } from "./conversation/reply/speech-pace.ts";
import { TraceFile } from "./conversation/turn/trace-file.ts";
import { startEngines, type EngineRegistry } from "./engines/registry.ts";
import { asteriskDoor } from "./doors/asterisk/asterisk-door.ts";
import { mediaStreamDoor } from "./doors/media-stream/media-stream-door.ts";
import { clientSecretsEndpoint, isClientSecretsRequest } from "./doors/realtime/client-secrets-endpoint.ts";
import { realtimeDoor } from "./doors/realtime/realtime-door.ts";
import { voiceDoor } from "./doors/voice/voice-door.ts";
import { Metrics } from "./metrics/metrics.ts";
import { timedEngines } from "./metrics/timed-engines.ts";
import { watchSession } from "./metrics/watch-session.ts";
import type { ServerStats } from "./server/admission.ts";
import { httpEndpoints } from "./server/http-endpoints.ts";
import { loadPage } from "./server/page-files.ts";
import { isRehearsal } from "./rehearsal/mark.ts";
import { rehearseServer, startServer, type ServerOptions, type VoiceServer } from "./server/voice-server.ts";
import { systemClock } from "./shared/clock.ts";
import { errorCode, errorMessage, OakError } from "./shared/errors.ts";
import { fileErrorReason } from "./shared/file-error.ts";
import { makeFolder } from "./shared/make-folder.ts";
import type { Log } from "./shared/log.ts";
import type { TextToSpeech } from "./engines/tts/text-to-speech.ts";

export interface Service {
  readonly port: number;
  /** Reads voice configurations and TLS files again. Current calls keep theirs. Logs one line with the result. */
  reload(): Promise<void>;
  /** Refuses new calls, closes current ones, then the engines. */
  close(): Promise<void>;
}

/** Wires the parts. The server listens only after every model is loaded and warm. */
export async function startService(config: ServerConfig, log: Log): Promise<Service> {
  const voices = await openVoiceStore(config.voicesDir, log);
  const { jwt } = config.auth;
  const keys = openApiKeys(keyFilePath(config.dataDir), log);
  const secrets = new ClientSecrets();
  const auth = createAuthenticator({
    keys,
    secrets,
    verifyToken: jwt === undefined ? undefined : await createTokenVerifier(jwt),
  });
  if (config.traceDir !== undefined) makeTraceFolder(config.traceDir);
  const speculation = config.speculation ? new SpeculationCounts() : undefined;
  /** Measured pace per voice model. Most calls share one language model. */
  const paces = new WeakMap<TextToSpeech, SpeechPace>();
  await rehearseServer(config);
  const rehearsal = isRehearsal(config.dataDir);
  if (rehearsal) log.warn("rehearsal: the models of this data directory recognise nothing and always say one sentence");
  const engines = await startEngines(config, voices.list(), log);
  const metrics = new Metrics();
  try {
    const server: VoiceServer = await startServer({
      config,
      auth,
      voices,
      doors: [voiceDoor({ isRehearsal: rehearsal }), realtimeDoor(), asteriskDoor(), mediaStreamDoor()],
      openSession: (request) => {
        const emit = watchSession(request.emit, request.connectionId, metrics, log);
        const own = engines.for(request.voice);
        const timed = timedEngines(own, metrics);
        const pace = paces.get(own.tts) ?? new SpeechPace();
        paces.set(own.tts, pace);
        return new Session({ ...request, emit }, timed, systemClock, log, {
          speculation,
          pace,
          trace: config.traceDir === undefined ? undefined : new TraceFile(config.traceDir, request.connectionId, log),
        });
      },
      log,
      mayHaveBody: isClientSecretsRequest,
      handleHttp: firstOf(
        clientSecretsEndpoint({ auth, secrets, voices }),
        httpEndpoints({
          notReady: () => notReady(engines, server.stats(), config.limits.max_connections),
          metrics: metrics.registry,
          metricsPublic: config.metricsPublic,
          page: config.playground ? pageOrNone(log) : undefined,
        }),
      ),
    });
    watchBox(metrics, engines, () => server.stats(), speculation);
    const certificateEnd = () => (server.certificateEndMs() ?? NaN) / 1000;
    if (config.tls !== undefined)
      metrics.gauge("oakvoice_certificate_end_timestamp_seconds", "When the TLS certificate ends", certificateEnd);
    return {
      port: server.port,
      async reload() {
        await voices.reload();
        try {
          server.reloadTls();
        } catch (error) {
          log.error({ code: errorCode(error) }, errorMessage(error));
          return;
        }
        const endMs = server.certificateEndMs();
        const certificate = endMs === undefined ? undefined : `until ${new Date(endMs).toISOString()}`;
        log.info({ voices: voices.list().length, keys: keys.count(), certificate }, "reloaded");
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

type HandleHttp = NonNullable<ServerOptions["handleHttp"]>;
const firstOf =
  (...handlers: readonly HandleHttp[]): HandleHttp =>
  (request, response) =>
    handlers.some((handle) => handle(request, response));

/** @throws OakError `TRACE_DIR_UNWRITABLE`. */
function makeTraceFolder(folder: string): void {
  try {
    makeFolder(folder, 0o700);
  } catch (cause) {
    const message = `trace_dir: ${folder} cannot be created: ${fileErrorReason(cause)}.`;
    throw new OakError(message, { code: "TRACE_DIR_UNWRITABLE", cause });
  }
}

/** Gauges and counters that are read on each request for /metrics. */
function watchBox(
  metrics: Metrics,
  engines: EngineRegistry,
  stats: VoiceServer["stats"],
  speculation: SpeculationCounts | undefined,
): void {
  const isUp = () => engines.each(({ state }) => (state === "ready" ? 1 : 0));
  metrics.gauge("oakvoice_engine_up", "1 while the engine's process is ready", isUp);
  const restarts = () => engines.each((process) => process.restarts);
  metrics.counter("oakvoice_engine_restarts_total", "Restarts of the engine's process", restarts);
  metrics.gauge("oakvoice_sessions", "Calls open now", () => stats().connections);
  metrics.counter("oakvoice_connections_accepted_total", "Calls accepted", () => stats().accepted);
  const rejected = () => stats().rejected;
  metrics.counter("oakvoice_connections_rejected_total", "Calls refused", rejected, "code");
  const ended = () => stats().ended;
  metrics.counter("oakvoice_sockets_ended_total", "Sockets that were not calls and were ended", ended, "reason");
  if (speculation === undefined) return;
  const outcomes = () => ({ started: speculation.started, kept: speculation.kept, dropped: speculation.dropped });
  metrics.counter("oakvoice_speculation_total", "Replies prepared before the turn was over", outcomes, "outcome");
  const wasted = () => speculation.wastedMs / 1000;
  metrics.counter("oakvoice_speculation_wasted_seconds_total", "Work on prepared replies that were dropped", wasted);
}

function notReady(engines: EngineRegistry, { connections }: ServerStats, most: number): string | undefined {
  const down = Object.entries(engines.each(({ state }) => (state === "ready" ? 1 : 0))).filter(([, up]) => up === 0);
  if (down.length > 0) return `not running: ${down.map(([name]) => name).join(", ")}`;
  return connections >= most ? `all ${String(most)} calls are taken` : undefined;
}

/** A missing page does not stop the server. */
function pageOrNone(log: Log): ReturnType<typeof loadPage> | undefined {
  try {
    return loadPage();
  } catch (error) {
    log.warn({ code: errorCode(error) }, errorMessage(error));
    return undefined;
  }
}
