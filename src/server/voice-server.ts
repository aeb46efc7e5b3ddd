import { createServer as createHttpServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { createServer as createHttpsServer, type Server as HttpsServer } from "node:https";
import type { AddressInfo } from "node:net";
import { WebSocketServer } from "ws";
import type { Cluster } from "../cluster/cluster.ts";
import type { FleetPlaces } from "../cluster/fleet-places.ts";
import type { Authenticator } from "../auth/authenticate.ts";
import type { ServerConfig } from "../config/server-config.ts";
import type { OpenSession } from "../conversation/session/session-interface.ts";
import type { Door } from "../doors/door.ts";
import { systemClock, type Clock } from "../shared/clock.ts";
import { errorMessage } from "../shared/errors.ts";
import type { Log } from "../shared/log.ts";
import { createAdmission, type AdmissionOptions, type ServerStats, type VoiceLookup } from "./admission.ts";
import { CallSocket } from "./connection/call-socket.ts";
import { EndedSockets } from "./http/ended-sockets.ts";
import { guardHttp, refuseUpgrade } from "./http/http-front.ts";
import { listen, listenOnPassed } from "./http/listen.ts";
import { Lobby } from "./http/lobby.ts";
import type { OpenCall } from "./http/calls-endpoint.ts";
import { chooseSubprotocol } from "./http/subprotocol.ts";
import { readTlsFiles, warnOfItsDates, type TlsFiles } from "./http/tls-files.ts";
import { Turnstile } from "./http/turnstile.ts";

/** For the page, health checks and metrics, beside the sockets that are to become calls. */
const HTTP_PLACES = 16;
/** A handshake that is refused takes about 0.4 ms of the event loop. */
const SOCKETS_PER_SECOND = 300;
/** A TLS handshake with an RSA key takes about 1 ms more. */
const TLS_SOCKETS_PER_SECOND = 100;
/** How long a client may take to answer a close frame. */
const CLOSE_TIMEOUT_MS = 2_000;

export interface ServerOptions {
  readonly config: Pick<ServerConfig, "host" | "port" | "tls" | "limits">;
  readonly auth: Authenticator;
  readonly voices: VoiceLookup;
  readonly doors: readonly Door[];
  readonly openSession: OpenSession;
  /** Names the parts of an open call. Absent: no client learns them. */
  readonly describe?: AdmissionOptions["describe"];
  /** Ids and places over all boxes. Absent: this box alone. */
  readonly fleet?: FleetPlaces | undefined;
  /** Snapshots of calls, for other boxes. Absent: this box alone. */
  readonly cluster?: Cluster | undefined;
  readonly log: Log;
  readonly clock?: Clock;
  /** Descriptor of a listening socket that a parent passed to this process. */
  readonly passedSocket?: number | undefined;
  /** Answers plain HTTP requests, such as a health check. False leaves the request to the server's own 404 or 426. */
  /** True for a plain request that may have a short body. */
  readonly mayHaveBody?: (request: IncomingMessage) => boolean;
  readonly handleHttp?: (request: IncomingMessage, response: ServerResponse) => boolean;
}

export interface VoiceServer {
  readonly port: number;
  /** Base address of the WebSocket endpoints, without a slash at the end. */
  readonly url: string;
  stats(): ServerStats & { readonly ended: EndedSockets["counts"] };
  /** The open call with this id. */
  findCall(connectionId: string): OpenCall | undefined;
  /** When the certificate in use ends, by the wall clock; undefined without TLS. */
  certificateEndMs(): number | undefined;
  /** Reads the certificate files again, for renewed ones. @throws OakError `TLS_INVALID`; the old ones stay in use. */
  reloadTls(): void;
  /**
   * Stops listening at once and lets calls go on, for a new version that listens on the same socket. Sockets that are not calls
   * yet may become calls within `authentication_timeout_seconds`. Resolves when the last socket is closed. Idempotent.
   */
  drain(): Promise<void>;
  /**
   * Refuses handshakes, lets current turns and replies end, or calls (`drain`, `drain_timeout_seconds`), then ends every session
   * and connection (1001; `shutdown_timeout_seconds`). Health checks are answered until the end, except on a passed
   * socket. Idempotent.
   */
  close(): Promise<void>;
  /** Makes `close` wait no longer for turns or calls. False when no call is open, or when it was called before. */
  hurry(): boolean;
}

/**
 * Whether it could be started, asked before the models are loaded: a taken port must not cost that, over and over where a
 * supervisor starts it again.
 * @throws OakError `TLS_INVALID` or `LISTEN_FAILED`.
 */
export async function rehearseServer(
  { host, port, tls }: ServerOptions["config"],
  passedSocket?: number,
): Promise<void> {
  if (tls !== undefined) readTlsFiles(tls);
  if (passedSocket !== undefined) return;
  const server = createHttpServer();
  await listen(server, { host, port });
  await new Promise((resolve) => server.close(resolve));
}

/** @throws OakError `TLS_INVALID` or `LISTEN_FAILED`. */
export async function startServer(options: ServerOptions): Promise<VoiceServer> {
  const { config, doors, log, clock = systemClock, handleHttp } = options;
  const { tls, limits } = config;
  const admission = createAdmission({ ...options, limits, clock });
  const ended = new EndedSockets(clock, log);
  const headerTimeoutMs = limits.authentication_timeout_seconds * 1000;
  const socketOptions = {
    noServer: true,
    clientTracking: false,
    perMessageDeflate: false,
    maxPayload: limits.max_message_bytes,
    // Fragments are counted by nothing else. Proxies split messages into pieces of 4 kB or more.
    maxFragments: 256,
    WebSocket: CallSocket,
    handleProtocols: chooseSubprotocol,
    // One message of a connection at a time: a flood must not keep the event loop from the other callers.
    allowSynchronousEvents: false,
    // Not in the package's types yet, so no object literal may name it.
    closeTimeout: CLOSE_TIMEOUT_MS,
  };
  const sockets = new WebSocketServer(socketOptions);

  const httpOptions = {
    headersTimeout: headerTimeoutMs,
    requestTimeout: headerTimeoutMs,
    connectionsCheckingInterval: Math.min(1_000, headerTimeoutMs),
    keepAliveTimeout: 5_000,
    // The front checks it: Node answers each of thousands of such requests in one read.
    requireHostHeader: false,
  };
  let files: TlsFiles | undefined;
  const readTls = () => {
    if (tls === undefined) return undefined;
    files = readTlsFiles(tls);
    warnOfItsDates(files, tls, log);
    return { cert: files.cert, key: files.key, minVersion: "TLSv1.2" as const };
  };
  const secure = readTls();
  const server: Server =
    secure === undefined
      ? createHttpServer(httpOptions)
      : createHttpsServer({ ...httpOptions, ...secure, handshakeTimeout: headerTimeoutMs });
  // A client that asks and does not read its answer has not timed out by any of the above, and holds its place for ever.
  server.timeout = headerTimeoutMs;
  const lobby = new Lobby(limits.max_pending_connections + HTTP_PLACES, () => ended.count("crowded"));
  const turnstile = new Turnstile(tls === undefined ? SOCKETS_PER_SECOND : TLS_SOCKETS_PER_SECOND);

  guardHttp({
    server,
    isTls: tls !== undefined,
    doors,
    ended,
    timeoutMs: headerTimeoutMs,
    handleHttp,
    mayHaveBody: options.mayHaveBody,
    onHandshake(door, request, socket, head) {
      const handshake = { url: request.url ?? "", headers: request.headers };
      if (!admission.makeRoom(door, handshake)) {
        refuseUpgrade(socket, 503);
        return;
      }
      lobby.leave(request.socket);
      sockets.handleUpgrade(request, socket, head, (webSocket) =>
        admission.admit(webSocket.attach(socket), door, handshake),
      );
    },
  });

  // A socket that stays open for further requests would keep a server that no longer listens.
  server.prependListener("request", (_request, response) => (response.shouldKeepAlive &&= server.listening));

  const accept = server.listeners("connection");
  server.removeAllListeners("connection");
  server.on("connection", (socket) => {
    lobby.enter(socket);
    turnstile.pass(socket, () => {
      for (const listener of accept) listener.call(server, socket);
    });
  });

  const { passedSocket } = options;
  if (passedSocket === undefined) await listen(server, config);
  else await listenOnPassed(server, passedSocket, config, log);
  // With a listener gone, an error of the listening socket would end the process.
  server.on("error", (error) => log.error({ code: "LISTENER" }, errorMessage(error)));
  const { port } = server.address() as AddressInfo;
  const host = config.host.includes(":") ? `[${config.host}]` : config.host;
  const url = `${tls === undefined ? "ws" : "wss"}://${host}:${port}`;
  log.info({ url }, "listening");

  let stopped: Promise<void> | undefined;
  const stopListening = () => (stopped ??= new Promise((resolve) => server.close(() => resolve())));
  let draining: Promise<void> | undefined;
  const drain = async () => {
    const cancel = clock.after(headerTimeoutMs, () => lobby.close());
    await stopListening();
    cancel();
  };
  let closing: Promise<void> | undefined;
  const close = async () => {
    // Another process may accept the connections of a passed socket.
    if (passedSocket !== undefined) void stopListening();
    await admission.close();
    const allClosed = stopListening();
    ended.close();
    turnstile.close();
    server.closeAllConnections();
    await allClosed;
  };

  return {
    port,
    url,
    stats: () => ({ ...admission.stats(), ended: ended.counts }),
    findCall: (connectionId) => admission.find(connectionId),
    certificateEndMs: () => files?.endMs,
    reloadTls() {
      const renewed = readTls();
      if (renewed !== undefined) (server as HttpsServer).setSecureContext(renewed);
    },
    drain: () => (draining ??= drain()),
    close: () => (closing ??= close()),
    hurry: () => admission.hurry(),
  };
}
