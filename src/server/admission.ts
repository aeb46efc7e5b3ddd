import { formatTraceParent, parseTraceParent } from "../shared/traceparent.ts";
import { authorize, type Authenticator } from "../auth/authenticate.ts";
import { unknownConfiguration } from "../auth/offered-configurations.ts";
import type { Cluster } from "../cluster/cluster.ts";
import type { FleetPlaces } from "../cluster/fleet-places.ts";
import type { Limits } from "../config/server-config-schema.ts";
import type { VoiceConfiguration } from "../config/voice-configuration.ts";
import type { OpenSession } from "../conversation/session/session-interface.ts";
import type { AssistantParts, Door, Handshake } from "../doors/door.ts";
import { fatalErrors, isFatalErrorCode, type FatalErrorCode } from "../doors/fatal-errors.ts";
import type { Clock } from "../shared/clock.ts";
import { errorCode, errorMessage, OakError } from "../shared/errors.ts";
import type { Log } from "../shared/log.ts";
import type { CallSocket } from "./connection/call-socket.ts";
import { Calls, type ResumeCounts } from "./calls/calls.ts";
import { Connection } from "./connection/connection.ts";
import { Outbox } from "./connection/outbox.ts";
import type { OpenCall } from "./http/calls-endpoint.ts";

const CREDENTIALS_RECHECK_MS = 5_000;

export interface VoiceLookup {
  get(configId: string): VoiceConfiguration | undefined | Promise<VoiceConfiguration | undefined>;
  list(): readonly VoiceConfiguration[];
}

export interface AdmissionOptions {
  readonly auth: Authenticator;
  readonly voices: VoiceLookup;
  readonly openSession: OpenSession;
  /** Names the parts of an open call. Absent: no client learns them. */
  readonly describe?: ((voice: VoiceConfiguration) => AssistantParts) | undefined;
  readonly limits: Limits;
  /** Ids and places over all boxes. Absent: this box alone. */
  readonly fleet?: FleetPlaces | undefined;
  /** Snapshots of calls, for other boxes. Absent: this box alone. */
  readonly cluster?: Cluster | undefined;
  readonly clock: Clock;
  readonly log: Log;
}

export interface ServerStats {
  readonly connections: number;
  /** Sessions that wait for callers who lost their connections. */
  readonly parked: number;
  readonly resumes: ResumeCounts;
  readonly pending: number;
  /** Places of `max_connections` that a new call cannot have. More than the connections while other boxes are asked about new ones. */
  readonly taken: number;
  readonly isDraining: boolean;
  /** Since the start. */
  readonly accepted: number;
  /** Since the start, by error code. */
  readonly rejected: Readonly<Record<string, number>>;
}

export interface Admission {
  /**
   * False while shutting down, or while too many sockets are being checked. A rejected socket that is still open makes room. With
   * `refuse_before_upgrade`, also while all places are taken or may be taken by sockets that are being checked, except for
   * a caller who comes back: their place is taken already.
   */
  makeRoom(door: Door, handshake: Handshake): boolean;
  /** Checks a new socket. It becomes a connection, or gets an error message and a close code. */
  admit(socket: CallSocket, door: Door, handshake: Handshake): void;
  stats(): ServerStats;
  find(connectionId: string): OpenCall | undefined;
  /** Accepts no more connections. Open ones may finish their turns, or their calls (`limits.drain`). */
  close(): Promise<void>;
  /** Makes `close` wait no longer. False when no call is open, or when it was called before. */
  hurry(): boolean;
}

/** Decides which sockets become connections, and holds those that did. */
export function createAdmission(options: AdmissionOptions): Admission {
  const { auth, voices, limits, clock, log } = options;
  const pending = new Set<CallSocket>();
  /** Rejected sockets that are still open. */
  const turnedAway = new Set<CallSocket>();
  /** Sockets that may take a place. */
  const checking = new Set<CallSocket>();
  const forget = (socket: CallSocket) => {
    checking.delete(socket);
    pending.delete(socket);
    turnedAway.delete(socket);
  };
  const connections = new Map<string, Connection>();
  /** Every code begins at 0: a monitor sees no increase in a count that appears with its first event. */
  const rejected: Record<string, number> = Object.fromEntries(fatalErrors.map((code) => [code, 0]));
  const calls = new Calls(options);
  const { parked } = calls;
  let accepted = 0;
  let isClosing = false;
  let isHurried = false;
  let resolveHurried!: () => void;
  const hurried = new Promise<void>((resolve) => (resolveHurried = resolve));

  const recheck = () => {
    // Scheduled first, so that an exception in a check does not stop the checks.
    cancelRecheck = clock.after(CREDENTIALS_RECHECK_MS, recheck);
    for (const connection of connections.values()) {
      if (auth.isStillValid(connection.identity)) continue;
      connection.fail("CREDENTIALS_REVOKED", "The API key of this connection was revoked.");
    }
    for (const call of parked.calls) if (!auth.isStillValid(call.identity)) void call.close();
  };
  let cancelRecheck = clock.after(CREDENTIALS_RECHECK_MS, recheck);

  /** @throws OakError with a fatal code. */
  const check = async (door: Door, handshake: Handshake) => {
    const request = door.connectRequest(handshake);
    // Credentials are checked first, so that a client without them cannot learn which configurations exist.
    const identity = await auth.authenticate(request.credentials);
    if (identity.preset !== undefined && door.takesPreset !== true)
      refuse("INVALID_API_KEY", "A client secret opens /v1/realtime only, because its session acts there.");
    const chosen = identity.configId ?? "default";
    const { configId = chosen, mayFallBack = false } = request;
    const voice = (await voices.get(configId)) ?? (mayFallBack ? await voices.get(chosen) : undefined);
    if (voice === undefined) throw unknownConfiguration(configId, identity, voices.list());
    authorize(identity, voice, request.projectId);
    const traceparent = parseTraceParent(handshake.headers["traceparent"]?.toString());
    const traced = traceparent && { traceparent: formatTraceParent(traceparent) };
    return { connectionId: request.connectionId, identity, voice, resume: request.resume, ...traced };
  };

  const refuseWhileClosing = () => {
    if (isClosing) refuse("SERVER_SHUTDOWN", "The server is shutting down; connect again.");
  };

  const open = async (socket: CallSocket, door: Door, handshake: Handshake) => {
    const request = await check(door, handshake);
    const { connectionId, identity, voice } = request;
    const mayOpen = () => {
      refuseWhileClosing();
      return socket.readyState === socket.OPEN;
    };
    if (!mayOpen()) return;
    const connectionLog = log.child({ connection: connectionId });
    const canResume = door.canResume ?? false;
    const opening = calls.open({ ...request, canResume, mayOpen, log: connectionLog });
    // It has a place now, or was refused.
    checking.delete(socket);
    const opened = await opening;
    if (opened === undefined) return;
    pending.delete(socket);
    connectionLog.info(
      { config: voice.config_id, project: voice.project_id, method: identity.method, by: identity.id },
      "accepted",
    );
    const connection = new Connection({
      socket,
      door,
      handshake,
      connectionId,
      identity,
      ...opened,
      parts: options.describe?.(opened.call.voice),
      parked,
      limits,
      clock,
      log: connectionLog,
    });
    accepted += 1;
    connections.set(connectionId, connection);
    void connection.closed.then(() => {
      if (connections.get(connectionId) === connection) connections.delete(connectionId);
    });
    socket.resume();
  };

  const countRejected = (code: FatalErrorCode) => {
    rejected[code] = (rejected[code] ?? 0) + 1;
  };

  const turnAway = (socket: CallSocket, door: Door, error: unknown) => {
    checking.delete(socket);
    if (pending.has(socket)) turnedAway.add(socket);
    const code = errorCode(error);
    const fatal: FatalErrorCode = isFatalErrorCode(code) ? code : "INTERNAL_ERROR";
    countRejected(fatal);
    log.info({ code: fatal, cause: causeOf(error) }, "rejected");
    if (fatal === "INTERNAL_ERROR") log.error({ code }, "A connection could not be checked.");
    const message = fatal === code ? errorMessage(error) : "The connection could not be checked; try again later.";
    new Outbox({ socket, door, maxBytes: limits.max_outbound_bytes, onEnd: () => {} }).fail(fatal, message);
  };

  /** The token is one of this server's calls. Nothing else is checked yet. */
  const comesBack = (door: Door, handshake: Handshake): boolean => {
    try {
      const { resume } = door.connectRequest(handshake);
      return resume !== undefined && parked.knows(resume.token);
    } catch {
      // The request is refused after the upgrade, with the reason.
      return false;
    }
  };

  return {
    makeRoom(door, handshake) {
      const [first] = turnedAway;
      if (pending.size >= limits.max_pending_connections && first !== undefined) {
        forget(first);
        first.terminate();
      }
      const isFull = calls.taken + checking.size >= limits.max_connections;
      if (limits.refuse_before_upgrade && isFull && !comesBack(door, handshake)) {
        countRejected("SERVER_BUSY");
        return false;
      }
      return !isClosing && pending.size < limits.max_pending_connections;
    },
    admit(socket, door, handshake) {
      pending.add(socket);
      checking.add(socket);
      socket.once("close", () => forget(socket));
      // A frame of wrong size or form, or a TCP error. The connection closes with the reason.
      socket.on("error", (error) => log.info({ code: (error as NodeJS.ErrnoException).code }, "socket error"));
      // Data that a client sends before it is accepted waits in its socket.
      socket.pause();
      void open(socket, door, handshake).catch((error: unknown) => turnAway(socket, door, error));
    },
    stats: () => ({
      connections: connections.size,
      parked: parked.size,
      resumes: calls.resumes,
      pending: pending.size,
      taken: calls.taken,
      isDraining: isClosing,
      accepted,
      rejected: { ...rejected },
    }),
    find: (connectionId) => connections.get(connectionId),
    async close() {
      isClosing = true;
      await Promise.all([...connections.values()].map((connection) => connection.shutdown(hurried)));
      cancelRecheck();
      await calls.close();
      for (const socket of pending) socket.terminate();
    },
    hurry() {
      const isFirst = !isHurried && connections.size > 0;
      isHurried = true;
      resolveHurried();
      return isFirst;
    },
  };
}

/** The reason, such as the failed check of a token. Only its code or kind, because a message may quote the request. */
function causeOf(error: unknown): string | undefined {
  const cause = error instanceof Error ? error.cause : undefined;
  if (!(cause instanceof Error)) return undefined;
  return "code" in cause && typeof cause.code === "string" ? cause.code : cause.name;
}

function refuse(code: FatalErrorCode, message: string): never {
  throw new OakError(message, { code });
}
