import type { Child } from "./child.ts";

/**
 * Pings the child and calls `onHung` when it said nothing at all for `deadlineMs` after a ping.
 * Returns a function that stops the watch.
 */
export function watchHealth(child: Child, everyMs: number, deadlineMs: number, onHung: () => void): () => void {
  let timer: NodeJS.Timeout;
  let heard = false;
  child.onMessage(() => {
    heard = true;
  });
  const ping = (): void => {
    heard = false;
    child.send({ type: "ping" });
    timer = setTimeout(checkAfterReading, deadlineMs);
    timer.unref();
  };
  // When this process itself was held up, the answer lies unread: read before judging.
  const checkAfterReading = (): void => void setImmediate(() => setImmediate(check));
  const check = (): void => {
    if (stopped) return;
    if (heard) schedule();
    else onHung();
  };
  const schedule = (): void => {
    timer = setTimeout(ping, everyMs);
    timer.unref();
  };
  let stopped = false;
  schedule();
  return () => {
    stopped = true;
    clearTimeout(timer);
  };
}
