import { createContext, Script } from "node:vm";

const context: { work: (() => unknown) | undefined } = { work: undefined };
createContext(context);
const script = new Script("work()");
/** Work that a busy machine interrupts again and again is given up. */
const MOST_ATTEMPTS = 10;

/**
 * Runs synchronous work that may take exponential time, such as a regular expression that did not come with the program.
 * Returns undefined when the work was stopped after `ms`. Work that had the processor for less than half of its time is begun again,
 * so it must not change anything.
 */
export function withinBudget<Result>(ms: number, work: () => Result): { readonly result: Result } | undefined {
  for (let attempt = 0; attempt < MOST_ATTEMPTS; attempt += 1) {
    const fromMs = processorMs();
    const done = withinTime(ms, work);
    if (done !== undefined || processorMs() - fromMs > ms / 2) return done;
  }
  return undefined;
}

/** Time of the processor that all threads of this process took. */
function processorMs(): number {
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
