import { ServerResponse, STATUS_CODES, type IncomingMessage, type RequestListener, type Server } from "node:http";
import type { Socket } from "node:net";
import type { Duplex } from "node:stream";
import type { Door } from "../../doors/door.ts";
import { discardInput } from "./discard-input.ts";
import type { EndedSockets, EndReason } from "./ended-sockets.ts";
import { feedRequests } from "./request-feed.ts";
import { TokenBucket } from "../../shared/token-bucket.ts";

/** Longest body of the only request that has one. */
const MOST_BODY_BYTES = 65_536;
/** A browser behind two proxies sends about 30. */
const MOST_HEADERS = 200;
/**
 * For the whole server. The first request of a socket is not counted, because new sockets are: sockets that stay open cannot
 * keep new ones out.
 */
const LATER_REQUESTS_PER_SECOND = 500;
const LATER_REQUESTS_AT_ONCE = 1_000;

interface Refusal {
  readonly status: number;
  readonly reason: EndReason;
}

export interface HttpFrontOptions {
  readonly server: Server;
  readonly isTls: boolean;
  readonly doors: readonly Door[];
  readonly ended: EndedSockets;
  /** For a client that offers another protocol and does not read its answer. */
  readonly timeoutMs: number;
  /** Answers a request; false leaves it to the front's own 404 or 426. */
  readonly handleHttp: ((request: IncomingMessage, response: ServerResponse) => boolean) | undefined;
  /** True for a request that may have a body. */
  readonly mayHaveBody?: ((request: IncomingMessage) => boolean) | undefined;
  /** Takes a well-formed WebSocket handshake of version 13. */
  readonly onHandshake: (door: Door, request: IncomingMessage, socket: Duplex, head: Buffer) => void;
}

/**
 * Bounds what a client without a key can make Node's HTTP server do: one request at a time for each socket, without a
 * body, and a number of requests a second for all sockets. Anything else ends the socket.
 */
export function guardHttp(options: HttpFrontOptions): void {
  const { server, isTls, doors, ended, timeoutMs, handleHttp, mayHaveBody, onHandshake } = options;
  /** Sockets whose answer is not out yet. */
  const answering = new WeakSet<Duplex>();
  /** Sockets that are closed once their answer is out. */
  const ending = new WeakSet<Duplex>();
  /** Bytes of a request's body that are still to come. */
  const bodies = new WeakMap<Duplex, number>();
  /** Sockets that had a request. */
  const known = new WeakSet<Duplex>();
  const laterRequests = new TokenBucket(LATER_REQUESTS_AT_ONCE, LATER_REQUESTS_PER_SECOND, performance.now());

  const doorOf = ({ url = "" }: IncomingMessage) => doors.find((door) => door.matches(url));

  const end = (socket: Duplex, reason: EndReason) => {
    if (!socket.destroyed && !ending.has(socket)) ended.count(reason);
    socket.destroy();
  };

  const onRequest = (request: IncomingMessage, response: ServerResponse) => {
    const { socket } = request;
    if (socket.destroyed) return;
    if (answering.has(socket)) {
      end(socket, "pipelined");
      return;
    }
    answering.add(socket);
    response.once("close", () => answering.delete(socket));
    const refusal = refusalOf(request, mayHaveBody?.(request) === true ? MOST_BODY_BYTES : 0);
    if (refusal !== undefined) {
      ended.count(refusal.reason);
      ending.add(socket);
      answerPlainly(response, refusal.status);
      return;
    }
    const isFirst = !known.has(socket);
    known.add(socket);
    if (!isFirst && !laterRequests.take(1, performance.now())) {
      end(socket, "flood");
      return;
    }
    bodies.set(socket, Number(request.headers["content-length"] ?? 0));
    if (handleHttp?.(request, response) === true) return;
    answerPlainly(response, doorOf(request) === undefined ? 404 : 426);
  };

  const onUpgrade = (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    // The feed stops here.
    socket.removeAllListeners("data");
    if (request.headers.upgrade?.toLowerCase() !== "websocket") {
      answerDetached(request, timeoutMs, onRequest);
      return;
    }
    const refusal = refusalOf(request, 0);
    if (refusal !== undefined) {
      ended.count(refusal.reason);
      refuseUpgrade(socket, refusal.status);
      return;
    }
    const door = doorOf(request);
    if (door === undefined) refuseUpgrade(socket, 404);
    else if (request.headers["sec-websocket-version"] !== "13") refuseUpgrade(socket, 426);
    else onHandshake(door, request, socket, head);
  };

  // Node drops the headers beyond this number, which could be those that a proxy added. One more than allowed shows it.
  server.maxHeadersCount = MOST_HEADERS + 1;
  server.on("request", onRequest);
  // Node would answer these by itself, and keep the socket open.
  server.on("checkContinue", onRequest);
  server.on("checkExpectation", onRequest);
  server.on("upgrade", onUpgrade);
  server.on("connect", (_request, socket) => end(socket, "malformed"));
  server.on("clientError", (error: NodeJS.ErrnoException, socket) => {
    // From version 22 on Node reports too many headers here.
    if (error.code === "HPE_HEADER_OVERFLOW" && !socket.destroyed && !ending.has(socket)) {
      ended.count("too_many_headers");
      ending.add(socket);
      refuseUpgrade(socket, 431);
      return;
    }
    if (error.code !== "ECONNRESET") end(socket, error.code === "ERR_HTTP_REQUEST_TIMEOUT" ? "timeout" : "malformed");
    socket.destroy();
  });
  const takeBody = (socket: Socket) => (bytes: number) => {
    const left = bodies.get(socket) ?? 0;
    const taken = Math.min(left, bytes);
    if (taken > 0) bodies.set(socket, left - taken);
    return taken;
  };
  const feed = (socket: Socket) =>
    feedRequests(
      socket,
      () => {
        if (ending.has(socket)) return false;
        if (answering.has(socket)) end(socket, "pipelined");
        return !socket.destroyed;
      },
      takeBody(socket),
    );
  server.on(isTls ? "secureConnection" : "connection", feed);
}

/** Why a request is not one of those that are answered here, all of which have a `Host` and at most a short body. */
function refusalOf({ rawHeaders, headers, httpVersion }: IncomingMessage, mostBytes: number): Refusal | undefined {
  if (rawHeaders.length > 2 * MOST_HEADERS) return { status: 431, reason: "too_many_headers" };
  if (headers.host === undefined && httpVersion !== "1.0") return { status: 400, reason: "malformed" };
  if (headers.expect !== undefined) return { status: 417, reason: "expect" };
  const length = headers["content-length"];
  if (headers["transfer-encoding"] !== undefined || !(Number(length ?? 0) <= mostBytes))
    return { status: 413, reason: "body" };
  return undefined;
}

const STATUS_HEADERS: Readonly<Record<number, Readonly<Record<string, string>>>> = {
  426: { connection: "close, upgrade", upgrade: "websocket", "sec-websocket-version": "13" },
  503: { connection: "close", "retry-after": "1" },
};
const headersOf = (status: number) => STATUS_HEADERS[status] ?? { connection: "close" };

function answerPlainly(response: ServerResponse, status: number): void {
  const text = `${STATUS_CODES[status] ?? ""}\n`;
  response.writeHead(status, { "content-type": "text/plain", ...headersOf(status) }).end(text);
}

/**
 * Answers a request that offers an unknown protocol, such as h2c, as if it had offered none. Node has detached its socket
 * by then, so the time limit and the end are set here.
 */
function answerDetached(request: IncomingMessage, timeoutMs: number, answer: RequestListener): void {
  const { socket } = request;
  socket.on("error", () => socket.destroy());
  socket.setTimeout(timeoutMs, () => socket.destroy());
  discardInput(socket);
  const response = new ServerResponse(request);
  response.shouldKeepAlive = false;
  response.assignSocket(socket);
  response.once("finish", () => socket.destroySoon());
  answer(request, response);
}

export function refuseUpgrade(socket: Duplex, status: number): void {
  socket.on("error", () => socket.destroy());
  const headers = Object.entries({ ...headersOf(status), "content-length": "0" });
  const lines = headers.map(([name, value]) => `${name}: ${value}\r\n`).join("");
  socket.end(`HTTP/1.1 ${String(status)} ${STATUS_CODES[status] ?? ""}\r\n${lines}\r\n`, () => socket.destroy());
}
