import { createAuthenticator } from "../auth/authenticate.ts";
import { openApiKeys } from "../auth/api-keys.ts";
import { ClientSecrets } from "../auth/client-secrets.ts";
import { createTokenVerifier } from "../auth/jwt.ts";
import { keyFilePath } from "../config/data-folder.ts";
import type { ServerConfig } from "../config/server-config.ts";
import type { Cluster } from "../cluster/cluster.ts";
import { FleetPlaces } from "../cluster/fleet-places.ts";
import { openCluster } from "../cluster/valkey.ts";
import { CallRecords } from "../call-record/call-records.ts";
import { openVoiceStore, type VoiceStore, type VoiceUser } from "../config/voice-store.ts";
import { SpeculationCounts } from "../conversation/reply/speculation-counts.ts";
import { startEngines, type EngineRegistry } from "./engine-registry.ts";
import { sessionOpener } from "./open-session.ts";
import { WarmPrompts } from "./warm-prompts.ts";
import { addGauges } from "./gauges.ts";
import { CallModels } from "./call-models.ts";
import { asteriskDoor } from "../doors/asterisk/asterisk-door.ts";
import { mediaStreamDoor } from "../doors/media-stream/media-stream-door.ts";
import { clientSecretsEndpoint, isClientSecretsRequest } from "../doors/realtime/connect/client-secrets-endpoint.ts";
import { realtimeDoor } from "../doors/realtime/realtime-door.ts";
import { voiceDoor } from "../doors/voice/voice-door.ts";
import { Metrics } from "../metrics/metrics.ts";
import { startAgentCheck } from "../server/http/agent-check.ts";
import { CallEndings } from "../server/calls/call-endings.ts";
import { callsEndpoint, isSayRequest } from "../server/http/calls-endpoint.ts";
import { recordsEndpoint } from "../server/http/records-endpoint.ts";
import { httpEndpoints } from "../server/http/http-endpoints.ts";
import { agentAnswer, readinessOf, type Readiness } from "../server/readiness.ts";
import { loadPage, loadRecordsPage, loadSchemas, type PageFile } from "../server/http/page-files.ts";
import { rehearseServer, startServer, type ServerOptions, type VoiceServer } from "../server/voice-server.ts";
import { systemClock } from "../shared/clock.ts";
import { errorCode, errorMessage, OakError } from "../shared/errors.ts";
import { fileErrorReason } from "../shared/files/file-error.ts";
import { makeFolder } from "../shared/files/make-folder.ts";
import type { Log } from "../shared/log.ts";
import { TimerBook } from "../tools/builtin/timer-book.ts";
import { toolDefinitions } from "../tools/open-tools.ts";
import { Toolbox } from "../tools/toolbox.ts";
import type { MetricsExport } from "../tracing/metrics-export.ts";
import type { Tracing } from "../tracing/tracing.ts";

export interface Service {
  readonly port: number;
  /** Reads voice configurations and TLS files again. Current calls keep theirs. Logs one line with the result. */
  reload(): Promise<void>;
  /** Stops listening and lets calls go on. Resolves after the last call, or after `handover_timeout_seconds`. */
  drain(): Promise<void>;
  /** Refuses new calls, closes current ones, then the engines. */
  close(): Promise<void>;
  /** Makes `close` wait no longer for turns or calls. False when no call is open, or when it was called before. */
  hurry(): boolean;
}

/**
 * Wires the parts. The server listens only after every model is loaded and warm.
 * @param passedSocket Descriptor of a listening socket to use.
 */
export async function startService(config: ServerConfig, log: Log, passedSocket?: number): Promise<Service> {
  const cluster = config.cluster === undefined ? undefined : await openCluster(config.cluster, log);
  const toolbox = new Toolbox(config.egress.allowed_hosts, log);
  let records: CallRecords | undefined;
  let tracing: Tracing | undefined;
  const prompts = new WarmPrompts((voice) => toolDefinitions(voice, toolbox), log);
  try {
    const voices = await openVoiceStore(config.voicesDir, log, usersOf(toolbox, prompts, config));
    const { callRecord } = config;
    // Before the models load: a lost key or a folder that cannot be written must not cost their time.
    if (callRecord !== undefined)
      records = await CallRecords.open({
        config: callRecord,
        allowedHosts: config.egress.allowed_hosts,
        voices: () => voices.list(),
        log,
      });
    if (config.tracing !== undefined) {
      // OpenTelemetry takes 10 MB, so it is loaded only then.
      const { openTracing } = await import("../tracing/tracing.ts");
      tracing = openTracing(config.tracing, config.egress.allowed_hosts, log);
    }
    return await startWith({ cluster, toolbox, prompts, voices, records, tracing }, config, log, passedSocket);
  } catch (error) {
    cluster?.close();
    await toolbox.close();
    await records?.close();
    await tracing?.close();
    throw error;
  }
}

/** Refuses configurations that want records on a server that keeps none. */
function usersOf(toolbox: Toolbox, prompts: WarmPrompts, { callRecord }: ServerConfig): VoiceUser {
  return {
    load(voice, file) {
      toolbox.load(voice, file);
      if (voice.record === undefined || callRecord !== undefined) return;
      const message = `${file}: record: the server keeps no records. Set call_record in the server's configuration (docs/call-record.md).`;
      throw new OakError(message, { code: "CONFIG_INVALID" });
    },
    use(voices) {
      toolbox.use(voices);
      prompts.use(voices);
    },
  };
}

async function startWith(
  {
    cluster,
    toolbox,
    prompts,
    voices,
    records,
    tracing,
  }: {
    readonly cluster: Cluster | undefined;
    readonly toolbox: Toolbox;
    readonly prompts: WarmPrompts;
    readonly voices: VoiceStore;
    readonly records: CallRecords | undefined;
    readonly tracing: Tracing | undefined;
  },
  config: ServerConfig,
  log: Log,
  passedSocket: number | undefined,
): Promise<Service> {
  const { jwt } = config.auth;
  const keys = openApiKeys(keyFilePath(config.dataDir), log);
  const secrets = new ClientSecrets({ cluster });
  const auth = createAuthenticator({
    keys,
    secrets,
    verifyToken: jwt === undefined ? undefined : await createTokenVerifier(jwt),
  });
  if (config.traceDir !== undefined) makeTraceFolder(config.traceDir);
  const speculation = config.speculation ? new SpeculationCounts() : undefined;
  await rehearseServer(config, passedSocket);
  log.info({ folder: config.voicesDir, count: voices.list().length }, "voice configurations");
  const engines = await startEngines(config, voices.list(), log);
  const models = new CallModels(config, engines);
  records?.useModels((voice) => models.language(voice));
  await toolbox.listed();
  const metrics = new Metrics();
  const fleet = cluster === undefined ? undefined : new FleetPlaces({ cluster, clock: systemClock });
  const endings = new CallEndings(systemClock);
  const timers = new TimerBook(systemClock);
  let metricsExport: MetricsExport | undefined;
  try {
    metricsExport = await openMetricsExport(config, metrics, log);
    const readiness = () => readinessOf(server.stats(), config.limits.max_connections, engineFault(engines));
    const server: VoiceServer = await startServer({
      config,
      auth,
      voices,
      fleet,
      cluster,
      describe: (voice) => models.names(voice),
      doors: [voiceDoor(), realtimeDoor(), asteriskDoor(), mediaStreamDoor()],
      openSession: sessionOpener({
        config,
        log,
        engines,
        models,
        metrics,
        records,
        tracing,
        toolbox,
        timers,
        speculation,
        endings,
      }),
      log,
      passedSocket,
      mayHaveBody: (request) => isClientSecretsRequest(request) || isSayRequest(request),
      handleHttp: firstOf(
        clientSecretsEndpoint({ auth, secrets, voices }),
        ...(records === undefined ? [] : [recordsEndpoint({ keys, records })]),
        callsEndpoint({ auth, findCall: (id) => server.findCall(id), endings }),
        httpEndpoints({
          notReady: () => readiness().reason,
          details: () => details(readiness(), cluster),
          metrics: metrics.registry,
          metricsPublic: config.metricsPublic,
          files: new Map([
            ...filesOrNone(loadSchemas, log),
            ...(config.playground ? filesOrNone(loadPage, log) : []),
            ...(records === undefined ? [] : filesOrNone(loadRecordsPage, log)),
          ]),
        }),
      ),
    });
    const agentCheck = await openAgentCheck(config, readiness, log).catch(async (error: unknown) => {
      await server.close();
      throw error;
    });
    addGauges(metrics, { engines, server, speculation, records, cluster, hasCertificate: config.tls !== undefined });
    prompts.start((voice) => models.language(voice));
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
      async drain() {
        const limitMs = config.limits.handover_timeout_seconds * 1000;
        // The new version listens there too.
        void agentCheck?.close();
        log.info({ calls: server.stats().connections }, "a new version takes the calls: waiting for the end of these");
        let cancel!: () => void;
        const limit = new Promise<void>((resolve) => (cancel = systemClock.after(limitMs, resolve)));
        await Promise.race([server.drain(), limit]);
        cancel();
      },
      hurry: () => server.hurry(),
      async close() {
        if (records !== undefined) records.isStopping = true;
        await server.close();
        await records?.close();
        await tracing?.close();
        await metricsExport?.close();
        await agentCheck?.close();
        timers.close();
        await prompts.close();
        await toolbox.close();
        await engines.close();
        await fleet?.close();
        cluster?.close();
      },
    };
  } catch (error) {
    await metricsExport?.close();
    await fleet?.close();
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

function engineFault(engines: EngineRegistry): string | undefined {
  const down = Object.entries(engines.each(({ state }) => (state === "ready" ? 1 : 0))).filter(([, up]) => up === 0);
  return down.length > 0 ? `not running: ${down.map(([name]) => name).join(", ")}` : undefined;
}

async function openAgentCheck({ host, agentCheckPort: port }: ServerConfig, readiness: () => Readiness, log: Log) {
  if (port === undefined) return undefined;
  return startAgentCheck({ host, port, answer: () => agentAnswer(readiness()), log });
}

async function openMetricsExport({ metricsExport, egress }: ServerConfig, { registry }: Metrics, log: Log) {
  if (metricsExport === undefined) return undefined;
  const exporting = await import("../tracing/metrics-export.ts");
  return exporting.openMetricsExport(metricsExport, egress.allowed_hosts, registry, log);
}

/** Lines of `/readyz`. The balancer's checks read the status only. */
const details = ({ freePlaces, weight }: Readiness, cluster: Cluster | undefined): string[] => [
  `free_places: ${String(freePlaces)}`,
  `weight: ${String(weight)}`,
  ...(cluster === undefined ? [] : [`cluster: ${cluster.isConnected ? "connected" : "lost"}`]),
];

/** Missing files do not stop the server. */
function filesOrNone(load: () => ReadonlyMap<string, PageFile>, log: Log): ReadonlyMap<string, PageFile> {
  try {
    return load();
  } catch (error) {
    log.warn({ code: errorCode(error) }, errorMessage(error));
    return new Map();
  }
}
