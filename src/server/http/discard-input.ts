import type { Duplex } from "node:stream";

/** More than an honest client has on its way: a read takes up to 64 kB. */
const MOST_READS = 500;

/** Drops further data of a client unparsed, so that its end is detected and no TCP reset discards the last answer. */
export function discardInput(socket: Duplex): void {
  let reads = 0;
  socket.removeAllListeners("data");
  socket.on("data", () => {
    reads += 1;
    if (reads > MOST_READS) socket.destroy();
  });
  socket.resume();
}
