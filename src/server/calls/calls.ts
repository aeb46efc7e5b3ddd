import type { Identity } from "../../auth/authenticate.ts";
import type { Cluster } from "../../cluster/cluster.ts";
import type { FleetPlaces } from "../../cluster/fleet-places.ts";
import type { Limits } from "../../config/server-config-schema.ts";
import type { VoiceConfiguration } from "../../config/voice-configuration.ts";
import type { OpenSession } from "../../conversation/session/session-interface.ts";
import type { ResumeRequest, Resumption } from "../../doors/door.ts";
import type { Clock } from "../../shared/clock.ts";
import { errorCode } from "../../shared/errors.ts";
import type { Log } from "../../shared/log.ts";
import { CallSession, ownerOf } from "./call-session.ts";
import {
  createResumeToken,
  isResumeToken,
  ParkedSessions,
  RESUME_REFUSALS,
  type Found,
  type ResumeRefusal,
} from "./parked-sessions.ts";
import { Places, type Place } from "./call-places.ts";
import { SharedCalls } from "./snapshot-writer.ts";
import { type Taken, type TakenCall } from "./snapshot-store.ts";

export interface CallsOptions {
  readonly limits: Limits;
  readonly fleet?: FleetPlaces | undefined;
  /** Snapshots of calls, for other boxes. Absent: this box alone. */
  readonly cluster?: Cluster | undefined;
  readonly openSession: OpenSession;
  readonly clock: Clock;
  readonly log: Log;
}

export interface CallRequest {
  readonly connectionId: string;
  readonly identity: Identity;
  readonly voice: VoiceConfiguration;
  readonly canResume: boolean;
  readonly resume: ResumeRequest | undefined;
  /** The client's position in a trace. */
  readonly traceparent?: string;
  readonly log: Log;
  /** False when the socket has closed meanwhile. @throws OakError `SERVER_SHUTDOWN`. */
  mayOpen(): boolean;
}

export interface OpenedCall {
  readonly call: CallSession;
  readonly resumption: Resumption;
}

export type ResumeCounts = Readonly<Record<"resumed" | ResumeRefusal, number>>;

/** The sessions of a server. A new connection gets a new one, or one that lost its connection. */
export class Calls {
  readonly parked: ParkedSessions;
  readonly #options: CallsOptions;
  readonly #places: Places;
  readonly #shared: SharedCalls | undefined;
  readonly #resumes = Object.fromEntries(["resumed", ...RESUME_REFUSALS].map((name) => [name, 0])) as Record<
    keyof ResumeCounts,
    number
  >;

  constructor(options: CallsOptions) {
    this.#options = options;
    this.#places = new Places(options);
    const { cluster, clock, log } = options;
    const { resume_seconds: resumeSeconds } = options.limits;
    if (cluster !== undefined && resumeSeconds > 0)
      this.#shared = new SharedCalls({ cluster, clock, log, resumeSeconds });
    this.parked = new ParkedSessions(resumeSeconds, clock, this.#shared);
  }

  /** Connections that asked to resume a session since the start, by outcome. */
  get resumes(): ResumeCounts {
    return { ...this.#resumes };
  }

  /** Places that a new call cannot have. Sessions without a connection give way. */
  get taken(): number {
    return this.#places.taken - this.parked.size;
  }

  /** Undefined when the socket has closed meanwhile. @throws OakError with a fatal code. */
  async open(request: CallRequest): Promise<OpenedCall | undefined> {
    // Without a token the place is taken before this method returns.
    const taken = request.resume === undefined ? undefined : await this.#takeShared(request);
    if (taken === "taken") callOf(this.#find(request))?.giveUp();
    const remote = typeof taken === "object" ? taken : undefined;
    let opened: OpenedCall | undefined;
    try {
      opened = await this.#open(request, remote, taken === "taken" ? { refusal: "used" } : undefined);
      return opened;
    } finally {
      if (opened === undefined) remote?.putBack();
    }
  }

  async #open(request: CallRequest, remote: TakenCall | undefined, known: Found | undefined) {
    const { resume } = request;
    for (;;) {
      if (known === undefined && resume !== undefined) await this.parked.decided(resume.token);
      const earlier = known === undefined ? callOf(this.#find(request)) : undefined;
      const place = await this.#place(request, earlier, remote?.call.connectionId);
      // Synchronous from here on. The socket, the server or the earlier call may have closed during the wait.
      let mayOpen = false;
      try {
        mayOpen = request.mayOpen();
      } finally {
        if (!mayOpen) giveBack(place, earlier);
      }
      if (!mayOpen) return undefined;
      const found = known ?? this.#find(request);
      const isUndecided = resume !== undefined && this.parked.decided(resume.token) !== undefined;
      if (callOf(found) !== earlier || (known === undefined && isUndecided)) {
        giveBack(place, earlier);
        continue;
      }
      if (found !== undefined && "call" in found) return this.#resume(request, place, found);
      const isUsed = found?.refusal === "used";
      return remote === undefined || isUsed
        ? this.#begin(request, place, found)
        : this.#restore(request, place, remote);
    }
  }

  /** Takes the call out of the store, also when it waits on this box: another box may have it. */
  async #takeShared(request: CallRequest): Promise<Taken> {
    const { resume, identity, voice, canResume } = request;
    const owner = ownerOf(identity);
    if (this.#shared === undefined || !canResume || resume === undefined || owner === undefined) return undefined;
    if (!isResumeToken(resume.token)) return undefined;
    const isUnknown = () => {
      const found = this.#find(request);
      return found !== undefined && "refusal" in found && found.refusal === "unknown";
    };
    return await this.#shared.take(resume.token, owner, voice, () => isUnknown() && request.mayOpen());
  }

  async close(): Promise<void> {
    await this.parked.close();
    await this.#shared?.close();
    this.#places.close();
  }

  #find({ resume, identity, voice, canResume }: CallRequest): Found | undefined {
    return canResume && resume !== undefined
      ? this.parked.find(resume.token, ownerOf(identity), voice.config_id)
      : undefined;
  }

  /** Sessions without a connection give way to new ones: the oldest of all, or of the key. */
  async #place(
    { connectionId, identity }: CallRequest,
    earlier: CallSession | undefined,
    replaces: string | undefined,
  ): Promise<Place> {
    for (;;) {
      let place: Place | undefined;
      try {
        place =
          earlier === undefined
            ? this.#places.take(connectionId, identity, replaces)
            : this.#places.continue(connectionId, earlier.place);
        if (this.#options.fleet !== undefined) await place.confirm();
        return place;
      } catch (error) {
        if (place !== undefined) giveBack(place, earlier);
        const code = errorCode(error);
        const isFull = code === "SERVER_BUSY" || code === "KEY_CONNECTIONS_EXCEEDED";
        const owner = code === "SERVER_BUSY" ? undefined : ownerOf(identity);
        if (!isFull || !(await this.parked.evict(owner))) throw error;
      }
    }
  }

  #begin(
    { connectionId, identity, voice, canResume, log, traceparent }: CallRequest,
    place: Place,
    found: Found | undefined,
  ) {
    const { openSession } = this.#options;
    const call = new CallSession({
      connectionId,
      identity,
      voice,
      place,
      openSession,
      log,
      ...(traceparent && { traceparent }),
    });
    const refusal = found !== undefined && "refusal" in found ? found.refusal : undefined;
    if (refusal !== undefined) {
      this.#resumes[refusal] += 1;
      log.info({ reason: refusal }, "not resumed");
    }
    const token = canResume && ownerOf(identity) !== undefined ? this.#token() : {};
    // Credentials of another owner learn nothing about a token.
    const reason = refusal === "other_owner" ? "unknown" : refusal;
    return { call, resumption: { ...token, ...(reason === undefined ? {} : { refusal: reason }) } };
  }

  #resume({ resume, log }: CallRequest, place: Place, { call, nothingArrived }: FoundCall): OpenedCall {
    this.parked.redeem(call, resume?.token ?? "");
    try {
      const restored = call.recover(place, nothingArrived ? 0 : resume?.pieces);
      this.#resumes.resumed += 1;
      log.info({ of: call.connectionId }, "resumed");
      return { call, resumption: { ...this.#token(), restored } };
    } catch (error) {
      void call.close();
      throw error;
    }
  }

  /** Goes on with a call of another box. */
  #restore(request: CallRequest, place: Place, { call: shared, ageMs }: TakenCall): OpenedCall {
    const { openSession } = this.#options;
    const { connectionId: of, session, nothingArrived = false } = shared;
    const call = new CallSession({ ...request, place, openSession });
    try {
      const restored = call.restore(session, ageMs, nothingArrived ? 0 : request.resume?.pieces);
      this.parked.redeem(call, request.resume?.token ?? "");
      this.#resumes.resumed += 1;
      request.log.info({ of }, "resumed from another box");
      return { call, resumption: { ...this.#token(), restored } };
    } catch (error) {
      void call.close();
      throw error;
    }
  }

  #token(): Resumption {
    const { resume_seconds: seconds } = this.#options.limits;
    return seconds === 0 ? {} : { token: createResumeToken(), seconds };
  }
}

type FoundCall = Extract<Found, { readonly call: CallSession }>;

const callOf = (found: Found | undefined): CallSession | undefined =>
  found !== undefined && "call" in found ? found.call : undefined;

/** The share of an earlier call stays with that call. */
const giveBack = (place: Place, earlier: CallSession | undefined): void =>
  earlier === undefined ? place.release() : place.leave();
