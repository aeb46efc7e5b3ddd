import { setTimeout as sleep } from "node:timers/promises";
import type { OpenSocket } from "../client/socket.ts";
import { SimulatedCaller } from "./caller.ts";
import type { MemorySample } from "./memory.ts";
import { listenerOn, useOf } from "./processes.ts";
import { scriptFor, type Scenario } from "./scenario.ts";
import { readServerMetrics } from "./server-metrics.ts";
import { summariseStage, type Stage } from "./summary.ts";

const MEMORY_EVERY_MS = 5_000;

export interface StageServer {
  urlOf(connectionId: string): string;
  /** Process of a server on this machine. */
  readonly port: number | undefined;
  /** Opens the socket. The default is a plain WebSocket. */
  readonly openSocket?: OpenSocket;
}

/**
 * Runs `count` callers at once. Measuring begins when all are ready. Each caller repeats the script for `durationMs`, and completes
 * it at least once.
 */
export async function runStage(
  scenario: Scenario,
  count: number,
  durationMs: number,
  server: StageServer,
): Promise<Stage> {
  const pid = server.port === undefined ? undefined : listenerOn(server.port);
  const use = () => (pid === undefined ? undefined : useOf(pid));
  const idle = use();
  const callers = Array.from({ length: count }, (_, at) => new SimulatedCaller(at, scriptFor(scenario, at), scenario));
  await Promise.all(callers.map(async (caller) => caller.connect((id) => server.urlOf(id), server.openSocket)));
  const before = use();
  const metricsBefore = await readServerMetrics(server.urlOf("any"));
  const beganMs = performance.now();
  const secondsSince = () => (performance.now() - beganMs) / 1000;
  const memory: MemorySample[] = [];
  const stopped = new AbortController();
  const watching = every(MEMORY_EVERY_MS, stopped.signal, () => {
    const { residentBytes, residentByProcess } = use() ?? {};
    if (residentBytes !== undefined && residentByProcess !== undefined)
      memory.push({ seconds: secondsSince(), residentBytes, residentByProcess });
  });
  const calls = await Promise.all(callers.map(async (caller) => caller.run(beganMs + durationMs)));
  const seconds = secondsSince();
  const after = use();
  stopped.abort();
  await watching;
  const metricsAfter = await readServerMetrics(server.urlOf("any"));
  return summariseStage(calls, seconds, {
    use: idle && before && after && { idle, before, after, memory },
    metrics: metricsBefore && metricsAfter && { before: metricsBefore, after: metricsAfter },
  });
}

/** Repeats until it is aborted. */
async function every(ms: number, signal: AbortSignal, work: () => void): Promise<void> {
  while (!signal.aborted) {
    work();
    await sleep(ms, undefined, { signal }).catch(() => undefined); // aborted: the loop ends
  }
}
