import type { Socket } from "node:net";

const HEAD_END = Buffer.from("\r\n\r\n");
/** Most requests fit. A longer head takes several slices. */
const SLICE_BYTES = 2_048;

/**
 * Stands between a socket and Node's HTTP parser, and passes on one request head at a time. Left alone, the parser works
 * through all of a read of 64 kB in one turn of the event loop: thousands of requests, even after the first of them ended
 * the socket.
 * @param takeBody Called with the available bytes; returns how many of them belong to the body of a request that was passed on.
 * @param mayPass Asked before each slice; false drops the rest of the read. It is the place to end the socket.
 */
export function feedRequests(socket: Socket, mayPass: () => boolean, takeBody: (bytes: number) => number): void {
  const [parse] = socket.listeners("data");
  if (parse === undefined) throw new Error("Node's HTTP server no longer listens for the data of its sockets.");
  socket.removeAllListeners("data");
  const feed = (chunk: Buffer) => {
    let rest = chunk;
    while (rest.length > 0 && !socket.destroyed) {
      const body = rest.subarray(0, takeBody(rest.length));
      if (body.length > 0) {
        rest = rest.subarray(body.length);
        parse.call(socket, body);
        continue;
      }
      if (!mayPass()) return;
      const most = rest.subarray(0, SLICE_BYTES);
      const headEnd = most.indexOf(HEAD_END);
      const slice = headEnd < 0 ? most : most.subarray(0, headEnd + HEAD_END.length);
      rest = rest.subarray(slice.length);
      parse.call(socket, slice);
      if (socket.listeners("data").includes(feed)) continue;
      // The request was an upgrade: what follows belongs to the new protocol.
      if (rest.length > 0) socket.unshift(rest);
      return;
    }
  };
  socket.on("data", feed);
}
