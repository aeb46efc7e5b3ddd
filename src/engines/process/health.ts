import type { Child } from "./child.ts";

/**
 * Pings the child and calls `onHung` when it said nothing at all for `deadlineMs` after a ping.
 * Returns a function that stops the watch.
 */
export function watchHealth(child: Child, everyMs: number, deadlineMs: number, onHung: () => void): () => void {
  let timer: NodeJS.Timeout;
  let stopped = false;
  let waiting = false;
  const schedule = (): void => {
    waiting = false;
    timer = setTimeout(ping, everyMs);
    timer.unref();
  };
  // The first word after a ping settles it: a child that hangs right after is asked again soon.
  child.onMessage(() => {
    if (!waiting || stopped) return;
    clearTimeout(timer);
    schedule();
  });
  const ping = (): void => {
    waiting = true;
    child.send({ type: "ping" });
    timer = setTimeout(checkAfterReading, deadlineMs);
    timer.unref();
  };
  // When this process itself was held up, the answer lies unread: read before judging.
  const checkAfterReading = (): void => void setImmediate(() => setImmediate(check));
  const check = (): void => {
    if (!stopped && waiting) onHung();
  };
  schedule();
  return () => {
    stopped = true;
    clearTimeout(timer);
  };
}
