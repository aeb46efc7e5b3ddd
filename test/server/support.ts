import { onTestFinished } from "vitest";
import { WebSocket, type ClientOptions } from "ws";
import { createApiKey, openApiKeys } from "../../src/auth/api-keys.ts";
import { createAuthenticator } from "../../src/auth/authenticate.ts";
import { ClientSecrets } from "../../src/auth/client-secrets.ts";
import { createTokenVerifier, issueToken, type TokenRequest } from "../../src/auth/jwt.ts";
import { keyFilePath } from "../../src/config/data-folder.ts";
import { serverConfigSchema, type Limits } from "../../src/config/server-config-schema.ts";
import {
  embeddedDefault,
  voiceConfigurationSchema,
  type VoiceConfiguration,
} from "../../src/config/voice-configuration.ts";
import type {
  OpenSession,
  Restored,
  SessionRequest,
  VoiceSession,
} from "../../src/conversation/session/session-interface.ts";
import type { PlaybackReport } from "../../src/conversation/reply/speech/playback-report.ts";
import type { SessionSnapshot } from "../../src/conversation/session/session-snapshot.ts";
import { History } from "../../src/conversation/reply/text/history.ts";
import {
  serverMessageSchema,
  type ServerMessage,
  type ServerMessageType,
} from "../../src/doors/voice/server-messages.ts";
import { asteriskDoor } from "../../src/doors/asterisk/asterisk-door.ts";
import { mediaStreamDoor } from "../../src/doors/media-stream/media-stream-door.ts";
import {
  clientSecretsEndpoint,
  isClientSecretsRequest,
} from "../../src/doors/realtime/connect/client-secrets-endpoint.ts";
import { realtimeDoor } from "../../src/doors/realtime/realtime-door.ts";
import { voiceDoor } from "../../src/doors/voice/voice-door.ts";
import { DEFAULT_SETTINGS, type SessionSettingsPatch } from "../../src/config/settings/session-settings.ts";
import { deepMerge } from "../../src/shared/deep-merge.ts";
import { silentLog } from "../../src/shared/log.ts";
import { CallEndings } from "../../src/server/calls/call-endings.ts";
import { callsEndpoint, isSayRequest } from "../../src/server/http/calls-endpoint.ts";
import { startServer, type ServerOptions, type VoiceServer } from "../../src/server/voice-server.ts";
import type { Cluster } from "../../src/cluster/cluster.ts";
import type { FleetPlaces } from "../../src/cluster/fleet-places.ts";
import { VirtualClock } from "../support/virtual-clock.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const jwt = { algorithms: ["HS256" as const], secret: "a secret of at least thirty-two bytes" };

export const emptySnapshot: SessionSnapshot = {
  history: [],
  sent: { before: 0, runs: [] },
  replies: 0,
  lost: undefined,
  unheardText: undefined,
  settings: DEFAULT_SETTINGS,
  texts: [],
  owesAnswer: false,
  ending: undefined,
  calls: [],
  toolState: undefined,
  timers: [],
};

/** Records the calls of a connection. It is ready after the first settings, like a real session. */
export class RecordingSession implements VoiceSession {
  readonly request: SessionRequest;
  readonly patches: SessionSettingsPatch[] = [];
  readonly audio: Buffer[] = [];
  readonly texts: string[] = [];
  readonly reports: PlaybackReport[] = [];
  readonly commands: string[] = [];
  /** The ages of the snapshots that it was restored from, ms. */
  readonly ages: number[] = [];
  readonly history = new History();
  isClosed = false;
  #settings = DEFAULT_SETTINGS;

  constructor(request: SessionRequest) {
    this.request = request;
  }

  get ready(): boolean {
    return this.patches.length > 0;
  }

  configure(patch: SessionSettingsPatch): void {
    this.patches.push(patch);
    this.#settings = deepMerge(DEFAULT_SETTINGS, patch);
    this.request.emit({ type: "ready", settings: this.#settings });
  }

  pushAudio(pcm: Int16Array): void {
    this.audio.push(Buffer.from(pcm.slice().buffer));
  }

  addText(text: string): void {
    this.texts.push(text);
  }

  reportPlayback(report: PlaybackReport): void {
    this.reports.push(report);
  }

  endTurn(): void {
    this.commands.push("endTurn");
  }

  dropTurn(): void {
    this.commands.push("dropTurn");
  }

  respond(): undefined {
    this.commands.push("respond");
  }

  stopReply(): void {
    this.commands.push("stopReply");
  }

  say(text: string, when: string): boolean {
    this.commands.push(`say ${when}: ${text}`);
    return true;
  }

  giveToolResult(callId: string, output: string): boolean {
    this.commands.push(`result of ${callId}: ${output}`);
    return true;
  }

  detach(): void {
    this.commands.push("detach");
  }

  recover(pieces: number | undefined): Restored {
    this.commands.push(`recover ${String(pieces)}`);
    return { messages: this.history.size, unansweredWords: "", reply: undefined, calls: [], timers: [] };
  }

  attach(): void {
    this.commands.push("attach");
    this.request.emit({ type: "ready", settings: this.#settings });
  }

  snapshot(): SessionSnapshot {
    return { ...emptySnapshot, settings: this.#settings, texts: this.commands };
  }

  restore(snapshot: SessionSnapshot, ageMs: number): void {
    this.ages.push(ageMs);
    this.#settings = snapshot.settings;
    this.patches.push({});
    this.commands.push("restore", ...snapshot.texts);
  }

  forgetTimers(): void {
    this.commands.push("forgetTimers");
  }

  async quiet(): Promise<void> {}

  async close(): Promise<void> {
    this.isClosed = true;
  }
}

/** Configurations that never change. */
export const lookup = (voices: readonly VoiceConfiguration[]) => ({
  get: (configId: string) => voices.find((voice) => voice.config_id === configId),
  list: () => voices,
});

export interface WireTestOptions extends Partial<Pick<ServerOptions, "log" | "handleHttp" | "describe">> {
  readonly limits?: Partial<Limits>;
  /** Replaces the built-in configuration `default`. */
  readonly defaultVoice?: VoiceConfiguration;
  readonly openSession?: (request: SessionRequest) => VoiceSession;
  readonly fleet?: FleetPlaces;
  readonly cluster?: Cluster;
  readonly tls?: { cert_file: string; key_file: string };
}

/** A real server on a free port, with one API key, tokens, and the configurations `default` and `bank`. */
export async function startWireServer(options: WireTestOptions = {}) {
  const clock = new VirtualClock();
  const keyFile = keyFilePath(temporaryFolder());
  const { id: keyId, key } = createApiKey(keyFile, "test", undefined, Date.now());
  const secrets = new ClientSecrets();
  const auth = createAuthenticator({
    secrets,
    keys: openApiKeys(keyFile, silentLog),
    verifyToken: await createTokenVerifier(jwt),
  });
  const sessions: RecordingSession[] = [];
  const openSession: OpenSession = (request) => {
    if (options.openSession !== undefined) return options.openSession(request);
    const session = new RecordingSession(request);
    sessions.push(session);
    return session;
  };
  const bank = voiceConfigurationSchema.parse({ config_id: "bank", project_id: "branch", system_prompt: "Be brief." });
  const voices = lookup([options.defaultVoice ?? embeddedDefault, bank]);
  const defaults = serverConfigSchema.parse({});
  const mints = clientSecretsEndpoint({ auth, secrets, voices });
  const endings = new CallEndings(clock);
  const ofCalls = callsEndpoint({ auth, findCall: (id) => server.findCall(id), endings });
  const server: VoiceServer = await startServer({
    config: {
      host: "127.0.0.1",
      port: 0,
      limits: { ...defaults.limits, ...options.limits },
      ...(options.tls === undefined ? {} : { tls: options.tls }),
    },
    auth,
    voices,
    doors: [voiceDoor(), realtimeDoor(), asteriskDoor(), mediaStreamDoor()],
    openSession,
    ...(options.describe === undefined ? {} : { describe: options.describe }),
    fleet: options.fleet,
    cluster: options.cluster,
    log: options.log ?? silentLog,
    clock,
    mayHaveBody: (request) => isClientSecretsRequest(request) || isSayRequest(request),
    handleHttp: (request, response) =>
      options.handleHttp?.(request, response) === true || mints(request, response) || ofCalls(request, response),
  });
  onTestFinished(() => server.close());
  const token = (request: Partial<TokenRequest> = {}, now = new Date()) =>
    issueToken(jwt, { lifetimeSeconds: 60, ...request }, now);
  const urlOf = (query: Record<string, string>, connectionId: string = crypto.randomUUID()) =>
    `${server.url}/ws/voice/${connectionId}?${new URLSearchParams(query).toString()}`;
  const connect = (query: Record<string, string> = { api_key: key, config_id: "default" }, connectionId?: string) =>
    new WireClient(urlOf(query, connectionId));
  /** Connects a client and waits until its session is ready. */
  const connectReady = async () => {
    const client = connect();
    client.sendMessage("session_settings", {});
    await client.next("status");
    return client;
  };
  return { server, clock, key, keyId, keyFile, endings, sessions, token, urlOf, connect, connectReady };
}

/** A `ws` client that checks each message against the schema and returns messages in order. */
export class WireClient {
  readonly socket: WebSocket;
  readonly received: ServerMessage[] = [];
  /** Code and reason of the close frame, or 1006 without one. */
  readonly closed: Promise<{ code: number; reason: string }>;
  readonly opened: Promise<void>;
  /** Set when a frame does not match the schema. */
  #fault: unknown;
  #read = 0;
  #wake = () => {};
  #isClosed = false;

  constructor(url: string, options: ClientOptions = {}) {
    this.socket = new WebSocket(url, options);
    onTestFinished(() => this.socket.terminate());
    this.opened = new Promise((resolve, reject) => {
      this.socket.once("open", resolve);
      this.socket.once("error", reject);
    });
    this.opened.catch(() => {});
    this.socket.on("error", () => {});
    this.closed = new Promise((resolve) => {
      this.socket.once("close", (code, reason) => {
        this.#isClosed = true;
        this.#wake();
        resolve({ code, reason: reason.toString() });
      });
    });
    this.socket.on("message", (data: Buffer) => {
      const parsed = serverMessageSchema.safeParse(JSON.parse(data.toString()));
      if (parsed.success) this.received.push(parsed.data);
      else this.#fault = new Error(`${data.toString()} breaks the schema: ${parsed.error.message}`);
      this.#wake();
    });
  }

  /** The next message of this type. Earlier messages of other types are skipped. */
  async next<Type extends ServerMessageType>(type: Type): Promise<Extract<ServerMessage, { type: Type }>> {
    for (;;) {
      if (this.#fault !== undefined) throw this.#fault;
      const message = this.received[this.#read];
      if (message === undefined) {
        if (this.#isClosed) throw new Error(`closed before ${type} came; got ${JSON.stringify(this.received)}`);
        await new Promise<void>((resolve) => {
          this.#wake = resolve;
        });
        continue;
      }
      this.#read += 1;
      if (message.type === type) return message as Extract<ServerMessage, { type: Type }>;
    }
  }

  async nextError(): Promise<{ error_code: string; error_message: string; details: Record<string, unknown> }> {
    return (await this.next("error")).data;
  }

  sendMessage(type: string, data?: unknown): string {
    const message_id = crypto.randomUUID();
    this.send(
      JSON.stringify({ type, timestamp: Date.now() / 1000, message_id, ...(data === undefined ? {} : { data }) }),
    );
    return message_id;
  }

  send(frame: string | Buffer): void {
    void this.opened.then(
      () => this.socket.send(frame),
      () => {},
    );
  }

  /** Resolves when the server has handled all messages sent so far. */
  async settled(): Promise<void> {
    const id = this.sendMessage("keep_alive");
    for (;;) {
      const { data } = await this.next("status");
      if (data.status === "alive" && data.details.reply_to === id) return;
    }
  }
}
