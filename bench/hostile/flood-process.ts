/** Sends one flood to a server on this machine until its standard input ends, or for 60 s. `floods.ts` starts it. */
import { randomUUID } from "node:crypto";
import { connect, type Socket } from "node:net";
import { FLOODS } from "./flood-kinds.ts";

const MOST_CONNECTIONS_PER_SECOND = 3_000;
const MOST_WAITING_BYTES = 262_144;
const MOST_MS = 60_000;

const [name, address = ""] = process.argv.slice(2);
const flood = FLOODS.find((kind) => kind.name === name);
if (flood === undefined || new URL(address).hostname !== "127.0.0.1") {
  throw new Error("usage: flood-process NAME ws://127.0.0.1:PORT/ws/voice/ID?...");
}
const { sockets, bytesPerSecond, hello, payload, waits = false, lastsMs } = flood;

const open = new Set<Socket>();
let connections = 0;
let bytes = 0;
const startedMs = performance.now();
const seconds = () => (performance.now() - startedMs) / 1_000;

function send(socket: Socket): void {
  if (payload.length === 0 || socket.connecting || !socket.writable || socket.writableLength > MOST_WAITING_BYTES)
    return;
  if (bytes > seconds() * bytesPerSecond) return;
  bytes += payload.length;
  socket.write(payload);
}

function attack(): void {
  const url = new URL(address);
  url.pathname = `/ws/voice/${randomUUID()}`;
  connections += 1;
  const socket = connect({ host: url.hostname, port: Number(url.port), noDelay: true });
  open.add(socket);
  socket.once("connect", () => {
    if (hello !== undefined) socket.write(hello(url));
    send(socket);
    if (lastsMs !== undefined) setTimeout(() => socket.resetAndDestroy(), lastsMs);
  });
  socket.on("data", () => waits && send(socket));
  socket.on("error", () => undefined);
  socket.once("close", () => open.delete(socket));
}

setInterval(() => {
  while (open.size < sockets && connections < seconds() * MOST_CONNECTIONS_PER_SECOND + sockets) attack();
  if (waits) return;
  // The sockets send in rotation as long as the rate allows.
  const rounds = Math.ceil(bytesPerSecond / 1_000 / sockets / Math.max(1, payload.length));
  for (let round = 0; round < 2 * rounds; round += 1) for (const socket of open) send(socket);
}, 1);
const stop = () => {
  console.log(
    JSON.stringify({ megabytesPerSecond: bytes / 1e6 / seconds(), connectionsPerSecond: connections / seconds() }),
  );
  process.exit(0);
};
process.stdin.resume().once("end", stop);
setTimeout(stop, MOST_MS);
