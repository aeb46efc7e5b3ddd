import { existsSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { exposedFiles } from "./exposed-files.ts";
import {
  fastPathOf,
  isGpuProfile,
  loadModelCatalog,
  modelFor,
  modelPath,
  type ModelCatalog,
  type ModelRole,
} from "./model-catalog.ts";
import type { CallRecordSettings, CallWebhookSettings, RedactionKind } from "./call-record-settings.ts";
import { readEnvironment, readFlags, type Flags } from "./environment.ts";
import { isLoopback } from "../shared/loopback.ts";
import { OakError } from "../shared/errors.ts";
import type { GpuChoice } from "../engines/stt/whisper/gpu.ts";
import {
  isRemote,
  remoteOf,
  type RemoteLanguageConfig,
  type RemoteModelConfig,
  type RemoteSpeechConfig,
} from "../engines/remote/remote-model.ts";
import { configInvalid, readStructuredFile } from "../shared/files/read-structured-file.ts";
import {
  serverConfigSchema,
  type ClusterConfig,
  type Limits,
  type JwtConfig,
  type ServerConfigFile,
  type TlsConfig,
} from "./server-config-schema.ts";

/** The server's configuration with all defaults and absolute paths. */
export interface ServerConfig {
  readonly host: string;
  readonly port: number;
  readonly tls?: TlsConfig;
  readonly agentCheckPort?: number;
  readonly allowInsecure: boolean;
  readonly dataDir: string;
  readonly voicesDir: string;
  readonly profile: ServerConfigFile["profile"];
  readonly models: ModelsConfig;
  readonly limits: Limits;
  readonly cluster?: ClusterConfig;
  readonly metricsPublic: boolean;
  readonly playground: boolean;
  readonly callRecord?: CallRecordConfig;
  readonly tracing?: TracingConfig;
  readonly metricsExport?: MetricsExportConfig;
  readonly auth: { readonly jwt?: JwtConfig };
  readonly egress: ServerConfigFile["egress"];
  readonly speculation: boolean;
  /** Folder for the turn events of each session. */
  readonly traceDir?: string;
  readonly logsToolArguments: boolean | "redacted";
  readonly logLevel: ServerConfigFile["log_level"];
  readonly logFormat: ServerConfigFile["log_format"];
}

/** A receiver of OTLP over HTTP. */
export interface OtlpConfig {
  readonly endpoint: string;
  readonly tokenFile?: string | undefined;
  readonly serviceName: string;
  readonly protocol: "http/json" | "http/protobuf";
}

export interface TracingConfig extends OtlpConfig {
  readonly content: boolean;
}

export interface MetricsExportConfig extends OtlpConfig {
  readonly intervalSeconds: number;
}

export interface CallRecordConfig {
  readonly dir: string;
  readonly keyFile: string;
  readonly auditDays: number;
  readonly webhook?: CallWebhookSettings;
}

export interface ModelsConfig {
  readonly stt: {
    /** Empty for a remote model. */
    readonly path: string;
    /** Folder of the fast recogniser: encoder.onnx, decoder.onnx and tokens.txt. Undefined: the one at `path` hears alone. */
    readonly fastPath: string | undefined;
    /** The server that runs the model. Undefined: a child process, with the file at `path`. */
    readonly remote?: RemoteModelConfig;
    readonly threads: number;
    readonly gpu: GpuChoice;
    readonly audioContext: number;
    readonly beams: number;
    /** Undefined for the engine's own. */
    readonly deadlineSeconds: number | undefined;
  };
  readonly llm: {
    /** Empty for a remote model. */
    readonly path: string;
    readonly gpu: "auto" | "off" | "cuda" | "vulkan" | "metal";
    readonly threads: number;
    readonly contextTokens: number;
    /** The server that runs the model. Undefined: llama.cpp in a child process, with the file at `path`. */
    readonly remote?: RemoteLanguageConfig;
    /** Kinds of words that a remote model does not get. */
    readonly redact: readonly RedactionKind[];
    readonly deadlineSeconds: number;
  };
  readonly tts: {
    /** Empty for a remote model. */
    readonly dir: string;
    readonly remote?: RemoteSpeechConfig;
    readonly threads: number;
    readonly deadlineSeconds: number;
  };
  readonly vad: { readonly path: string };
  readonly emotion: { readonly path: string; readonly deadlineSeconds: number };
  readonly turn: { readonly path: string };
}

/** The same models, all of them on this machine. Paths of remote ones are empty. */
export function withoutRemote({ stt, llm, tts, ...others }: ModelsConfig): ModelsConfig {
  const { remote: _stt, ...localStt } = stt;
  const { remote: _llm, ...localLlm } = llm;
  const { remote: _tts, ...localTts } = tts;
  return { ...others, stt: localStt, llm: localLlm, tts: localTts };
}

export interface LoadedServerConfig {
  readonly config: ServerConfig;
  /** One line each, for the log. */
  readonly warnings: readonly string[];
}

/** The value of models.stt.fast_path that is not a path. */
const OFF = "off";

/** Fields that hold a path. A relative path starts at the file that sets it, or at the working directory if a variable sets it. */
const PATH_FIELDS = [
  "tls.cert_file", "tls.key_file", "data_dir", "voices_dir", "trace_dir",
  "models.stt.path", "models.stt.fast_path", "models.stt.key_file", "models.llm.path", "models.llm.key_file", "models.tts.dir", "models.tts.key_file", "models.vad.path", "models.emotion.path", "models.turn.path",
  "cluster.secret_file", "cluster.password_file", "cluster.ca_file", "auth.jwt.secret_file", "auth.jwt.public_key_file", "auth.jwt.jwks_file", "auth.jwt.private_key_file",
  "call_record.dir", "call_record.key_file", "call_record.webhook.secret_file", "tracing.token_file", "metrics_export.token_file",
]; // prettier-ignore

/**
 * Defaults < the file < OAKVOICE_* variables < flags.
 * @param file YAML or JSON; without one, OAKVOICE_CONFIG names it, or there is none.
 * @throws OakError `CONFIG_UNREADABLE` or `CONFIG_INVALID`; its message names the file, variable or flag, the field and the fault.
 */
export function loadServerConfig(
  file: string | undefined,
  environment: NodeJS.ProcessEnv,
  flags: Flags = {},
): LoadedServerConfig {
  // An empty variable counts as not set.
  const configFile = file ?? (environment["OAKVOICE_CONFIG"] || undefined);
  const fromFile = configFile === undefined ? {} : readStructuredFile(configFile);
  if (!isRecord(fromFile)) {
    const message = `${String(configFile)}: holds no settings. Write one in each line, such as "port: 8787" (docs/operations.md).`;
    throw new OakError(message, { code: "CONFIG_INVALID" });
  }
  const fromEnvironment = readEnvironment(environment, serverConfigSchema);
  const fromFlags = readFlags(flags, serverConfigSchema);
  if (configFile !== undefined) resolvePaths(fromFile, dirname(resolve(configFile)));
  resolvePaths(fromEnvironment.values, process.cwd());

  const over = overlay(fromEnvironment.values, fromFlags.values);
  const parsed = serverConfigSchema.safeParse(overlay(fromFile, over));
  if (!parsed.success) {
    const source = (path: readonly PropertyKey[]) =>
      fromFlags.names.get(path.join(".")) ?? fromEnvironment.names.get(path.join(".")) ?? configFile ?? "configuration";
    throw configInvalid(source, parsed.error, serverConfigSchema);
  }
  const warnings = fromEnvironment.unknown.map((name) => `${name} names no configuration field and is ignored.`);
  const config = complete(parsed.data, environment);
  const { dataDir, voicesDir } = config;
  // The default folder may be missing.
  if (voicesDir !== join(dataDir, "voices") && !existsSync(voicesDir))
    warnings.push(
      `voices_dir: ${voicesDir} does not exist, so callers can only use the built-in voice configuration. Create it.`,
    );
  if (config.cluster !== undefined) warnings.push(...clearText(config.cluster));
  const hasSecret = configFile !== undefined && hasTokenSecret(fromFile);
  return { config, warnings: [...warnings, ...exposedFiles(configFile, hasSecret, config)] };
}

function clearText({ url }: ClusterConfig): string[] {
  const { protocol, hostname } = new URL(url);
  if (protocol === "rediss:" || isLoopback(hostname.replace(/^\[(.*)\]$/u, "$1"))) return [];
  return ["cluster.url: redis:// sends the password unencrypted. Use rediss:// on a shared network."];
}

const hasTokenSecret = (file: unknown) => {
  const auth = isRecord(file) ? file["auth"] : undefined;
  const jwt = isRecord(auth) ? auth["jwt"] : undefined;
  return isRecord(jwt) && jwt["secret"] !== undefined;
};

function complete(file: ServerConfigFile, environment: NodeJS.ProcessEnv): ServerConfig {
  const dataDir = file.data_dir ?? join(environment["XDG_DATA_HOME"] || join(homedir(), ".local", "share"), "oakvoice");
  const catalog = loadModelCatalog();
  const installed = (role: ModelRole) => modelPath(modelFor(catalog, role, file.profile), dataDir);
  const { stt, llm, tts, vad, emotion, turn } = file.models;
  const sttPath = isRemote(stt) ? "" : (stt.path ?? installed("stt"));
  return {
    host: file.host,
    port: file.port,
    ...(file.tls === undefined ? {} : { tls: file.tls }),
    ...(file.agent_check_port === undefined ? {} : { agentCheckPort: file.agent_check_port }),
    allowInsecure: file.allow_insecure,
    dataDir,
    voicesDir: file.voices_dir ?? join(dataDir, "voices"),
    profile: file.profile,
    models: {
      stt: {
        path: sttPath,
        fastPath: fastPathFor(stt, sttPath, catalog, dataDir),
        ...remoteOf(stt, {}),
        gpu: stt.gpu ?? (isGpuProfile(file.profile) ? "auto" : "off"),
        threads: stt.threads,
        audioContext: stt.audio_context,
        beams: stt.beams,
        deadlineSeconds: stt.deadline_seconds,
      },
      llm: {
        path: isRemote(llm) ? "" : (llm.path ?? installed("llm")),
        ...remoteOf(llm, { extraBody: llm.extra_body }),
        gpu: llm.gpu ?? (isGpuProfile(file.profile) ? "auto" : "off"),
        threads: llm.threads,
        contextTokens: llm.context_tokens ?? (isRemote(llm) ? 8_192 : 2_048),
        redact: llm.redact,
        deadlineSeconds: llm.deadline_seconds,
      },
      tts: {
        dir: isRemote(tts) ? "" : (tts.dir ?? installed("tts")),
        ...remoteOf(tts, { voice: tts.voice }),
        threads: tts.threads,
        deadlineSeconds: tts.deadline_seconds,
      },
      vad: { path: vad.path ?? installed("vad") },
      emotion: { path: emotion.path ?? installed("emotion"), deadlineSeconds: emotion.deadline_seconds },
      turn: { path: turn.path ?? installed("turn") },
    },
    limits: file.limits,
    ...(file.cluster === undefined ? {} : { cluster: file.cluster }),
    ...(file.call_record === undefined ? {} : { callRecord: callRecordOf(file.call_record, dataDir) }),
    ...(file.tracing === undefined ? {} : { tracing: { ...otlpOf(file.tracing), content: file.tracing.content } }),
    ...(file.metrics_export === undefined
      ? {}
      : {
          metricsExport: {
            ...otlpOf(file.metrics_export),
            intervalSeconds: file.metrics_export.interval_seconds,
          },
        }),
    playground: file.playground,
    metricsPublic: file.metrics_public,
    auth: file.auth,
    egress: file.egress,
    speculation: file.speculation,
    ...(file.trace_dir === undefined ? {} : { traceDir: file.trace_dir }),
    logsToolArguments: file.log_tool_arguments,
    logLevel: file.log_level,
    logFormat: file.log_format,
  };
}

type OtlpSettings = Pick<
  NonNullable<ServerConfigFile["tracing"]>,
  "endpoint" | "token_file" | "service_name" | "protocol"
>;
const otlpOf = ({
  endpoint,
  token_file: tokenFile,
  service_name: serviceName,
  protocol,
}: OtlpSettings): OtlpConfig => ({
  endpoint,
  tokenFile,
  serviceName,
  protocol,
});

const callRecordOf = (
  { dir, key_file: keyFile, audit_days: auditDays, webhook }: CallRecordSettings,
  dataDir: string,
): CallRecordConfig => ({
  dir: dir ?? join(dataDir, "call-record"),
  keyFile,
  auditDays,
  ...(webhook === undefined ? {} : { webhook }),
});

/** Only whisper.cpp can have a fast recogniser beside it. */
function fastPathFor(
  { engine, fast_path: own }: ServerConfigFile["models"]["stt"],
  path: string,
  catalog: ModelCatalog,
  dataDir: string,
): string | undefined {
  if (engine !== "whisper-cpp" || own === OFF) return undefined;
  return own ?? fastPathOf(catalog, path, dataDir);
}

function overlay(base: Record<string, unknown>, over: Record<string, unknown>): Record<string, unknown> {
  const result = { ...base };
  for (const [key, value] of Object.entries(over)) {
    const below = result[key];
    result[key] = isRecord(below) && isRecord(value) ? overlay(below, value) : value;
  }
  return result;
}

/** Changes `values`. A value that is not a string stays, so that the schema refuses it. */
function resolvePaths(values: Record<string, unknown>, folder: string): void {
  for (const field of PATH_FIELDS) {
    const keys = field.split(".");
    const last = keys.pop() ?? "";
    let parent: unknown = values;
    for (const key of keys) parent = isRecord(parent) ? parent[key] : undefined;
    if (!isRecord(parent)) continue;
    const value = parent[last];
    if (field === "models.stt.fast_path" && value === OFF) continue;
    if (typeof value === "string" && value !== "") parent[last] = resolve(folder, value);
  }
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);
