import type { Identity } from "../auth/authenticate.ts";
import type { Limits } from "../config/server-config-schema.ts";
import type { VoiceConfiguration } from "../config/voice-configuration.ts";
import type { OpenSession, VoiceSession } from "../conversation/session-interface.ts";
import type { Door, DoorCall, Handshake } from "../doors/door.ts";
import { isFatalErrorCode } from "../doors/fatal-errors.ts";
import type { Clock } from "../shared/clock.ts";
import { errorCode, errorMessage, stackFrames } from "../shared/errors.ts";
import { FaultBoundary } from "../shared/fault-boundary.ts";
import type { Log } from "../shared/log.ts";
import { TokenBucket } from "../shared/token-bucket.ts";
import { AudioIntake, messageBytes } from "./audio-intake.ts";
import type { CallSocket } from "./call-socket.ts";
import type { KeyShare } from "./key-quotas.ts";
import { watchLiveness, type Liveness } from "./liveness.ts";
import { Outbox } from "./outbox.ts";

const BYTES_PER_SAMPLE = 2;
/** A ping or pong counts as this many messages. Six bytes of it take a turn of the event loop, and clients send few. */
const CONTROL_FRAME_COST = 10;

export interface ConnectionOptions {
  readonly socket: CallSocket;
  readonly door: Door;
  readonly handshake: Handshake;
  readonly connectionId: string;
  readonly identity: Identity;
  readonly share: KeyShare;
  readonly voice: VoiceConfiguration;
  readonly limits: Limits;
  readonly openSession: OpenSession;
  readonly clock: Clock;
  readonly log: Log;
}

/** One accepted connection of any protocol, with its limits, its liveness, and the session behind its door. */
export class Connection {
  readonly identity: Identity;
  /** Resolves when the socket is closed and nothing of the session runs any more. */
  readonly closed: Promise<void>;
  readonly #options: ConnectionOptions;
  readonly #outbox: Outbox;
  readonly #liveness: Liveness;
  readonly #messages: TokenBucket;
  readonly #bytes: TokenBucket;
  readonly #audio: AudioIntake;
  readonly #openedMs: number;
  #live: { readonly call: DoorCall; readonly session: VoiceSession } | undefined;
  #sessionClosed: Promise<void> | undefined;

  constructor(options: ConnectionOptions) {
    const { socket, door, limits, clock, log } = options;
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
    this.#outbox = new Outbox({ socket, door, maxBytes: limits.max_outbound_bytes, onEnd: () => void this.#stop() });
    this.#liveness = watchLiveness({
      socket,
      clock: new FaultBoundary((error) => this.#fault(error)).clock(clock),
      idleTimeoutMs: limits.idle_timeout_seconds * 1000,
      pingIntervalMs: limits.ping_interval_seconds * 1000,
      isAliveByPong: door.isAliveByPong ?? false,
      onIdle: () =>
        this.#outbox.fail("IDLE_TIMEOUT", `No message for ${limits.idle_timeout_seconds} s; ${door.idleAdvice}.`),
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

  /** Sends the reason and closes. */
  fail(...reason: Parameters<Outbox["fail"]>): void {
    this.#outbox.fail(...reason);
  }

  /**
   * Waits for the end of the current turn and its reply, closes the session, sends its last messages, and closes the connection.
   * Each step has a deadline.
   */
  async shutdown(): Promise<void> {
    const { socket, limits } = this.#options;
    await this.#within(limits.drain_timeout_seconds, Promise.race([this.#live?.session.quiet(), this.closed]));
    const ended = this.#stop().then(() => this.#sayGoodbye());
    await this.#within(limits.shutdown_timeout_seconds, ended);
    void this.#sayGoodbye();
    socket.terminate();
  }

  #sayGoodbye(): Promise<void> {
    this.#outbox.fail("SERVER_SHUTDOWN", "The server is shutting down; connect again.");
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
    const { door, connectionId, identity, voice, handshake, openSession, clock, log } = this.#options;
    const call = door.open({
      connectionId,
      voice,
      preset: identity.preset,
      handshake,
      clock,
      log,
      send: (frame) => this.#outbox.send(frame),
      takeAudio: (samples, about) => this.#takeAudio(samples, about),
      end: () => this.#outbox.end(),
    });
    const emit = call.emit.bind(call);
    const session = openSession({ connectionId, voice, emit, onFault: (error) => this.#fault(error) });
    this.#live = { call, session };
    call.opened?.(session);
  }

  #receive(frame: Buffer, isBinary: boolean): void {
    if (this.#live === undefined || this.#sessionClosed !== undefined) return;
    this.#liveness.touch();
    const { call, session } = this.#live;
    if (!this.#bytes.take(frame.length, this.#options.clock.nowMs())) {
      this.#outbox.fail(
        "MESSAGE_RATE_EXCEEDED",
        "The messages have more than twice the bytes of base64 audio in real time. Send audio in real time.",
      );
    } else if (!this.#countMessage()) {
      return;
    } else if (!this.#options.share.takeMessage()) {
      const message = "The connections of this key send too many messages; this one was dropped.";
      call.error("KEY_RATE_EXCEEDED", message, { limit: "max_messages_per_second_per_key" });
    } else {
      call.receive(session, frame, isBinary);
    }
  }

  /** False ends the connection. */
  #countMessage(cost = 1): boolean {
    if (this.#messages.take(cost, this.#options.clock.nowMs())) return true;
    const limit = this.#options.limits.max_messages_per_second;
    const advice = "send audio in chunks of 100 to 200 ms";
    this.#outbox.fail("MESSAGE_RATE_EXCEEDED", `More than ${limit} messages, pings and pongs a second; ${advice}.`);
    return false;
  }

  /** `code`: the close code that RFC 6455 has for the breach. */
  #failBreach(code: number): void {
    const most = this.#options.limits.max_message_bytes;
    if (code === 1009) this.#outbox.fail("MESSAGE_TOO_LARGE", `A message may have at most ${most} bytes.`);
    else if (code === 1007) this.#outbox.fail("INVALID_TEXT", "A text message must be UTF-8.");
    else if (code === 1008) this.#outbox.fail("TOO_MANY_FRAGMENTS", "A message has too many fragments; send it whole.");
    else this.#outbox.fail("PROTOCOL_ERROR", "A frame breaks the WebSocket protocol (RFC 6455).");
  }

  #takeAudio(samples: number, about: Readonly<Record<string, unknown>>): boolean {
    const { share, limits, clock } = this.#options;
    if (!share.takeAudio(BYTES_PER_SAMPLE * samples)) {
      const message = "The connections of this key send too much audio; this chunk was dropped.";
      this.#live?.call.error("KEY_RATE_EXCEEDED", message, { ...about, limit: "max_audio_bytes_per_second_per_key" });
      return false;
    }
    const verdict = this.#audio.offer(samples, clock.nowMs());
    const message = `Audio came faster than real time by more than ${limits.audio_burst_seconds} s.`;
    if (verdict === "drop") this.#live?.call.error("AUDIO_RATE_EXCEEDED", `${message} This chunk was dropped.`, about);
    if (verdict === "close") this.#outbox.fail("AUDIO_RATE_EXCEEDED", message);
    return verdict === "accept";
  }

  #guard(work: () => unknown): void {
    try {
      work();
    } catch (error) {
      this.#fault(error);
    }
  }

  /** A fault of the program, also inside the session, ends only this connection. */
  #fault(error: unknown): void {
    this.#logFault(error);
    const code = errorCode(error);
    if (isFatalErrorCode(code)) this.#outbox.fail(code, errorMessage(error));
    else this.#outbox.fail("INTERNAL_ERROR", "The conversation failed; connect again.");
  }

  /** Idempotent. */
  #stop(): Promise<void> {
    this.#liveness.stop();
    this.#live?.call.close?.();
    const close = async () => this.#live?.session.close();
    this.#sessionClosed ??= close().catch((error: unknown) => this.#logFault(error));
    return this.#sessionClosed;
  }

  /** Logs the code and the place, because a message could quote the caller. */
  #logFault(error: unknown): void {
    this.#options.log.error({ code: errorCode(error), stack: stackFrames(error) }, "The session failed.");
  }
}
