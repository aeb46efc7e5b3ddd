import { join } from "node:path";
import { failures } from "../../simulated-callers/limits.ts";
import { runStage } from "../../simulated-callers/run-stage.ts";
import { loadScenario } from "../../simulated-callers/scenario.ts";
import type { StageSummary } from "../../simulated-callers/summary.ts";
import { packageRoot } from "../../shared/package-root.ts";
import { startOwnServer } from "./own-server.ts";
import type { Wanted } from "./wanted.ts";

const SCENARIO = join(packageRoot, "bench", "conversation", "scenarios", "rehearsal.yaml");

export interface CallStages {
  readonly stages: readonly StageSummary[];
  /** One line for each limit that a stage did not keep. */
  readonly failed: readonly string[];
}

/** Lets callers talk to a server, more and more of them until some get no answer. `counts`: ascending. */
export async function runCallStages(
  folder: string,
  serverConfig: object,
  counts: readonly number[],
  wanted: Wanted,
  say: (line: string) => void,
  signal: AbortSignal,
): Promise<CallStages> {
  say("loading the models ...");
  const server = await startOwnServer(folder, serverConfig, signal);
  try {
    const scenario = loadScenario(SCENARIO);
    const stages: StageSummary[] = [];
    const failed: string[] = [];
    for (const count of counts) {
      if (stages.some(isBroken)) break;
      say(`${String(count)} ${count === 1 ? "caller" : "callers"} ...`);
      const { summary } = await runStage(scenario, count, 0, server);
      signal.throwIfAborted();
      stages.push(summary);
      failed.push(...failures(summary, wanted(count)));
    }
    return { stages, failed };
  } finally {
    await server.stop();
  }
}

const isBroken = ({ missed_turns: missed, errors, lost_connections: lost }: StageSummary): boolean =>
  missed + errors + lost > 0;
