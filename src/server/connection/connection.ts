import type { Identity } from "../../auth/authenticate.ts";
import type { Limits } from "../../config/server-config-schema.ts";
import type { VoiceConfiguration } from "../../config/voice-configuration.ts";
import type { VoiceSession } from "../../conversation/session/session-interface.ts";
import type { SayWhen } from "../../conversation/reply/reply-requests.ts";
import { CLIENT_LOST } from "../../doors/close-codes.ts";
import type { AssistantParts, Door, DoorConnection, Handshake, Resumption } from "../../doors/door.ts";
import { isFatalErrorCode } from "../../doors/fatal-errors.ts";
import type { Clock } from "../../shared/clock.ts";
import { errorCode, errorMessage } from "../../shared/errors.ts";
import { FaultBoundary } from "../../shared/fault-boundary.ts";
import type { Log } from "../../shared/log.ts";
import type { CallLine, CallSession } from "../calls/call-session.ts";
import type { CallSocket } from "./call-socket.ts";
import { watchLiveness, type Liveness } from "./liveness.ts";
import { Outbox } from "./outbox.ts";
import type { ParkedSessions } from "../calls/parked-sessions.ts";
import { ConnectionLimits, type Breach } from "./connection-limits.ts";

const BYTES_PER_SAMPLE = 2;
/** The connection broke without a close frame. */
const BROKEN = 1006;

export interface ConnectionOptions {
  readonly socket: CallSocket;
  readonly door: Door;
  readonly handshake: Handshake;
  readonly connectionId: string;
  readonly identity: Identity;
  /** A new session, or one that lost its connection. */
  readonly call: CallSession;
  readonly parts?: AssistantParts | undefined;
  readonly resumption: Resumption;
  readonly parked: ParkedSessions;
  readonly limits: Limits;
  readonly clock: Clock;
  readonly log: Log;
}

/** One accepted connection of any protocol, with its limits, its liveness, and its door. The session may outlive it. */
export class Connection {
  readonly identity: Identity;
  /** Resolves when the socket is closed, and nothing of the session runs any more or another connection may get it. */
  readonly closed: Promise<void>;
  readonly #options: ConnectionOptions;
  readonly #outbox: Outbox;
  readonly #liveness: Liveness;
  readonly #limits: ConnectionLimits;
  readonly #openedMs: number;
  /** Callbacks of the connection's timers. */
  readonly #clock: Clock;
  readonly #line: CallLine = {
    emit: () => {},
    fault: (error) => this.#fault(error),
    release: () => this.#release(),
  };
  #live: { readonly call: DoorConnection; readonly session: VoiceSession } | undefined;
  /** The session gets no more frames from it. */
  #isStopped = false;
  /** It stopped answering pings. */
  #isDead = false;
  /** Another connection took its session over. */
  #isReleased = false;

  constructor(options: ConnectionOptions) {
    const { socket, door, limits, clock, log } = options;
    this.#options = options;
    this.identity = options.identity;
    this.#openedMs = clock.nowMs();
    this.#clock = new FaultBoundary((error) => this.#fault(error)).clock(clock);
    this.#limits = new ConnectionLimits(limits, this.#openedMs);
    this.#outbox = new Outbox({ socket, door, maxBytes: limits.max_outbound_bytes, onEnd: () => void this.#stop() });
    this.#liveness = watchLiveness({
      socket,
      clock: this.#clock,
      idleTimeoutMs: limits.idle_timeout_seconds * 1000,
      pingIntervalMs: limits.ping_interval_seconds * 1000,
      isAliveByPong: door.isAliveByPong ?? false,
      onIdle: () =>
        this.#outbox.fail("IDLE_TIMEOUT", `No message for ${limits.idle_timeout_seconds} s; ${door.idleAdvice}.`),
      onDead: () => {
        log.info("The client stopped answering pings.");
        this.#isDead = true;
        socket.terminate();
      },
    });
    this.closed = new Promise((resolve) => {
      socket.once("close", (code) => {
        log.info(
          {
            code: socket.endCode ?? code,
            seconds: (clock.nowMs() - this.#openedMs) / 1000,
            audioSeconds: this.#limits.acceptedSeconds,
          },
          "closed",
        );
        const isLost = socket.endCode === undefined && (code === BROKEN || code === CLIENT_LOST);
        if (isLost && this.#park()) return resolve();
        const over = (): void => {
          this.#guard(() => this.#options.call.leave(this.#line));
          resolve();
        };
        void this.#stop()
          .catch((error: unknown) => this.#options.call.logFault(error))
          .then(over);
      });
    });
    socket.onBreach = (code) => this.#outbox.fail(...this.#limits.breachOf(code));
    socket.on("message", (data: Buffer, isBinary) => this.#guard(() => this.#receive(data, isBinary)));
    for (const frame of ["ping", "pong"])
      socket.on(frame, () => this.#guard(() => this.#allows(this.#limits.takeControlFrame(clock.nowMs()))));
    this.#guard(() => this.#open());
  }

  get voice(): VoiceConfiguration {
    return this.#options.call.voice;
  }

  /** False when too many texts wait. */
  say(text: string, when: SayWhen): boolean {
    return this.#live?.session.say(text, when) ?? false;
  }

  /** Sends the reason and closes. */
  fail(...reason: Parameters<Outbox["fail"]>): void {
    this.#outbox.fail(...reason);
  }

  /** The server stops: a client may move its call to another one. */
  announceDraining(): void {
    this.#guard(() => this.#live?.call.draining?.(this.#options.limits.drain_timeout_seconds));
  }

  /**
   * Waits for the end of the current turn and its reply, or of the call (`limits.drain`), closes the session, sends its last
   * messages, and closes the connection. Each step has a deadline.
   * @param hurried Ends the wait.
   */
  async shutdown(hurried: Promise<void>): Promise<void> {
    const { socket, limits } = this.#options;
    this.announceDraining();
    const quiet = limits.drain === "turns" ? [this.#live?.session.quiet()] : [];
    await this.#within(limits.drain_timeout_seconds, Promise.race([...quiet, this.closed, hurried]));
    await this.#options.parked.handOver(this.#options.call);
    const ended = this.#stop(false).then(() => this.#sayGoodbye());
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
    const { door, connectionId, identity, handshake, parts, resumption, parked, log } = this.#options;
    const { voice } = this;
    const call = door.open({
      connectionId,
      voice,
      parts,
      resumption,
      preset: identity.preset,
      handshake,
      clock: this.#clock,
      log,
      send: (frame) => this.#outbox.send(frame),
      takeAudio: (samples, about) => this.#takeAudio(samples, about),
      permissions: identity.permissions ?? [],
      end: (closeCode, reason) => this.#outbox.end(closeCode, reason),
    });
    this.#line.emit = call.emit.bind(call);
    const session = this.#options.call.attach(this.#line);
    this.#live = { call, session };
    if (resumption.token !== undefined) parked.register(this.#options.call, resumption.token);
    call.opened?.(session);
    if (resumption.restored === undefined) return;
    session.attach();
    this.#askForAnswer();
  }

  /** The pong shows that the client got all before it. */
  #askForAnswer(): void {
    const { socket, parked, call } = this.#options;
    socket.once("pong", () => this.#guard(() => this.#isStopped || parked.answered(call)));
    socket.ping();
  }

  #receive(frame: Buffer, isBinary: boolean): void {
    if (this.#live === undefined || this.#isStopped) return;
    this.#liveness.touch();
    this.#options.parked.confirm(this.#options.call);
    const { call, session } = this.#live;
    if (!this.#allows(this.#limits.takeMessage(frame.length, this.#options.clock.nowMs()))) return;
    if (!this.#options.call.place.share.takeMessage()) {
      const message = "The connections of this key send too many messages; this one was dropped.";
      call.error("KEY_RATE_EXCEEDED", message, { limit: "max_messages_per_second_per_key" });
    } else {
      call.receive(session, frame, isBinary);
    }
  }

  /** A breach ends the connection. */
  #allows(breach: Breach | undefined): boolean {
    if (breach !== undefined) this.#outbox.fail(...breach);
    return breach === undefined;
  }

  #takeAudio(samples: number, about: Readonly<Record<string, unknown>>): boolean {
    const { call, clock } = this.#options;
    if (!call.place.share.takeAudio(BYTES_PER_SAMPLE * samples)) {
      const message = "The connections of this key send too much audio; this chunk was dropped.";
      this.#live?.call.error("KEY_RATE_EXCEEDED", message, { ...about, limit: "max_audio_bytes_per_second_per_key" });
      return false;
    }
    const { verdict, tooFast } = this.#limits.offerAudio(samples, clock.nowMs());
    if (verdict === "drop") this.#live?.call.error("AUDIO_RATE_EXCEEDED", `${tooFast} This chunk was dropped.`, about);
    if (verdict === "close") this.#outbox.fail("AUDIO_RATE_EXCEEDED", tooFast);
    return verdict === "accept";
  }

  /** False after an exception. */
  #guard(work: () => unknown): boolean {
    try {
      work();
      return true;
    } catch (error) {
      this.#fault(error);
      return false;
    }
  }

  /** A fault of the program, also inside the session, ends only this connection. */
  #fault(error: unknown): void {
    this.#options.call.logFault(error);
    const code = errorCode(error);
    if (isFatalErrorCode(code)) this.#outbox.fail(code, errorMessage(error));
    else this.#outbox.fail("INTERNAL_ERROR", "The conversation failed; connect again.");
  }

  /** The connection is lost. False when the session ends with it. */
  #park(): boolean {
    if (this.#isReleased) return true;
    const { call, parked, clock, log } = this.#options;
    if (this.#isStopped || !parked.park(call)) return false;
    return this.#guard(() => {
      call.detach(this.#isDead ? this.#liveness.heardMs : clock.nowMs());
      parked.share(call);
      this.#leave();
      log.info("parked");
    });
  }

  /** Another connection takes the session over. */
  #release(): number {
    this.#isReleased = true;
    this.#leave();
    this.#options.socket.terminate();
    return this.#liveness.heardMs;
  }

  /** Idempotent. */
  async #stop(isOver = true): Promise<void> {
    if (this.#isReleased) return;
    this.#leave();
    return await this.#options.call.close({ isOver });
  }

  #leave(): void {
    this.#isStopped = true;
    this.#liveness.stop();
    this.#guard(() => this.#live?.call.close?.());
  }
}
