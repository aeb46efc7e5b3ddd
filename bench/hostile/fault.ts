import { readFileSync } from "node:fs";
import { isAnswered, type Answer, type HonestCaller } from "./honest-caller.ts";
import type { ServerProcess, ServerProcessOptions } from "./server-process.ts";

/** One fault, and the conditions that must hold during it. Throws an Error that names a failed condition. */
export interface Fault {
  readonly name: string;
  /** Whether the fault also runs in the test suite. */
  readonly quick?: boolean;
  readonly server?: ServerProcessOptions;
  /** Returns the observation for the table. */
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
