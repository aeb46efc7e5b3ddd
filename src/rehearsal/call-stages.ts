import { join } from "node:path";
import { failures, type Limits } from "../../bench/conversation/limits.ts";
import { runStage } from "../../bench/conversation/run-stage.ts";
import { loadScenario } from "../../bench/conversation/scenario.ts";
import type { StageSummary } from "../../bench/conversation/summary.ts";
import { packageRoot } from "../config/package-root.ts";
import { startOwnServer } from "./own-server.ts";

const SCENARIO = join(packageRoot, "bench", "conversation", "scenarios", "rehearsal.yaml");

export interface CallStages {
  readonly stages: readonly StageSummary[];
  /** One line for each limit that the last stage did not keep. */
  readonly failed: readonly string[];
}

/** Lets callers talk to a server, more and more of them until a limit is not kept. `counts`: ascending. */
export async function runCallStages(
  folder: string,
  serverConfig: object,
  counts: readonly number[],
  limits: Limits,
  say: (line: string) => void,
  signal: AbortSignal,
): Promise<CallStages> {
  say("loading the models ...");
  const server = await startOwnServer(folder, serverConfig, signal);
  try {
    const scenario = loadScenario(SCENARIO);
    const stages: StageSummary[] = [];
    let failed: readonly string[] = [];
    for (const count of counts) {
      if (failed.length > 0) break;
      say(`${String(count)} ${count === 1 ? "caller" : "callers"} ...`);
      const { summary } = await runStage(scenario, count, 0, server);
      signal.throwIfAborted();
      stages.push(summary);
      failed = failures(summary, limits);
    }
    return { stages, failed };
  } finally {
    await server.stop();
  }
}
