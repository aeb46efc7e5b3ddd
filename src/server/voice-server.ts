import {
  createServer as createHttpServer,
  ServerResponse,
  STATUS_CODES,
  type IncomingMessage,
  type RequestListener,
  type Server,
} from "node:http";
import { createServer as createHttpsServer, type Server as HttpsServer } from "node:https";
import type { AddressInfo } from "node:net";
import type { Duplex } from "node:stream";
import { WebSocketServer } from "ws";
import type { Authenticator } from "../auth/authenticate.ts";
import type { ServerConfig } from "../config/server-config.ts";
import type { OpenSession } from "../conversation/contract.ts";
import { systemClock, type Clock } from "../shared/clock.ts";
import { errorMessage, OakError } from "../shared/errors.ts";
import type { Log } from "../shared/log.ts";
import { createAdmission, type ServerStats, type VoiceLookup } from "./admission.ts";
import { parseTarget } from "./connect-request.ts";
import { Lobby } from "./lobby.ts";
import { readTlsFiles, warnOfItsDates, type TlsFiles } from "./tls-files.ts";

/** For the page, health checks and metrics, beside the sockets that are to become calls. */
const HTTP_PLACES = 16;
/** How long a client may take to answer a close frame. */
const CLOSE_TIMEOUT_MS = 2_000;

export interface ServerOptions {
  readonly config: Pick<ServerConfig, "host" | "port" | "tls" | "limits">;
  readonly auth: Authenticator;
  readonly voices: VoiceLookup;
  readonly openSession: OpenSession;
  readonly log: Log;
  readonly clock?: Clock;
  /** Answers plain HTTP requests, such as a health check; false leaves the request to the server's own 404 or 426. */
  readonly handleHttp?: (request: IncomingMessage, response: ServerResponse) => boolean;
}

export interface VoiceServer {
  readonly port: number;
  /** Base address of the WebSocket endpoint, without a slash at the end. */
  readonly url: string;
  stats(): ServerStats;
  /** When the certificate in use ends, by the wall clock; undefined without TLS. */
  certificateEndMs(): number | undefined;
  /** Reads the certificate files again, for renewed ones. @throws OakError `TLS_INVALID`; the old ones stay in use. */
  reloadTls(): void;
  /**
   * Stops listening, lets turns and replies under way end (`drain_timeout_seconds`), then ends every session and
   * connection (1001; `shutdown_timeout_seconds`). Idempotent.
   */
  close(): Promise<void>;
}

/**
 * Whether it could be started, asked before the models are loaded: a taken port must not cost that, over and over where a
 * supervisor starts it again.
 * @throws OakError `TLS_INVALID` or `LISTEN_FAILED`.
 */
export async function rehearseServer({ host, port, tls }: ServerOptions["config"]): Promise<void> {
  if (tls !== undefined) readTlsFiles(tls);
  const server = createHttpServer();
  await listen(server, port, host);
  await new Promise((resolve) => server.close(resolve));
}

/** @throws OakError `TLS_INVALID` or `LISTEN_FAILED`. */
export async function startServer(options: ServerOptions): Promise<VoiceServer> {
  const { config, log, clock = systemClock, handleHttp } = options;
  const { tls, limits } = config;
  const admission = createAdmission({ ...options, limits, clock });
  const headerTimeoutMs = limits.authentication_timeout_seconds * 1000;
  const socketOptions = {
    noServer: true,
    clientTracking: false,
    perMessageDeflate: false,
    maxPayload: limits.max_message_bytes,
    maxFragments: 1_024,
    // One message of a connection at a time: a flood must not keep the event loop from the other callers.
    allowSynchronousEvents: false,
    // Not in the package's types yet, so no object literal may name it.
    closeTimeout: CLOSE_TIMEOUT_MS,
  };
  const sockets = new WebSocketServer(socketOptions);

  /** Sockets whose answer is not out yet. */
  const answering = new WeakSet<Duplex>();
  const onRequest = (request: IncomingMessage, response: ServerResponse) => {
    const { socket } = request;
    if (socket.destroyed) return;
    // Two thousand small requests fit into one read, and all of them would have their turn before any caller.
    if (answering.has(socket)) {
      socket.destroy();
      return;
    }
    answering.add(socket);
    response.once("close", () => answering.delete(socket));
    if (handleHttp?.(request, response) === true) return;
    const status = parseTarget(request.url) === undefined ? 404 : 426;
    response.writeHead(status, { "content-type": "text/plain", connection: "close" }).end(`${STATUS_CODES[status]}\n`);
  };
  const httpOptions = {
    headersTimeout: headerTimeoutMs,
    requestTimeout: headerTimeoutMs,
    connectionsCheckingInterval: Math.min(1_000, headerTimeoutMs),
    keepAliveTimeout: 5_000,
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
      ? createHttpServer(httpOptions, onRequest)
      : createHttpsServer({ ...httpOptions, ...secure, handshakeTimeout: headerTimeoutMs }, onRequest);
  // A client that asks and does not read its answer has not timed out by any of the above, and holds its place for ever.
  server.timeout = headerTimeoutMs;
  const lobby = new Lobby(limits.max_pending_connections + HTTP_PLACES);
  server.on("connection", (socket) => lobby.enter(socket));

  server.on("upgrade", (request, socket, head) => {
    if (request.headers.upgrade?.toLowerCase() !== "websocket") {
      answerPlainly(request, headerTimeoutMs, onRequest);
      return;
    }
    const target = parseTarget(request.url);
    if (target === undefined) refuseUpgrade(socket, 404);
    else if (!admission.makeRoom()) refuseUpgrade(socket, 503);
    else {
      lobby.leave(request.socket);
      sockets.handleUpgrade(request, socket, head, (webSocket) =>
        admission.admit(webSocket, { target, authorizationHeader: request.headers.authorization }),
      );
    }
  });
  server.on("clientError", (_error, socket) => socket.destroy());

  await listen(server, config.port, config.host);
  // With a listener gone, an error of the listening socket would end the process.
  server.on("error", (error) => log.error({ code: "LISTENER" }, errorMessage(error)));
  const { port } = server.address() as AddressInfo;
  const host = config.host.includes(":") ? `[${config.host}]` : config.host;
  const url = `${tls === undefined ? "ws" : "wss"}://${host}:${port}`;
  log.info({ url }, "listening");

  let closing: Promise<void> | undefined;
  const close = async () => {
    const stopped = new Promise<void>((resolve) => server.close(() => resolve()));
    await admission.close();
    server.closeAllConnections();
    await stopped;
  };

  return {
    port,
    url,
    stats: () => admission.stats(),
    certificateEndMs: () => files?.endMs,
    reloadTls() {
      const renewed = readTls();
      if (renewed !== undefined) (server as HttpsServer).setSecureContext(renewed);
    },
    close: () => (closing ??= close()),
  };
}

/**
 * Answers a request that offers a protocol not spoken here, such as h2c, as if it did not: an offer may be passed over.
 * Node has let go of its socket by then, so that what it does for others is done here: a time limit, and an end.
 */
function answerPlainly(request: IncomingMessage, timeoutMs: number, answer: RequestListener): void {
  const { socket } = request;
  socket.on("error", () => socket.destroy());
  socket.setTimeout(timeoutMs, () => socket.destroy());
  // With something unread the end would be a reset, and take the answer with it.
  socket.resume();
  const response = new ServerResponse(request);
  response.shouldKeepAlive = false;
  response.assignSocket(socket);
  response.once("finish", () => socket.destroySoon());
  answer(request, response);
}

function refuseUpgrade(socket: Duplex, status: 404 | 503): void {
  socket.on("error", () => socket.destroy());
  const retry = status === 503 ? "Retry-After: 1\r\n" : "";
  socket.end(
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nConnection: close\r\nContent-Length: 0\r\n${retry}\r\n`,
    () => socket.destroy(),
  );
}

const LISTEN_MENDS: Readonly<Record<string, string>> = {
  EADDRINUSE: "Stop what listens there, or choose another port.",
  EACCES: "Ports below 1024 need CAP_NET_BIND_SERVICE, which the installer's unit gives; or choose another port.",
};
const codeOf = (cause: unknown) => (cause as NodeJS.ErrnoException).code ?? "";

function listen(server: Server, port: number, host: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const onError = (cause: Error) => {
      const mend =
        LISTEN_MENDS[codeOf(cause)] ??
        "This machine has no such address: 127.0.0.1 is for itself alone, 0.0.0.0 for all.";
      const message = `Cannot listen on ${host} port ${port}: ${errorMessage(cause)}. ${mend}`;
      reject(new OakError(message, { code: "LISTEN_FAILED", cause }));
    };
    server.once("error", onError);
    server.listen(port, host, () => {
      server.off("error", onError);
      resolve();
    });
  });
}
