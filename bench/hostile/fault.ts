import { readFileSync } from "node:fs";
import { isAnswered, type Answer, type HonestCaller } from "./honest-caller.ts";
import type { ServerProcess, ServerProcessOptions } from "./server-process.ts";

/** One thing that goes wrong, and what must still hold. Throws an Error that says what does not. */
export interface Fault {
  readonly name: string;
  /** Runs in the test suite too. */
  readonly quick?: boolean;
  readonly server?: ServerProcessOptions;
  /** Returns what was seen, for the table. */
  run(server: ServerProcess, caller: HonestCaller): Promise<string>;
}

export function must(holds: boolean, what: string): void {
  if (!holds) throw new Error(what);
}

export async function answered(caller: HonestCaller): Promise<Answer> {
  const answer = await caller.ask();
  must(isAnswered(answer), `not answered: ${JSON.stringify(answer)}`);
  return answer;
}

/** False for a zombie. */
export function isAlive(pid: number): boolean {
  try {
    return !/^State:\s+Z/mu.test(readFileSync(`/proc/${String(pid)}/status`, "utf8"));
  } catch {
    return false;
  }
}
