import { deepMerge } from "../shared/deep-merge.ts";
import type { ResumedState, ServerData, ServerMessage, ServerMessageType } from "../doors/voice/server-messages.ts";
import type { SessionSettingsInput } from "../config/settings/settings-schema.ts";
import { systemClock, type Clock } from "../shared/clock.ts";
import { backOffMs, DEFAULT_BACK_OFF, type BackOff } from "../shared/back-off.ts";
import { fromBase64, uuid } from "./bytes.ts";
import { ToolResults } from "./tool-results.ts";
import { Emitter } from "./emitter.ts";
import { CallError, LostError, ProtocolError, RefusedError, VoiceError } from "./errors.ts";
import { MessageStream } from "./message-stream.ts";
import { COMES_BACK, ResumePoint } from "./resume-point.ts";
import { platformSocket, type OpenSocket, type SocketLike } from "./socket.ts";

/** Audio that may wait in the socket: 5 s. Older audio is useless to a conversation. */
const MAX_WAITING_BYTES = 240_000;
/** As many as the server keeps. */
const MAX_WAITING_TEXTS = 8;
/** After a connection of this length, the next reconnection starts with the shortest wait again. */
const GOOD_AFTER_MS = 10_000;

export interface VoiceClientOptions {
  /** Makes the address for a connection id. Each connection has a new id. See `voiceAddress`. */
  readonly address: (connectionId: string) => string;
  /** Sent at the beginning of each connection. */
  readonly settings?: SessionSettingsInput;
  /** Back-off for reconnecting after a loss, to go on with the conversation or to begin another one. The client must have been ready once. false: the client ends instead. */
  readonly reconnect?: Partial<BackOff> | false;
  /** Interval of `keep_alive`. If nothing arrives before the next one is due, the connection is lost. 0: never sent. */
  readonly keepAliveMs?: number;
  readonly openSocket?: OpenSocket;
  /** Parses one text frame. The default trusts the server; `onNode()` checks every message against its schema. */
  readonly parse?: (text: string) => ServerMessage;
  readonly clock?: Clock;
  /** In [0, 1). */
  readonly random?: () => number;
}

/** Close codes of a call that the assistant ended or transferred. */
const ENDED_BY_ASSISTANT: ReadonlySet<number> = new Set([4200, 4302]);

/** `connected`: the server accepted the connection. `ready`: it accepts audio. `waiting`: before the next attempt. */
export type ClientState = "idle" | "connecting" | "connected" | "ready" | "waiting" | "closed";

/** Payloads by message type, and the client's own events. */
export type VoiceEvents = { readonly [Type in Exclude<ServerMessageType, "error">]: ServerData[Type] } & {
  /** A message of type `error`. */
  readonly error: CallError;
  /** Every whole message, in order. */
  readonly message: ServerMessage;
  /** The audio of a `tts_chunk`: PCM 16-bit little-endian mono 24 kHz. */
  readonly speech: Uint8Array;
  readonly state: ClientState;
  /** A lost conversation goes on. Without this event after a `retry`, a new one begins. */
  readonly resumed: ResumedState;
  readonly retry: { readonly attempt: number; readonly delayMs: number; readonly error: VoiceError };
  /** The end of the client, once. Undefined after `close()`, and when the assistant ended or transferred the call. */
  readonly closed: VoiceError | undefined;
};

type MessageOf<Type extends ServerMessageType> = Extract<ServerMessage, { type: Type }>;

/** A client of the native interface for browsers and Node. Attach listeners, then call `connect`. */
export class VoiceClient extends Emitter<VoiceEvents> {
  readonly #options: VoiceClientOptions;
  readonly #backOff: BackOff | undefined;
  readonly #clock: Clock;
  readonly #streams = new Set<MessageStream<ServerMessage>>();
  /** Settings at the beginning of each connection: the first ones and all accepted changes. */
  #settings: SessionSettingsInput;
  /** Unanswered changes by message id, in order. They stay separate messages, so that a refusal affects only one of them. */
  readonly #changes = new Map<string, SessionSettingsInput>();
  /** Texts to say that wait for a connection. */
  readonly #texts: { readonly text: string; readonly when: "next" | "now" }[] = [];
  readonly #resumePoint = new ResumePoint();
  readonly #results = new ToolResults();
  #state: ClientState = "idle";
  #connectionId: string | undefined;
  #socket: SocketLike | undefined;
  #lastError: CallError | undefined;
  #attempt = 0;
  #wasReady = false;
  /** Time at which the current connection became ready. */
  #readyAtMs = Infinity;
  #isAnswered = true;
  #cancelTimer = (): void => undefined;
  #settle: { readonly resolve: () => void; readonly reject: (error: unknown) => void } | undefined;

  constructor(options: VoiceClientOptions) {
    super();
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
    this.#settings = options.settings ?? {};
    this.#backOff = options.reconnect === false ? undefined : { ...DEFAULT_BACK_OFF, ...options.reconnect };
  }

  get state(): ClientState {
    return this.#state;
  }

  /** Id of the current connection, or of the last one. */
  get connectionId(): string | undefined {
    return this.#connectionId;
  }

  /** Resolves when the session is ready for audio. A failed first connection is not retried: rejects with a VoiceError. */
  connect(): Promise<void> {
    if (this.#state !== "idle") throw new TypeError("A VoiceClient connects only once: create a new one.");
    return new Promise((resolve, reject) => {
      this.#settle = { resolve, reject };
      this.#open();
    });
  }

  /** Changes settings now and for later connections. The server answers with `status` or `error`. */
  configure(patch: SessionSettingsInput): void {
    const isFirst = this.#state === "idle" || (this.#state === "connecting" && !this.#wasReady);
    if (isFirst) this.#settings = deepMerge(this.#settings, patch);
    else this.#changes.set(this.#canSend ? this.#send("session_settings", patch) : uuid(), patch);
  }

  /** Sends PCM, 16-bit little-endian mono 24 kHz, in real time. False: dropped, because there is no session or 5 s already wait. */
  sendAudio(pcm: Uint8Array): boolean {
    if (this.#socket === undefined || this.#state !== "ready") return false;
    if (this.#socket.bufferedAmount > MAX_WAITING_BYTES) return false;
    this.#socket.send(pcm);
    return true;
  }

  /** The server answers with `status` `alive`. The client calls this every `keepAliveMs`. */
  keepAlive(): void {
    if (this.#state === "ready") this.#send("keep_alive");
  }

  /** The result of a `tool_call` that the client carries out. Without a connection it is sent when the conversation goes on. */
  giveToolResult(callId: string, output: string, isError = false): void {
    this.#results.give(callId, { output, isError });
    // The server asks again when the conversation goes on.
    if (this.#canSend) this.#sendResult(callId, output, isError);
  }

  #sendResult(callId: string, output: string, isError: boolean): void {
    this.#send("tool_result", { call_id: callId, output, is_error: isError });
  }

  /**
   * Has the assistant say a text when the caller is silent. The key needs the permission "say". Without a connection it is sent at the
   * beginning of the next one. False: dropped, because eight texts wait for a connection, or the client has ended.
   */
  say(text: string, when: "next" | "now" = "next"): boolean {
    if (this.#canSend) this.#send("say", { text, when });
    else if (this.#state === "closed" || this.#texts.length >= MAX_WAITING_TEXTS) return false;
    else this.#texts.push({ text, when });
    return true;
  }

  /** Words that the caller types. They interrupt the reply and are answered. False: dropped, because there is no session. */
  typeText(text: string): boolean {
    if (this.#state !== "ready") return false;
    this.#send("text_input", { text });
    return true;
  }

  /** A socket that is still connecting would throw. */
  get #canSend(): boolean {
    return this.#state === "connected" || this.#state === "ready";
  }

  /** Messages of the given types, or of all types, from now on. Ends with the client, and throws the client's error. */
  messages<Type extends ServerMessageType>(...types: Type[]): AsyncIterableIterator<MessageOf<Type>> {
    const stream = new MessageStream<MessageOf<Type>>(() => {
      leave();
      this.#streams.delete(stream);
    });
    const leave = this.on("message", (message) => {
      if (types.length === 0 || types.includes(message.type as Type)) stream.push(message as MessageOf<Type>);
    });
    this.#streams.add(stream);
    if (this.#state === "closed") stream.end(undefined);
    return stream;
  }

  /** While `waiting`: reconnects at once, for example when the network is back. */
  retryNow(): void {
    if (this.#state !== "waiting") return;
    this.#cancelTimer();
    this.#open();
  }

  close(): void {
    this.#finish(undefined);
  }

  #open(): void {
    this.#enter("connecting");
    this.#connectionId = uuid();
    this.#lastError = undefined;
    let socket: SocketLike;
    try {
      socket = (this.#options.openSocket ?? platformSocket)(
        this.#resumePoint.addTo(this.#options.address(this.#connectionId)),
      );
    } catch (cause) {
      return this.#finish(new VoiceError("BAD_ADDRESS", String(cause), false, cause));
    }
    this.#socket = socket;
    this.#isAnswered = false;
    this.#watch();
    let trouble = "The connection broke.";
    // Ignore events from sockets that were given up.
    const ifCurrent =
      <Event>(handle: (event: Event) => void) =>
      (event: Event) => {
        if (this.#socket === socket) handle(event);
      };
    socket.addEventListener(
      "message",
      ifCurrent(({ data }: { data: unknown }) => {
        if (typeof data === "string") this.#receive(data);
      }),
    );
    socket.addEventListener("error", ({ message }: { readonly message?: string }) => {
      if (message !== undefined && message !== "") trouble = message;
    });
    socket.addEventListener(
      "close",
      ifCurrent(({ code, reason }: { readonly code: number; readonly reason: string }) => {
        if (ENDED_BY_ASSISTANT.has(code)) return this.#finish(undefined);
        const last = this.#lastError;
        const said = last !== undefined && last.code === reason ? last.message : reason;
        this.#lost(reason === "" ? new LostError(trouble, code) : new RefusedError(reason, said, code));
      }),
    );
  }

  #receive(text: string): void {
    this.#isAnswered = true;
    let message: ServerMessage;
    try {
      message = (this.#options.parse ?? trusting)(text);
    } catch (cause) {
      return this.#lost(new ProtocolError(cause));
    }
    if (message.type === "connection_metadata") {
      this.#begin(message.data);
    } else if (message.type === "status" && message.data.status === "ready" && this.#state === "connected") {
      this.#wasReady = true;
      this.#readyAtMs = this.#clock.nowMs();
      this.#enter("ready");
      this.#settle?.resolve();
    } else if (message.type === "status" && message.data.status === "ready") {
      this.#keepOldestChange();
    }
    if (message.type === "tts_chunk") this.#resumePoint.heard();
    this.emit("message", message);
    this.#emitPayload(message);
  }

  /** A resumed conversation has its settings. */
  #begin({ resume_token, resumed = false }: ServerData["connection_metadata"]): void {
    this.#resumePoint.begin(resume_token);
    if (resumed === false) {
      this.#results.clear();
      this.#send("session_settings", this.#settings);
    }
    this.#sendChanges();
    for (const said of this.#texts.splice(0)) this.#send("say", said);
    this.#enter("connected");
    if (resumed !== false) this.emit("resumed", resumed);
  }

  #sendChanges(): void {
    const changes = [...this.#changes.values()];
    this.#changes.clear();
    for (const patch of changes) this.#changes.set(this.#send("session_settings", patch), patch);
  }

  #keepOldestChange(): void {
    const [oldest] = this.#changes;
    if (oldest === undefined) return;
    this.#changes.delete(oldest[0]);
    this.#settings = deepMerge(this.#settings, oldest[1]);
  }

  #emitPayload(message: ServerMessage): void {
    if (message.type === "error") {
      const { error_code, error_message, details } = message.data;
      this.#lastError = new CallError(error_code, error_message, details);
      const isWrong = error_code === "INVALID_SETTINGS";
      const wasChange = isWrong && this.#changes.delete(String(details["reply_to"]));
      this.emit("error", this.#lastError);
      // The first settings were refused, so the session will never become ready.
      if (isWrong && !wasChange && this.#state === "connected") this.#finish(this.#lastError);
    } else if (message.type === "tts_chunk" || message.type === "tts_interruption") {
      this.emit(message.type, message);
      if (message.type === "tts_chunk") this.emit("speech", fromBase64(message.content));
    } else if (message.type === "tool_call" && message.data.run_by === "client") {
      this.#emitCall(message.data);
    } else {
      this.emit(message.type, message.data);
    }
  }

  /** The app gets each call once. */
  #emitCall(call: ServerData["tool_call"]): void {
    const known = this.#results.ask(call.call_id);
    if (known === "new") this.emit("tool_call", call);
    else if (known !== "running") this.#sendResult(call.call_id, known.output, known.isError);
  }

  /** Sends keep_alive. Without any message since the last one the connection counts as lost. */
  #watch(): void {
    const { keepAliveMs = 15_000 } = this.#options;
    if (keepAliveMs === 0) return;
    this.#cancelTimer = this.#clock.after(keepAliveMs, () => {
      if (!this.#isAnswered) return this.#lost(new LostError("The server stopped answering.", 1006));
      this.#isAnswered = false;
      this.keepAlive();
      this.#watch();
    });
  }

  #lost(error: VoiceError): void {
    const comesBack = this.#wasReady && this.#backOff !== undefined && error.canRetry;
    this.#drop(comesBack ? COMES_BACK : 1000);
    if (!this.#wasReady || this.#backOff === undefined || !error.canRetry) return this.#finish(error);
    if (this.#clock.nowMs() - this.#readyAtMs >= GOOD_AFTER_MS) this.#attempt = 0;
    this.#readyAtMs = Infinity;
    if (this.#attempt >= this.#backOff.attempts) return this.#finish(error);
    const attempt = this.#attempt++;
    const delayMs = backOffMs(this.#backOff, attempt, (this.#options.random ?? Math.random)());
    this.#enter("waiting");
    this.#cancelTimer = this.#clock.after(delayMs, () => this.#open());
    this.emit("retry", { attempt: attempt + 1, delayMs, error });
  }

  #finish(error: VoiceError | undefined): void {
    if (this.#state === "closed") return;
    this.#drop();
    this.#enter("closed");
    this.#settle?.reject(error ?? new VoiceError("CLOSED", "The client was closed before it was ready.", false));
    this.emit("closed", error);
    for (const stream of this.#streams) stream.end(error);
  }

  #drop(code = 1000): void {
    this.#cancelTimer();
    const socket = this.#socket;
    this.#socket = undefined;
    socket?.close(code);
  }

  #enter(state: ClientState): void {
    this.#state = state;
    this.emit("state", state);
  }

  /** @returns The message's id. */
  #send(type: string, data?: unknown): string {
    const envelope = { type, timestamp: Date.now() / 1000, message_id: uuid() };
    this.#socket?.send(JSON.stringify(data === undefined ? envelope : { ...envelope, data }));
    return envelope.message_id;
  }
}

function trusting(text: string): ServerMessage {
  const message = JSON.parse(text) as ServerMessage | null;
  if (typeof message !== "object" || typeof message?.type !== "string") throw new TypeError("not a message");
  return message;
}
