import { z } from "zod";
import { isLoopback } from "./loopback.ts";
import { PROFILES } from "./model-catalog.ts";

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

const limitsSchema = z.strictObject({
  /** The language model reserves `context_tokens` of memory for each connection at the start. */
  max_connections: count.default(8),
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
  /** How long a stopping server waits for current turns and replies. */
  drain_timeout_seconds: z.number().min(0).max(86_400).default(15),
  /** How long sessions may take to end after that. */
  shutdown_timeout_seconds: seconds.default(10),
});

const modelsSchema = z.strictObject({
  stt: z
    .strictObject({
      engine: z.enum(["whisper-cpp", "whisper-node"]).default("whisper-cpp"),
      path: z.exactOptional(path),
      gpu: z.exactOptional(z.enum(["auto", "off", "cuda", "vulkan"])),
      threads,
      /** Encoder positions, 50 for each second of audio. 0 follows the clip's length. */
      audio_context: z
        .int()
        .min(0)
        .max(1_500)
        .refine((positions) => positions === 0 || positions >= 55, "must be 0, or 55 at least: clips have 1.1 s")
        .default(0),
      /** Beams of a final decode. 0 chooses by the model's size. */
      beams: z.int().min(0).max(8).default(0),
      /** Time limit of a request. Default: the engine's own. */
      deadline_seconds: z.exactOptional(seconds),
    })
    .prefault({}),
  llm: z
    .strictObject({
      path: z.exactOptional(path),
      gpu: z.exactOptional(z.enum(["auto", "off", "cuda", "vulkan", "metal"])),
      threads,
      context_tokens: z.int().min(256).max(131_072).default(2_048),
      /** Time limit for the next piece of text, or of the prompt. */
      deadline_seconds: seconds.default(30),
    })
    .prefault({}),
  tts: z.strictObject({ dir: z.exactOptional(path), threads, deadline_seconds: seconds.default(30) }).prefault({}),
  vad: z.strictObject({ path: z.exactOptional(path) }).prefault({}),
  emotion: z.strictObject({ path: z.exactOptional(path), deadline_seconds: seconds.default(10) }).prefault({}),
  /** The end-of-turn model. */
  turn: z.strictObject({ path: z.exactOptional(path) }).prefault({}),
});

export const serverConfigSchema = z
  .strictObject({
    host: z.string().min(1).default("127.0.0.1"),
    port: z.int().min(0).max(65_535).default(8_787),
    tls: z.exactOptional(tlsSchema),
    /** Lets other machines connect without TLS. Use it only behind a proxy that ends TLS. */
    allow_insecure: z.boolean().default(false),
    data_dir: z.exactOptional(path),
    voices_dir: z.exactOptional(path),
    /** The models of the catalogue that replace paths missing in `models`. */
    profile: z.enum(PROFILES).default("starter"),
    models: modelsSchema.prefault({}),
    limits: limitsSchema.prefault({}),
    /** The test page at `/`. It needs a key, like every client. */
    playground: z.boolean().default(true),
    /** Whether other machines may read `/metrics`. */
    metrics_public: z.boolean().default(false),
    /** Prepares the reply before the turn has ended: faster answers for more computation. */
    speculation: z.boolean().default(true),
    /** A folder for the turn events of each session: JSON lines without words or audio. Default: nothing is recorded. */
    trace_dir: z.exactOptional(path),
    auth: z.strictObject({ jwt: z.exactOptional(jwtSchema) }).prefault({}),
    log_level: z.enum(["trace", "debug", "info", "warn", "error", "fatal", "silent"]).default("info"),
  })
  .superRefine((config, context) => {
    if (config.tls === undefined && !config.allow_insecure && !isLoopback(config.host)) {
      context.addIssue({
        code: "custom",
        path: ["tls"],
        message: `${config.host} is reachable from other machines: set tls, or pass --allow-insecure (allow_insecure: true) behind a proxy that ends TLS`,
      });
    }
  });

export type ServerConfigFile = z.output<typeof serverConfigSchema>;
export type Limits = z.output<typeof limitsSchema>;
export type JwtConfig = z.output<typeof jwtSchema>;
export type TlsConfig = z.output<typeof tlsSchema>;
