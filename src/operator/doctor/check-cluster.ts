import { openCluster } from "../../cluster/valkey.ts";
import type { ServerConfig } from "../../config/server-config.ts";
import { silentLog } from "../../shared/log.ts";

const ROUNDS = 20;

/** The shared store of `cluster.url`: its line of the report, and a finding when it does not answer. */
export interface ClusterCheck {
  readonly lines: readonly string[];
  readonly faults: readonly string[];
}

/** @throws OakError `CLUSTER_INVALID` when a file cannot be used: the server would not start. */
export async function checkCluster({ cluster: config }: ServerConfig): Promise<ClusterCheck> {
  if (config === undefined) return { lines: [], faults: [] };
  const { host } = new URL(config.url);
  const cluster = await openCluster(config, silentLog);
  try {
    const times: number[] = [];
    for (let round = 0; round < ROUNDS; round += 1) {
      const startedMs = performance.now();
      await cluster.get("doctor");
      times.push(performance.now() - startedMs);
    }
    const medianMs = times.toSorted((a, b) => a - b)[ROUNDS / 2] ?? 0;
    return { lines: [`cluster: ${host} answers in ${medianMs.toFixed(1)} ms`], faults: [] };
  } catch {
    const fault = cluster.fault ?? `cluster.url: ${host} does not answer in time.`;
    const consequence = "Until it answers, ids and key quotas hold for this server alone.";
    return { lines: [], faults: [`${fault} ${consequence}`] };
  } finally {
    cluster.close();
  }
}
