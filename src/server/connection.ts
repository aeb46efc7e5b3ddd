import { CALL_HZ } from "../audio/format.ts";
import { FormatSuspect } from "../audio/format-suspect.ts";
import type { Identity } from "../auth/authenticate.ts";
import type { Limits } from "../config/server-config-schema.ts";
import type { VoiceConfiguration } from "../config/voice-configuration.ts";
import type { OpenSession, VoiceSession } from "../conversation/session-interface.ts";
import { misplacedSettings, parseClientMessage, pcmProblem, type AboutChunk } from "../doors/voice/client-messages.ts";
import type { Clock } from "../shared/clock.ts";
import { errorCode, errorMessage, stackFrames } from "../shared/errors.ts";
import { FaultBoundary } from "../shared/fault-boundary.ts";
import type { Log } from "../shared/log.ts";
import { AudioIntake, messageBytes } from "./audio-intake.ts";
import type { CallSocket } from "./call-socket.ts";
import { CLOSE, isFatalErrorCode } from "./codes.ts";
import type { KeyShare } from "./key-quotas.ts";
import { watchLiveness, type Liveness } from "./liveness.ts";
import { TokenBucket } from "./token-bucket.ts";
import { Wire } from "./wire.ts";

/** A ping or pong counts as this many messages. Six bytes of it take a turn of the event loop, and clients send few. */
const CONTROL_FRAME_COST = 10;

export interface ConnectionOptions {
  readonly socket: CallSocket;
  readonly connectionId: string;
  readonly identity: Identity;
  readonly share: KeyShare;
  readonly voice: VoiceConfiguration;
  readonly limits: Limits;
  readonly openSession: OpenSession;
  readonly clock: Clock;
  readonly log: Log;
}

/** One accepted connection's wire side: what comes in is checked and handed to the session, what goes out is bounded. */
export class Connection {
  readonly identity: Identity;
  /** Resolves when the socket is closed and nothing of the session runs any more. */
  readonly closed: Promise<void>;
  readonly #options: ConnectionOptions;
  readonly #wire: Wire;
  readonly #liveness: Liveness;
  readonly #messages: TokenBucket;
  readonly #bytes: TokenBucket;
  readonly #audio: AudioIntake;
  readonly #format = new FormatSuspect();
  readonly #openedMs: number;
  #session: VoiceSession | undefined;
  #sessionClosed: Promise<void> | undefined;

  constructor(options: ConnectionOptions) {
    const { socket, limits, clock, log } = options;
    this.#options = options;
    this.identity = options.identity;
    this.#openedMs = clock.nowMs();
    this.#messages = new TokenBucket(
      2 * limits.max_messages_per_second,
      limits.max_messages_per_second,
      this.#openedMs,
    );
    this.#bytes = messageBytes(limits, this.#openedMs);
    this.#audio = new AudioIntake(limits, this.#openedMs);
    this.#wire = new Wire(socket, limits.max_outbound_bytes, clock, () => void this.#stop());
    this.#liveness = watchLiveness({
      socket,
      clock: new FaultBoundary((error) => this.#fault(error)).clock(clock),
      idleTimeoutMs: limits.idle_timeout_seconds * 1000,
      pingIntervalMs: limits.ping_interval_seconds * 1000,
      onIdle: () =>
        this.#wire.fail("IDLE_TIMEOUT", `No message for ${limits.idle_timeout_seconds} s; send keep_alive while idle.`),
      onDead: () => {
        log.info("The client stopped answering pings.");
        socket.terminate();
      },
    });
    this.closed = new Promise((resolve) => {
      socket.once("close", (code) => {
        log.info(
          {
            code: socket.endCode ?? code,
            seconds: (clock.nowMs() - this.#openedMs) / 1000,
            audioSeconds: this.#audio.acceptedSeconds,
          },
          "closed",
        );
        void this.#stop().then(resolve);
      });
    });
    socket.onBreach = (code) => this.#failBreach(code);
    socket.on("message", (data: Buffer, isBinary) => this.#guard(() => this.#receive(data, isBinary)));
    for (const frame of ["ping", "pong"])
      socket.on(frame, () => this.#guard(() => this.#countMessage(CONTROL_FRAME_COST)));
    this.#guard(() => this.#open());
  }

  /** Says why, and closes. */
  fail(...reason: Parameters<Wire["fail"]>): void {
    this.#wire.fail(...reason);
  }

  /**
   * Lets the turn under way and its reply come to their end, then ends the session, so that its last messages still go
   * out, then closes with 1001. Each limit of time is kept.
   */
  async shutdown(): Promise<void> {
    const { socket, limits } = this.#options;
    await this.#within(limits.drain_timeout_seconds, Promise.race([this.#session?.quiet(), this.closed]));
    const ended = this.#stop().then(() => this.#sayGoodbye());
    await this.#within(limits.shutdown_timeout_seconds, ended);
    void this.#sayGoodbye();
    socket.terminate();
  }

  #sayGoodbye(): Promise<void> {
    this.#wire.fail("SERVER_SHUTDOWN", "The server is shutting down; connect again.");
    return this.closed;
  }

  async #within(seconds: number, work: Promise<void>): Promise<void> {
    let cancel!: () => void;
    const deadline = new Promise<void>((resolve) => {
      cancel = this.#options.clock.after(seconds * 1000, resolve);
    });
    await Promise.race([work, deadline]);
    cancel();
  }

  #open(): void {
    const { connectionId, voice, openSession } = this.#options;
    this.#wire.send("connection_metadata", {
      connection_id: connectionId,
      status: "connected",
      config: { audio_format: "pcm_24khz_16bit_mono", encoding: "linear16", sample_rate: CALL_HZ, channels: 1 },
      project_id: voice.project_id,
      config_id: voice.config_id,
    });
    const onFault = (error: unknown) => this.#fault(error);
    this.#session = openSession({ connectionId, voice, client: this.#wire, onFault });
  }

  #receive(data: Buffer, isBinary: boolean): void {
    if (this.#session === undefined || this.#sessionClosed !== undefined) return;
    this.#liveness.touch();
    const nowMs = this.#options.clock.nowMs();
    if (!this.#bytes.take(data.length, nowMs)) {
      this.#wire.fail("MESSAGE_RATE_EXCEEDED", "More bytes than audio in real time takes, in base64 and twice over.");
    } else if (!this.#countMessage()) {
      return;
    } else if (!this.#options.share.takeMessage()) {
      this.#wire.error(
        "KEY_RATE_EXCEEDED",
        "The connections of this key send too many messages; this one was dropped.",
        {
          limit: "max_messages_per_second_per_key",
        },
      );
    } else if (isBinary) {
      this.#checkFormat(data);
      const problem = pcmProblem(data);
      if (problem === undefined) this.#receiveAudio(this.#session, data, {});
      else this.#wire.error("AUDIO_PROCESSING_FAILED", problem, { byte_length: data.length });
    } else {
      this.#receiveText(this.#session, data.toString());
    }
  }

  /** False ends the connection. */
  #countMessage(cost = 1): boolean {
    if (this.#messages.take(cost, this.#options.clock.nowMs())) return true;
    const limit = this.#options.limits.max_messages_per_second;
    const advice = "send audio in chunks of 100 to 200 ms";
    this.#wire.fail("MESSAGE_RATE_EXCEEDED", `More than ${limit} messages, pings and pongs a second; ${advice}.`);
    return false;
  }

  #failBreach(code: number): void {
    const most = this.#options.limits.max_message_bytes;
    if (code === CLOSE.tooLarge) this.#wire.fail("MESSAGE_TOO_LARGE", `A message may have at most ${most} bytes.`);
    else if (code === CLOSE.invalidText) this.#wire.fail("INVALID_TEXT", "A text message must be UTF-8.");
    else if (code === CLOSE.policy)
      this.#wire.fail("TOO_MANY_FRAGMENTS", "A message has too many fragments; send it whole.");
    else this.#wire.fail("PROTOCOL_ERROR", "A frame breaks the WebSocket protocol (RFC 6455).");
  }

  #receiveText(session: VoiceSession, text: string): void {
    const { ok: message, failure } = parseClientMessage(text);
    const audio = message?.type === "audio_input" ? message.pcm : failure?.audio;
    if (audio !== undefined) this.#checkFormat(audio);
    if (failure !== undefined) {
      this.#wire.error(failure.code, failure.message, failure.details);
      return;
    }
    switch (message.type) {
      case "session_settings":
        if (message.misplaced.length > 0) this.#wire.error(...misplacedSettings(message));
        session.configure(message.patch, message.messageId);
        break;
      case "audio_input":
        this.#receiveAudio(session, message.pcm, message.about);
        break;
      case "keep_alive":
        this.#wire.send("status", { status: "alive", details: { reply_to: message.messageId } });
        break;
    }
  }

  #checkFormat(audio: Buffer): void {
    const suspicion = this.#format.push(audio, this.#options.clock.nowMs());
    if (suspicion === undefined) return;
    const { looksLike, advice } = suspicion;
    this.#wire.error("AUDIO_FORMAT_SUSPECT", `The audio looks like ${looksLike}. ${advice}`, {
      looks_like: looksLike,
      expected: "pcm_24khz_16bit_mono",
    });
  }

  #receiveAudio(session: VoiceSession, pcm: Buffer, details: Partial<AboutChunk>): void {
    if (!session.ready) {
      this.#wire.error("AUDIO_BEFORE_SETTINGS", "Send session_settings first; this audio was dropped.", details);
      return;
    }
    if (!this.#options.share.takeAudio(pcm.length)) {
      this.#wire.error(
        "KEY_RATE_EXCEEDED",
        "The connections of this key send too much audio; this chunk was dropped.",
        {
          ...details,
          limit: "max_audio_bytes_per_second_per_key",
        },
      );
      return;
    }
    const message = `Audio came faster than real time by more than ${this.#options.limits.audio_burst_seconds} s.`;
    switch (this.#audio.offer(pcm.length / 2, this.#options.clock.nowMs())) {
      case "accept":
        session.pushAudio(pcm);
        break;
      case "drop":
        this.#wire.error("AUDIO_RATE_EXCEEDED", `${message} This chunk was dropped.`, details);
        break;
      case "close":
        this.#wire.fail("AUDIO_RATE_EXCEEDED", message);
        break;
    }
  }

  #guard(work: () => unknown): void {
    try {
      work();
    } catch (error) {
      this.#fault(error);
    }
  }

  /** A fault of the program, of the session's too, ends this connection, and only this one. */
  #fault(error: unknown): void {
    this.#logFault(error);
    const code = errorCode(error);
    if (isFatalErrorCode(code)) this.#wire.fail(code, errorMessage(error));
    else this.#wire.fail("INTERNAL_ERROR", "The conversation failed; connect again.");
  }

  /** Idempotent. */
  #stop(): Promise<void> {
    this.#liveness.stop();
    const close = async () => this.#session?.close();
    this.#sessionClosed ??= close().catch((error: unknown) => this.#logFault(error));
    return this.#sessionClosed;
  }

  /** Code and place only: a message could quote the caller. */
  #logFault(error: unknown): void {
    this.#options.log.error({ code: errorCode(error), stack: stackFrames(error) }, "The session failed.");
  }
}
