import type { Duplex } from "node:stream";

/** More than an honest client has on its way: a read takes up to 64 kB. */
const MOST_READS = 500;

/** Drops unparsed what a client still sends, so that its end is seen and the last answer is not lost to a TCP reset. */
export function discardInput(socket: Duplex): void {
  let reads = 0;
  socket.removeAllListeners("data");
  socket.on("data", () => {
    reads += 1;
    if (reads > MOST_READS) socket.destroy();
  });
  socket.resume();
}
