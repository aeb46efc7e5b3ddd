import { createContext, Script } from "node:vm";

const context: { work: (() => unknown) | undefined } = { work: undefined };
createContext(context);
const script = new Script("work()");

/**
 * Runs synchronous work that may take exponential time, such as a regular expression that did not come with the program.
 * Returns undefined when the work was stopped after `ms`.
 */
export function withinBudget<Result>(ms: number, work: () => Result): { readonly result: Result } | undefined {
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
