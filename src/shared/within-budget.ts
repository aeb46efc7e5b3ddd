import { readFileSync } from "node:fs";
import { createContext, Script } from "node:vm";

const context: { work: (() => unknown) | undefined } = { work: undefined };
createContext(context);
const script = new Script("work()");
/** Work that a busy machine interrupts again and again is given up. */
const MOST_ATTEMPTS = 5;

/**
 * Runs synchronous work that may take exponential time, such as a regular expression that did not come with the program.
 * Returns undefined when the work was not done in an attempt of `ms`. Attempts go on until they have had `ms` of the processor together,
 * because other programs and threads may have taken the time of the first ones. So the work must not change anything.
 */
export function withinBudget<Result>(
  ms: number,
  work: () => Result,
  processorMs = threadMs,
): { readonly result: Result } | undefined {
  const fromMs = processorMs();
  for (let attempt = 0; attempt < MOST_ATTEMPTS && processorMs() - fromMs < ms; attempt += 1) {
    const done = withinTime(ms, work);
    if (done !== undefined) return done;
  }
  return undefined;
}

/** Processor time of this thread on Linux, of all threads of the process elsewhere. */
export function threadMs(): number {
  let nanoseconds = 0;
  try {
    // A synchronous read is this thread's own.
    nanoseconds = Number(readFileSync("/proc/thread-self/schedstat", "latin1").split(" ")[0]);
  } catch {
    // Not Linux, or a kernel without these numbers.
  }
  if (nanoseconds > 0) return nanoseconds / 1e6;
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

function withinTime<Result>(ms: number, work: () => Result): { readonly result: Result } | undefined {
  let done: { readonly result: Result } | undefined;
  context.work = () => (done = { result: work() });
  try {
    script.runInContext(context, { timeout: ms });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ERR_SCRIPT_EXECUTION_TIMEOUT") throw error;
  } finally {
    context.work = undefined;
  }
  return done;
}
