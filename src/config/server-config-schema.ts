import { z } from "zod";
import { allowedHostFault, egressFault, hostRule } from "../egress/host-rules.ts";
import { isLoopback } from "../shared/loopback.ts";
import { callRecordSchema, REDACTION_KINDS } from "./call-record-settings.ts";
import { PROFILES } from "./model-catalog.ts";
import { isRemote, isRemoteUrl, requireRemoteFields } from "../engines/remote/remote-model.ts";

const path = z.string().min(1);
const seconds = z.number().positive().max(86_400);
const count = z.int().min(1);
/** 0, the default, chooses by the model's size and the machine. */
const threads = z.int().min(0).max(256).default(0);

const JWT_ALGORITHMS = [
  "HS256",
  "HS384",
  "HS512",
  "RS256",
  "RS384",
  "RS512",
  "PS256",
  "ES256",
  "ES384",
  "EdDSA",
] as const;

const tlsSchema = z.strictObject({ cert_file: path, key_file: path });

const jwtSchema = z
  .strictObject({
    /** A token signed with any other algorithm is refused. */
    algorithms: z.array(z.enum(JWT_ALGORITHMS)).min(1),
    secret: z.exactOptional(z.string().min(32, "must be at least 32 characters")),
    secret_file: z.exactOptional(path),
    public_key_file: z.exactOptional(path),
    jwks_file: z.exactOptional(path),
    /** Only for `oakvoice token`; the server never needs it. */
    private_key_file: z.exactOptional(path),
    issuer: z.exactOptional(z.string().min(1)),
    audience: z.exactOptional(z.string().min(1)),
  })
  .superRefine((jwt, context) => {
    const sources = [jwt.secret, jwt.secret_file, jwt.public_key_file, jwt.jwks_file].filter(
      (source) => source !== undefined,
    );
    if (sources.length !== 1) {
      context.addIssue("set exactly one of secret, secret_file, public_key_file, jwks_file");
      return;
    }
    const isSecret = jwt.secret !== undefined || jwt.secret_file !== undefined;
    // A public key used as an HS256 secret would let anyone forge tokens, so the two kinds must not be mixed.
    const wrong = jwt.algorithms.filter((algorithm) => algorithm.startsWith("HS") !== isSecret);
    if (wrong.length > 0) {
      context.addIssue(`${wrong.join(", ")} cannot be used with ${isSecret ? "a secret" : "public keys"}`);
    }
  });

const clusterSchema = z.strictObject({
  /** A Valkey or Redis server that the boxes share: `redis://user@host:6379/0`, or `rediss://` with TLS. */
  url: z.string().superRefine((url, context) => {
    const fault = clusterUrlFault(url);
    if (fault !== undefined) context.addIssue(fault);
  }),
  password_file: z.exactOptional(path),
  /** Certificate authority of the server in PEM. Default: Node's. */
  ca_file: z.exactOptional(path),
  /** At least 32 bytes, the same for all boxes. Keys for what the store holds are derived from it. */
  secret_file: path,
  /** Begins the names of all keys: fleets with different names can share a server. */
  name: z
    .string()
    .regex(/^[\w.-]{1,64}$/u, "must have 1 to 64 letters, digits, dots, dashes or underscores")
    .default("oakvoice"),
});

function clusterUrlFault(text: string): string | undefined {
  if (!URL.canParse(text)) return "must be a URL such as redis://10.0.0.5:6379";
  const { protocol, hostname, password, pathname } = new URL(text);
  if (protocol !== "redis:" && protocol !== "rediss:") return "must begin with redis:// or rediss://";
  if (hostname === "") return "must name a host";
  if (password !== "") return "must not contain the password. Put it into a file and name it in password_file";
  if (!/^(?:\/\d{0,4})?$/u.test(pathname)) return "may end with the number of a database only, such as /0";
  return undefined;
}

const limitsSchema = z.strictObject({
  /** The language model reserves `context_tokens` of memory for each connection at the start. */
  max_connections: count.default(8),
  /** A full server answers the handshake with 503, so that a balancer tries another. Default: `SERVER_BUSY` after the upgrade. */
  refuse_before_upgrade: z.boolean().default(false),
  /** Sockets whose credentials are being checked, or that are being refused. */
  max_pending_connections: count.default(64),
  authentication_timeout_seconds: seconds.default(5),
  max_message_bytes: z.int().min(1_024).max(16_777_216).default(524_288),
  max_messages_per_second: count.default(250),
  /** For all connections of one API key or token subject. Default: no limit. A key may have its own limits. */
  max_connections_per_key: z.exactOptional(count),
  max_messages_per_second_per_key: z.exactOptional(count),
  max_audio_bytes_per_second_per_key: z.exactOptional(count),
  idle_timeout_seconds: seconds.default(60),
  ping_interval_seconds: seconds.default(20),
  /** How far a client's audio may be ahead of real time. */
  audio_burst_seconds: seconds.default(10),
  /** The connection is closed after this much dropped audio. */
  max_dropped_audio_seconds: seconds.default(30),
  /** The connection of a slow reader is closed when more bytes wait. */
  max_outbound_bytes: z.int().min(65_536).default(2_097_152),
  /** How long a session waits for a caller who lost the connection; 0: not at all. */
  resume_seconds: z.number().min(0).max(3_600).default(60),
  /** A stopping server waits for the ends of current turns and replies, or for callers to end their calls. */
  drain: z.enum(["turns", "calls"]).default("turns"),
  /** How long it waits. */
  drain_timeout_seconds: z.number().min(0).max(86_400).default(15),
  /** How long a server that a new version replaces (SIGUSR2) waits for its calls. */
  handover_timeout_seconds: seconds.default(14_400),
  /** How long sessions may take to end after that. */
  shutdown_timeout_seconds: seconds.default(10),
});

/** A server of models: `url` up to the path of the interface, usually `/v1`. */
const remoteFields = {
  url: z.exactOptional(
    z.string().refine(isRemoteUrl, "must be an http or https URL without a query, such as https://llm.lan:8000/v1"),
  ),
  /** As the server names it. */
  model: z.exactOptional(z.string().min(1).max(256)),
  /** One line: the key that the server expects. */
  key_file: z.exactOptional(path),
};

const modelsSchema = z.strictObject({
  stt: z
    .strictObject({
      engine: z.enum(["whisper-cpp", "openai-compatible"]).default("whisper-cpp"),
      path: z.exactOptional(path),
      /** The folder of the fast recogniser beside this one, or "off". Default: the one that the catalogue names. */
      fast_path: z.exactOptional(path),
      ...remoteFields,
      gpu: z.exactOptional(z.enum(["auto", "off", "cuda", "vulkan"])),
      threads,
      /** Encoder positions, 50 for each second of audio. 0 follows the clip's length. */
      audio_context: z
        .int()
        .min(0)
        .max(1_500)
        .refine((positions) => positions === 0 || positions >= 55, "must be 0, or 55 at least: clips have 1.1 s")
        .default(0),
      /** Beams of a final decode. 0: one. */
      beams: z.int().min(0).max(8).default(0),
      /** Time limit of a request. Default: the engine's own. */
      deadline_seconds: z.exactOptional(seconds),
    })
    .superRefine(requireRemoteFields)
    .prefault({}),
  llm: z
    .strictObject({
      engine: z.enum(["llama-cpp", "openai-compatible"]).default("llama-cpp"),
      path: z.exactOptional(path),
      ...remoteFields,
      gpu: z.exactOptional(z.enum(["auto", "off", "cuda", "vulkan", "metal"])),
      threads,
      /** Default: 2,048, or 8,192 on another machine. */
      context_tokens: z.exactOptional(z.int().min(256).max(1_048_576)),
      /** Fields of each request besides those of the interface. Servers that refuse unknown fields need {}. */
      extra_body: z.record(z.string(), z.unknown()).default({ chat_template_kwargs: { enable_thinking: false } }),
      /** Time limit for the next piece of text, or of the prompt. */
      deadline_seconds: seconds.default(30),
      /** Kinds of words that a remote model does not get. */
      redact: z.array(z.enum(REDACTION_KINDS)).default([]),
    })
    .superRefine(requireRemoteFields)
    .refine(({ redact, ...llm }) => redact.length === 0 || isRemote(llm), {
      path: ["redact"],
      message: "needs engine: openai-compatible. A model on this machine gets the caller's words as they are",
    })
    .prefault({}),
  tts: z
    .strictObject({
      engine: z.enum(["sherpa-onnx", "openai-compatible"]).default("sherpa-onnx"),
      dir: z.exactOptional(path),
      ...remoteFields,
      /** The remote server's name of the voice "default". */
      voice: z.string().min(1).max(256).default("alloy"),
      threads,
      deadline_seconds: seconds.default(30),
    })
    .superRefine(requireRemoteFields)
    .prefault({}),
  vad: z.strictObject({ path: z.exactOptional(path) }).prefault({}),
  emotion: z.strictObject({ path: z.exactOptional(path), deadline_seconds: seconds.default(10) }).prefault({}),
  /** The end-of-turn model. */
  turn: z.strictObject({ path: z.exactOptional(path) }).prefault({}),
});

const allowedHostSchema = z
  .union([
    z.string(),
    /** The addresses to which the name may resolve. Without them only public ones are allowed. */
    z.strictObject({ host: z.string(), addresses: z.array(z.string()).min(1).max(64) }),
  ])
  .superRefine((entry, context) => {
    const fault = allowedHostFault(entry);
    if (fault !== undefined) context.addIssue(fault);
  });

const otlpFields = {
  /** The address of an OTLP receiver: `http://otel.lan:4318`. Its host must be in `egress.allowed_hosts`. */
  endpoint: z.url({ protocol: /^https?$/u, error: "must be an address that begins with https:// or http://" }),
  /** Sent as `Authorization: Bearer`. */
  token_file: z.exactOptional(path),
  service_name: z.string().min(1).max(128).default("oakvoice"),
  protocol: z.enum(["http/json", "http/protobuf"]).default("http/json"),
};

const metricsExportSchema = z.strictObject({
  ...otlpFields,
  interval_seconds: z.number().min(1).max(3_600).default(60),
});

const tracingSchema = z.strictObject({
  ...otlpFields,
  /** Whether spans have words of callers and replies, redacted, below `oakvoice.pii`. */
  content: z.boolean().default(false),
});

export const serverConfigSchema = z
  .strictObject({
    host: z.string().min(1).default("127.0.0.1"),
    port: z.int().min(0).max(65_535).default(8_787),
    tls: z.exactOptional(tlsSchema),
    /** A port of `host` that reports weight and state to the agent checks of HAProxy. */
    agent_check_port: z.exactOptional(z.int().min(0).max(65_535)),
    /** Lets other machines connect without TLS. Use it only behind a proxy that ends TLS. */
    allow_insecure: z.boolean().default(false),
    data_dir: z.exactOptional(path),
    voices_dir: z.exactOptional(path),
    /** The models of the catalogue that replace paths missing in `models`. */
    profile: z.enum(PROFILES).default("starter"),
    models: modelsSchema.prefault({}),
    limits: limitsSchema.prefault({}),
    /** The store that several boxes share. Absent: this box works alone. */
    cluster: z.exactOptional(clusterSchema),
    /** The test page at `/`. It needs a key, like every client. */
    playground: z.boolean().default(true),
    /** Whether other machines may read `/metrics`. */
    metrics_public: z.boolean().default(false),
    /** Prepares the reply before the turn has ended: faster answers for more computation. */
    speculation: z.boolean().default(true),
    /** A folder for the turn events of each session: JSON lines without words or audio. Default: nothing is recorded. */
    trace_dir: z.exactOptional(path),
    /** Where records of calls are kept. A voice configuration says which calls have one. */
    call_record: z.exactOptional(callRecordSchema),
    /** Where traces of calls go, as OTLP over HTTP. Absent: no trace is made. */
    tracing: z.exactOptional(tracingSchema),
    /** Where the metrics of `/metrics` go too, as OTLP over HTTP. Absent: nowhere. */
    metrics_export: z.exactOptional(metricsExportSchema),
    auth: z.strictObject({ jwt: z.exactOptional(jwtSchema) }).prefault({}),
    /** Hosts that tools of voice configurations may connect to. */
    egress: z.strictObject({ allowed_hosts: z.array(allowedHostSchema).max(256).default([]) }).prefault({}),
    /** Whether the log has the arguments of calls of tools. They often hold words of the caller. "redacted": without what identifies people. */
    log_tool_arguments: z.union([z.boolean(), z.literal("redacted")]).default(false),
    log_level: z.enum(["trace", "debug", "info", "warn", "error", "fatal", "silent"]).default("info"),
    /** auto: readable lines on a terminal, JSON elsewhere. */
    log_format: z.enum(["auto", "json"]).default("auto"),
  })
  .superRefine((config, context) => {
    if (config.tls === undefined && !config.allow_insecure && !isLoopback(config.host)) {
      context.addIssue({
        code: "custom",
        path: ["tls"],
        message: `${config.host} is reachable from other machines: set tls, or pass --allow-insecure (allow_insecure: true) behind a proxy that ends TLS`,
      });
    }
    const rules = config.egress.allowed_hosts.map(hostRule);
    const webhook = config.call_record?.webhook;
    const refusal = webhook === undefined ? undefined : egressFault(new URL(webhook.url), rules);
    if (refusal !== undefined)
      context.addIssue({ code: "custom", path: ["call_record", "webhook", "url"], message: refusal });
    for (const setting of ["tracing", "metrics_export"] as const) {
      const endpoint = config[setting]?.endpoint;
      const closed = endpoint === undefined ? undefined : egressFault(new URL(endpoint), rules);
      if (closed !== undefined) context.addIssue({ code: "custom", path: [setting, "endpoint"], message: closed });
    }
    for (const role of ["stt", "llm", "tts"] as const) {
      const { url } = config.models[role];
      const fault = url === undefined ? undefined : egressFault(new URL(url), rules);
      if (fault !== undefined) context.addIssue({ code: "custom", path: ["models", role, "url"], message: fault });
    }
  });

export type ServerConfigFile = z.output<typeof serverConfigSchema>;
export type Limits = z.output<typeof limitsSchema>;
export type JwtConfig = z.output<typeof jwtSchema>;
export type ClusterConfig = z.output<typeof clusterSchema>;
export type TlsConfig = z.output<typeof tlsSchema>;
