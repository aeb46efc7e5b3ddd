import type { CallRecords } from "../call-record/call-records.ts";
import type { Cluster } from "../cluster/cluster.ts";
import type { SpeculationCounts } from "../conversation/reply/speculation-counts.ts";
import type { Metrics } from "../metrics/metrics.ts";
import type { VoiceServer } from "../server/voice-server.ts";
import type { EngineRegistry } from "./engine-registry.ts";

export interface Measured {
  readonly engines: EngineRegistry;
  readonly server: Pick<VoiceServer, "stats" | "certificateEndMs">;
  readonly speculation: SpeculationCounts | undefined;
  readonly records: CallRecords | undefined;
  readonly cluster: Cluster | undefined;
  readonly hasCertificate: boolean;
}

/** Gauges and counters that are read on each request for /metrics. */
export function addGauges(
  metrics: Metrics,
  { engines, server, speculation, records, cluster, hasCertificate }: Measured,
): void {
  watchBox(metrics, engines, () => server.stats(), speculation);
  if (records !== undefined) watchRecords(metrics, records);
  if (cluster !== undefined) watchCluster(metrics, cluster);
  const certificateEnd = () => (server.certificateEndMs() ?? NaN) / 1000;
  if (hasCertificate)
    metrics.gauge("oakvoice_certificate_end_timestamp_seconds", "When the TLS certificate ends", certificateEnd);
}

function watchBox(
  metrics: Metrics,
  engines: EngineRegistry,
  stats: VoiceServer["stats"],
  speculation: SpeculationCounts | undefined,
): void {
  const isUp = () => engines.each(({ state }) => (state === "ready" ? 1 : 0));
  metrics.gauge("oakvoice_engine_up", "1 while the engine is ready", isUp);
  const restarts = () => engines.each(({ restarts: count }) => count);
  metrics.counter(
    "oakvoice_engine_restarts_total",
    "Restarts of the engine's process, or returns of its server",
    restarts,
  );
  metrics.gauge("oakvoice_sessions", "Calls open now", () => stats().connections);
  metrics.gauge("oakvoice_draining", "1 while the server waits for its last calls", () => Number(stats().isDraining));
  const parked = () => stats().parked;
  metrics.gauge("oakvoice_sessions_parked", "Calls that wait for callers who lost their connections", parked);
  const resumes = () => stats().resumes;
  metrics.counter("oakvoice_resumes_total", "Connections that asked to resume a call", resumes, "outcome");
  metrics.counter("oakvoice_connections_accepted_total", "Calls accepted", () => stats().accepted);
  const rejected = () => stats().rejected;
  metrics.counter("oakvoice_connections_rejected_total", "Calls refused", rejected, "code");
  const ended = () => stats().ended;
  metrics.counter("oakvoice_sockets_ended_total", "Sockets that were not calls and were ended", ended, "reason");
  if (engines.tokens() !== undefined) {
    const tokens = () => ({ ...engines.tokens() });
    metrics.counter("oakvoice_remote_tokens_total", "Tokens of the remote language model", tokens, "kind");
  }
  if (speculation === undefined) return;
  const outcomes = () => ({ started: speculation.started, kept: speculation.kept, dropped: speculation.dropped });
  metrics.counter("oakvoice_speculation_total", "Replies prepared before the turn was over", outcomes, "outcome");
  const wasted = () => speculation.wastedMs / 1000;
  metrics.counter("oakvoice_speculation_wasted_seconds_total", "Work on prepared replies that were dropped", wasted);
}

function watchRecords(metrics: Metrics, records: CallRecords): void {
  metrics.gauge(
    "oakvoice_record_pending_bytes",
    "Bytes that wait for the disk of the call records",
    () => records.pendingBytes,
  );
  const lost = () => records.lostBlocks;
  metrics.counter("oakvoice_record_lost_blocks_total", "Pieces of call records that the disk did not take", lost);
  metrics.gauge(
    "oakvoice_record_webhooks_waiting",
    "Messages about calls that wait for their receiver",
    () => records.waitingWebhooks,
  );
}

function watchCluster(metrics: Metrics, cluster: Cluster): void {
  metrics.gauge("oakvoice_cluster_up", "1 while the boxes' shared store answers", () => (cluster.isConnected ? 1 : 0));
  const failures = () => cluster.failures;
  metrics.counter("oakvoice_cluster_failures_total", "Failures of the boxes' shared store", failures, "reason");
}
