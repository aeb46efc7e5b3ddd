import { randomUUID } from "node:crypto";
import type { Identity } from "../../auth/authenticate.ts";
import type { VoiceConfiguration } from "../../config/voice-configuration.ts";
import type { Emit, SessionEvent } from "../../conversation/events.ts";
import type { SessionSnapshot } from "../../conversation/session/session-snapshot.ts";
import type { OpenSession, Restored, VoiceSession } from "../../conversation/session/session-interface.ts";
import { errorCode, stackFrames } from "../../shared/errors.ts";
import type { Log } from "../../shared/log.ts";
import type { Place } from "./call-places.ts";

/** The connection that a session talks through. */
export interface CallLine {
  emit: Emit;
  /** A fault of the program in the session. */
  fault(error: unknown): void;
  /** Another connection takes the session over. Returns the clock time at which the client was last heard from. */
  release(): number;
}

export interface CallSessionOptions {
  readonly connectionId: string;
  readonly identity: Identity;
  readonly voice: VoiceConfiguration;
  readonly place: Place;
  readonly openSession: OpenSession;
  readonly log: Log;
  readonly traceparent?: string;
}

/** The owner of the credentials. Undefined: a token without a subject has none. */
export const ownerOf = ({ method, id }: Identity): string | undefined =>
  id === undefined ? undefined : `${method} ${id}`;

/** A session, which can outlive its connection. Its events go to the connection of the moment, or to none. */
export class CallSession {
  /** Resolves when nothing of the session runs any more. */
  readonly closed: Promise<void>;
  readonly #options: CallSessionOptions;
  #session: VoiceSession | undefined;
  #line: CallLine | undefined;
  #closing: Promise<void> | undefined;
  #resolveClosed!: () => void;
  #isClosed = false;
  #isOver = true;
  #place: Place;
  /** Gets every event, also without a connection. */
  onEvent: (event: SessionEvent) => void = () => {};

  constructor(options: CallSessionOptions) {
    this.#options = options;
    this.#place = options.place;
    this.closed = new Promise((resolve) => (this.#resolveClosed = resolve));
    void this.closed.then(() => {
      this.#isClosed = true;
      if (this.#line === undefined) this.#place.release();
    });
  }

  /** That of its last connection. It is taken until the call and the connection are closed. */
  get place(): Place {
    return this.#place;
  }

  /** The id of its first connection. */
  get connectionId(): string {
    return this.#options.connectionId;
  }

  get identity(): Identity {
    return this.#options.identity;
  }

  get voice(): VoiceConfiguration {
    return this.#options.voice;
  }

  /** False: it has nothing that could be resumed. */
  get canResume(): boolean {
    return this.#session?.ready === true && this.#closing === undefined;
  }

  /** False: it may go on, here or on another box. */
  get isOver(): boolean {
    return this.#isOver;
  }

  /** Opens the session the first time. */
  attach(line: CallLine): VoiceSession {
    this.#line = line;
    this.#session ??= this.#open();
    return this.#session;
  }

  #open(): VoiceSession {
    const { identity, voice, openSession, traceparent } = this.#options;
    const place = () => this.#place;
    return openSession({
      get connectionId() {
        return place().connectionId;
      },
      owner: ownerOf(identity) ?? `${identity.method} ${randomUUID()}`,
      voice,
      ...(traceparent && { traceparent: () => traceparent }),
      emit: (event) => {
        this.onEvent(event);
        this.#line?.emit(event);
      },
      onFault: (error) => this.#fault(error),
    });
  }

  /** Undefined: it has nothing to go on with. */
  snapshot(): SessionSnapshot | undefined {
    return this.canResume ? this.#session?.snapshot() : undefined;
  }

  /** Goes on with a call of another box. @throws what opening a session throws. */
  restore(snapshot: SessionSnapshot, ageMs: number, pieces: number | undefined): Restored {
    this.#session = this.#open();
    this.#session.restore(snapshot, ageMs);
    return this.#session.recover(pieces);
  }

  /** Another box has the call. */
  giveUp(): void {
    const line = this.#line;
    this.#line = undefined;
    line?.release();
    this.#session?.forgetTimers();
    void this.close({ isOver: false });
  }

  /** The connection is closed. */
  leave(line: CallLine): void {
    if (this.#line !== line) return;
    this.#line = undefined;
    if (this.#isClosed) this.#place.release();
  }

  /** The connection is lost. */
  detach(aliveMs: number): void {
    this.#line = undefined;
    this.#session?.detach(aliveMs);
  }

  /** The caller is back. A connection that seems to be open loses the session. */
  recover(place: Place, pieces: number | undefined): Restored | undefined {
    this.#place.leave();
    this.#place = place;
    const aliveMs = this.#line?.release();
    if (aliveMs !== undefined) this.detach(aliveMs);
    return this.#session?.recover(pieces);
  }

  /** Idempotent. `isOver` false: another box may go on with it. */
  close({ isOver = true } = {}): Promise<void> {
    if (this.#closing === undefined) this.#isOver = isOver;
    const close = async () => this.#session?.close();
    this.#closing ??= close()
      .catch((error: unknown) => this.logFault(error))
      .then(this.#resolveClosed);
    return this.#closing;
  }

  /** Logs the code and the place, because a message could quote the caller. */
  logFault(error: unknown): void {
    this.#options.log.error({ code: errorCode(error), stack: stackFrames(error) }, "The session failed.");
  }

  #fault(error: unknown): void {
    if (this.#line !== undefined) return this.#line.fault(error);
    this.logFault(error);
    void this.close();
  }
}
