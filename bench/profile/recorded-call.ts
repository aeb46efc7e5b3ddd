import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { WebSocket } from "ws";
import type { OpenSocket } from "../../src/client/socket.ts";

/** One message with the time at which it was sent or received, ms from the opening of its connection. */
export interface Carried {
  readonly atMs: number;
  readonly data: string | Uint8Array;
}

/** The messages of one connection, in order for each direction. */
export interface RecordedCall {
  readonly asked: Carried[];
  readonly answered: Carried[];
}

/** Opens sockets and records the messages of each connection in `calls`. */
export function recorder(calls: RecordedCall[]): OpenSocket {
  return (url) => {
    const socket = new WebSocket(url, { perMessageDeflate: false });
    const call: RecordedCall = { asked: [], answered: [] };
    calls.push(call);
    let openedMs = NaN;
    const now = () => performance.now() - openedMs;
    socket.on("open", () => (openedMs = performance.now()));
    socket.on("message", (data: Buffer) => call.answered.push({ atMs: now(), data: data.toString() }));
    const send = socket.send.bind(socket);
    socket.send = (data: string | Uint8Array) => {
      call.asked.push({ atMs: now(), data });
      send(data);
    };
    return socket;
  };
}

/** Sends the caller's messages again at the same pace until the last answer has arrived. */
export async function replay({ asked, answered }: RecordedCall, url: string): Promise<void> {
  const socket = new WebSocket(url, { perMessageDeflate: false });
  let awaited = answered.length;
  const over = new Promise<void>((resolve, reject) => {
    socket.on("message", () => (awaited -= 1) === 0 && resolve());
    socket.on("close", () => reject(new Error("the bare server hung up")));
  });
  await once(socket, "open");
  const openedMs = performance.now();
  const ask = async () => {
    for (const { atMs, data } of asked) {
      await sleep(Math.max(0, openedMs + atMs - performance.now()));
      socket.send(data);
    }
  };
  await Promise.all([over, ask()]);
  socket.terminate();
}
