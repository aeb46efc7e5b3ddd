import type { Deadline } from "./deadline.ts";
import { RemoteFault } from "./remote-fault.ts";

/** Waits before the second and the third attempt. */
const RETRY_AFTER_MS = [100, 400];
/** A caller does not wait longer for a server that asks for a pause. */
const LONGEST_PAUSE_MS = 2_000;

export const MOST_ATTEMPTS = RETRY_AFTER_MS.length + 1;

/** Resolves when it is time for the next attempt. `attempt`: the number of attempts before the failed one. @throws The fault when there is none. */
export async function beforeRetry(fault: RemoteFault, attempt: number, deadline: Deadline): Promise<void> {
  const pauseMs = Math.max(fault.retryAfterMs ?? 0, RETRY_AFTER_MS[attempt] ?? Infinity);
  if (!fault.retryable || pauseMs > LONGEST_PAUSE_MS || deadline.signal.aborted) throw lastFault(fault);
  await deadline.sleep(pauseMs);
}

/** The conversation repeats a request of an engine that crashed. The attempts here are enough. */
const lastFault = (fault: RemoteFault): RemoteFault =>
  fault.code === "ENGINE_CRASHED" ? new RemoteFault("ENGINE_UNAVAILABLE", fault.message, { cause: fault }) : fault;
