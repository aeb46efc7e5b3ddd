import { frame, goodHandshake, OPCODE } from "./frames.ts";

/** Traffic that costs a server more than it costs the sender. */
export interface Flood {
  readonly name: string;
  readonly sockets: number;
  /** Rate over all sockets. */
  readonly bytesPerSecond: number;
  /** Whether the attacker has an API key. Without it a wrong key is used where a key is needed. */
  readonly withKey?: boolean;
  /** Bytes that are sent once on each new connection. */
  readonly hello?: (url: URL) => Buffer;
  /** Bytes that are sent repeatedly, with `waits` once for each answer. Empty: the connection is only opened. */
  readonly payload: Buffer;
  /** Sends the next payload when the last one was answered. */
  readonly waits?: boolean;
  /** Closes each connection this long after it opened. */
  readonly lastsMs?: number;
}

const MB = 1_000_000;
const request = (line: string, headers = "") => Buffer.from(`${line} HTTP/1.1\r\nHost: box\r\n${headers}\r\n`);
const healthz = (headers: string) => request("GET /healthz", headers);
const times = (count: number, bytes: Buffer) => Buffer.concat(Array.from({ length: count }, () => bytes));
const ping = frame(OPCODE.ping, Buffer.alloc(0));
const start = frame(OPCODE.text, Buffer.alloc(0), { fin: false });
const middle = frame(OPCODE.continuation, Buffer.alloc(0), { fin: false });
const inPieces = Buffer.concat([start, times(200, middle), frame(OPCODE.continuation, Buffer.from("{}"))]);
const keepAlive = frame(OPCODE.text, Buffer.from('{"type":"keep_alive","timestamp":1,"message_id":"m"}'));

export const FLOODS: readonly Flood[] = [
  { name: "pipelined Expect: x", sockets: 8, bytesPerSecond: 3.5 * MB, payload: times(40, healthz("Expect: x\r\n")) },
  { name: "pipelined Expect: x, 40 sockets", sockets: 40, bytesPerSecond: 17 * MB, payload: times(40, healthz("Expect: x\r\n")) },
  { name: "pipelined Expect: 100-continue", sockets: 8, bytesPerSecond: 3.5 * MB, payload: times(40, healthz("Expect: 100-continue\r\n")) },
  { name: "pipelined requests", sockets: 8, bytesPerSecond: 3.5 * MB, payload: times(100, healthz("")) },
  { name: "pipelined requests without Host", sockets: 8, bytesPerSecond: 3.5 * MB, payload: times(200, Buffer.from("GET / HTTP/1.1\r\n\r\n")) },
  { name: "chunks of one byte", sockets: 16, bytesPerSecond: 16 * MB, hello: () => healthz("Transfer-Encoding: chunked\r\n"), payload: times(2_000, Buffer.from("1\r\nx\r\n")) },
  { name: "a body", sockets: 16, bytesPerSecond: 16 * MB, hello: () => request("POST /healthz", "Content-Length: 1000000000\r\n"), payload: Buffer.alloc(64_000) },
  { name: "thousands of headers", sockets: 16, bytesPerSecond: 8 * MB, payload: healthz("a:\r\n".repeat(4_000)) },
  { name: "requests in turn", sockets: 16, bytesPerSecond: 8 * MB, payload: request("GET /"), waits: true },
  { name: "metrics in turn", sockets: 16, bytesPerSecond: 8 * MB, payload: Buffer.from("GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n"), waits: true },
  { name: "another protocol", sockets: 16, bytesPerSecond: 8 * MB, hello: () => healthz("Connection: Upgrade\r\nUpgrade: h2c\r\n"), payload: Buffer.alloc(64_000) },
  { name: "slow headers", sockets: 300, bytesPerSecond: 30_000, hello: () => Buffer.from("GET / HTTP/1.1\r\nHost: box\r\n"), payload: Buffer.from("a: b\r\n") },
  { name: "connection churn", sockets: 16, bytesPerSecond: MB, payload: Buffer.alloc(0), lastsMs: 0 },
  { name: "handshakes with a wrong key", sockets: 16, bytesPerSecond: MB, hello: goodHandshake, payload: Buffer.alloc(0), lastsMs: 20 },
  { name: "calls that begin and end", sockets: 16, bytesPerSecond: MB, withKey: true, hello: goodHandshake, payload: Buffer.alloc(0), lastsMs: 20 },
  { name: "empty pings without a key", sockets: 8, bytesPerSecond: 1.2 * MB, hello: goodHandshake, payload: times(200, ping) },
  { name: "empty pings", sockets: 4, bytesPerSecond: 1.2 * MB, withKey: true, hello: goodHandshake, payload: times(200, ping) },
  { name: "empty fragments", sockets: 4, bytesPerSecond: 1.2 * MB, withKey: true, hello: goodHandshake, payload: inPieces },
  { name: "small messages", sockets: 4, bytesPerSecond: 1.2 * MB, withKey: true, hello: goodHandshake, payload: times(50, keepAlive) },
]; // prettier-ignore
