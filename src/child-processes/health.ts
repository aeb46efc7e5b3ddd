import type { Child } from "./child.ts";

/**
 * Pings the child and calls `onHung` when no message comes within `deadlineMs` of a ping.
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
  // Any message after a ping counts as its answer.
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
  // If this process itself was blocked, the answer may be unread. Let it be read first.
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
