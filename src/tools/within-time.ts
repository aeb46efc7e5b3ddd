import { addAbortListener } from "node:events";
import { AbortScope } from "../shared/abort-scope.ts";
import type { Clock } from "../shared/clock.ts";
import { toolFailure } from "./failures.ts";
import { Reason } from "../egress/reasons.ts";

/**
 * Runs work with a time limit. An abort and the limit end the wait at once, also when the work does not.
 * @throws OakError `TOOL_TIMEOUT`; the signal's reason; the errors of `work`.
 */
export async function withinTime<Result>(
  seconds: number,
  signal: AbortSignal,
  clock: Clock,
  work: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  signal.throwIfAborted();
  using scope = new AbortScope(signal);
  const cancel = clock.after(seconds * 1000, () =>
    scope.abort(toolFailure("late", new Reason(`no answer in ${String(seconds)} s`))),
  );
  const ended = new Promise<never>((_, reject) => {
    addAbortListener(scope.signal, () => reject(scope.signal.reason as Error));
  });
  try {
    return await Promise.race([work(scope.signal), ended]);
  } finally {
    cancel();
    // Ends what is left of the work, such as an answer that is still coming.
    scope.abort();
  }
}
