import { authorize, type Authenticator } from "../auth/authenticate.ts";
import type { Limits } from "../config/server-config-schema.ts";
import type { VoiceConfiguration } from "../config/voice-configuration.ts";
import type { OpenSession } from "../conversation/session-interface.ts";
import type { Door, Handshake } from "../doors/door.ts";
import { fatalErrors, isFatalErrorCode, type FatalErrorCode } from "../doors/fatal-errors.ts";
import type { Clock } from "../shared/clock.ts";
import { errorCode, errorMessage, OakError } from "../shared/errors.ts";
import type { Log } from "../shared/log.ts";
import type { CallSocket } from "./call-socket.ts";
import { Connection } from "./connection.ts";
import { KeyQuotas } from "./key-quotas.ts";
import { Outbox } from "./outbox.ts";

const CREDENTIALS_RECHECK_MS = 5_000;

export interface VoiceLookup {
  get(configId: string): VoiceConfiguration | undefined | Promise<VoiceConfiguration | undefined>;
}

export interface AdmissionOptions {
  readonly auth: Authenticator;
  readonly voices: VoiceLookup;
  readonly openSession: OpenSession;
  readonly limits: Limits;
  readonly clock: Clock;
  readonly log: Log;
}

export interface ServerStats {
  readonly connections: number;
  readonly pending: number;
  /** Since the start. */
  readonly accepted: number;
  /** Since the start, by error code. */
  readonly rejected: Readonly<Record<string, number>>;
}

export interface Admission {
  /** False while shutting down, or while too many sockets are being checked. A rejected socket that is still open makes room. */
  makeRoom(): boolean;
  /** Checks a new socket. It becomes a connection, or gets an error message and a close code. */
  admit(socket: CallSocket, door: Door, handshake: Handshake): void;
  stats(): ServerStats;
  /** Accepts no more connections. Open ones may finish their turns. */
  close(): Promise<void>;
}

/** Decides which sockets become connections, and holds those that did. */
export function createAdmission({ auth, voices, openSession, limits, clock, log }: AdmissionOptions): Admission {
  const pending = new Set<CallSocket>();
  /** Rejected sockets that are still open. */
  const turnedAway = new Set<CallSocket>();
  const forget = (socket: CallSocket) => {
    pending.delete(socket);
    turnedAway.delete(socket);
  };
  const connections = new Map<string, Connection>();
  /** Every code begins at 0: a monitor sees no increase in a count that appears with its first event. */
  const rejected: Record<string, number> = Object.fromEntries(fatalErrors.map((code) => [code, 0]));
  const quotas = new KeyQuotas(limits, clock);
  let accepted = 0;
  let isClosing = false;

  const recheck = () => {
    // Scheduled first, so that an exception in a check does not stop the checks.
    cancelRecheck = clock.after(CREDENTIALS_RECHECK_MS, recheck);
    for (const connection of connections.values()) {
      if (auth.isStillValid(connection.identity)) continue;
      connection.fail("CREDENTIALS_REVOKED", "The API key of this connection was revoked.");
    }
  };
  let cancelRecheck = clock.after(CREDENTIALS_RECHECK_MS, recheck);

  /** @throws OakError with a fatal code. */
  const check = async (door: Door, handshake: Handshake) => {
    const request = door.connectRequest(handshake);
    // Credentials are checked first, so that a client without them cannot learn which configurations exist.
    const identity = await auth.authenticate(request.credentials);
    const chosen = identity.configId ?? "default";
    const { configId = chosen, mayFallBack = false } = request;
    const voice = (await voices.get(configId)) ?? (mayFallBack ? await voices.get(chosen) : undefined);
    if (voice === undefined) refuse("CONFIG_NOT_FOUND", "There is no voice configuration with this config_id.");
    authorize(identity, voice, request.projectId);
    return { connectionId: request.connectionId, identity, voice };
  };

  const open = async (socket: CallSocket, door: Door, handshake: Handshake) => {
    const { connectionId, identity, voice } = await check(door, handshake);
    // Synchronous from here on, so that two sockets cannot take the last place or the same id.
    if (socket.readyState !== socket.OPEN) return;
    if (isClosing) refuse("SERVER_SHUTDOWN", "The server is shutting down; connect again.");
    if (connections.has(connectionId)) {
      refuse(
        "CONNECTION_ID_IN_USE",
        "A connection with this connection_id is open; use a fresh UUID for each connection.",
      );
    }
    if (connections.size >= limits.max_connections) refuse("SERVER_BUSY", "All places are taken; try again later.");
    const share = quotas.join(identity);
    pending.delete(socket);
    const connectionLog = log.child({ connection: connectionId });
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
      share,
      voice,
      limits,
      openSession,
      clock,
      log: connectionLog,
    });
    accepted += 1;
    connections.set(connectionId, connection);
    void connection.closed.then(() => {
      connections.delete(connectionId);
      share.release();
    });
    socket.resume();
  };

  const turnAway = (socket: CallSocket, door: Door, error: unknown) => {
    if (pending.has(socket)) turnedAway.add(socket);
    const code = errorCode(error);
    const fatal: FatalErrorCode = isFatalErrorCode(code) ? code : "INTERNAL_ERROR";
    rejected[fatal] = (rejected[fatal] ?? 0) + 1;
    log.info({ code: fatal, cause: causeOf(error) }, "rejected");
    if (fatal === "INTERNAL_ERROR") log.error({ code }, "A connection could not be checked.");
    const message = fatal === code ? errorMessage(error) : "The connection could not be checked; try again later.";
    new Outbox({ socket, door, maxBytes: limits.max_outbound_bytes, onEnd: () => {} }).fail(fatal, message);
  };

  return {
    makeRoom() {
      const [first] = turnedAway;
      if (pending.size >= limits.max_pending_connections && first !== undefined) {
        forget(first);
        first.terminate();
      }
      return !isClosing && pending.size < limits.max_pending_connections;
    },
    admit(socket, door, handshake) {
      pending.add(socket);
      socket.once("close", () => forget(socket));
      // A frame of wrong size or form, or a TCP error. The connection closes with the reason.
      socket.on("error", (error) => log.info({ code: (error as NodeJS.ErrnoException).code }, "socket error"));
      // Data that a client sends before it is accepted waits in its socket.
      socket.pause();
      void open(socket, door, handshake).catch((error: unknown) => turnAway(socket, door, error));
    },
    stats: () => ({ connections: connections.size, pending: pending.size, accepted, rejected: { ...rejected } }),
    async close() {
      isClosing = true;
      cancelRecheck();
      await Promise.all([...connections.values()].map((connection) => connection.shutdown()));
      quotas.close();
      for (const socket of pending) socket.terminate();
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
