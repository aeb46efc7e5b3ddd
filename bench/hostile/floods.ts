import { spawn } from "node:child_process";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { useOf } from "../../src/simulated-callers/processes.ts";
import { FLOODS, type Flood } from "./flood-kinds.ts";
import { HonestCaller } from "./honest-caller.ts";
import type { ServerProcess } from "./server-process.ts";

/** Largest factor by which a flood may delay a caller's `turn_end`. */
const MOST_RATIO = 1.5;
/** Time from a flood's start to the caller's turn, and from its end to the next quiet turn. */
const LEAD_MS = 1_000;

interface Traffic {
  readonly megabytesPerSecond: number;
  readonly connectionsPerSecond: number;
}

/**
 * Prints how long an honest caller waits for `turn_end` after the last voiced sample, alone and under each flood. Quiet and
 * flooded turns alternate, so that other load on the machine affects both. The times are medians. `cores` is the use of the server's process.
 * @param only Part of the name of the floods to run.
 * @returns One line for each flood that delayed the caller too much.
 */
export async function measureFloods(server: ServerProcess, turns: number, only: string): Promise<string[]> {
  const failures: string[] = [];
  const serverCpuSeconds = () => useOf(server.pid)?.rootCpuSeconds ?? NaN;
  const measure = async (start: () => () => Promise<Traffic>) => {
    const caller = await HonestCaller.connect(server.urlOf);
    const stop = start();
    await sleep(LEAD_MS);
    const [before, startMs] = [serverCpuSeconds(), performance.now()];
    const delayMs = await caller.turnEndMs();
    const cores = (serverCpuSeconds() - before) / ((performance.now() - startMs) / 1_000);
    const traffic = await stop();
    caller.close();
    await sleep(LEAD_MS);
    return { delayMs, cores, traffic };
  };
  const quietly = () => async () => ({ megabytesPerSecond: 0, connectionsPerSecond: 0 });
  console.log(row("flood", ["MB/s", "sockets/s", "cores", "quiet ms", "flooded ms", "ratio", "p95 ratio"]));
  for (const flood of FLOODS.filter(({ name }) => name.includes(only))) {
    const quiet: number[] = [];
    const flooded: number[] = [];
    const cores: number[] = [];
    let traffic: Traffic | undefined;
    for (let turn = 0; turn < turns; turn += 1) {
      quiet.push((await measure(quietly)).delayMs);
      const underFlood = await measure(() => startFlood(flood, server));
      flooded.push(underFlood.delayMs);
      cores.push(underFlood.cores);
      traffic = underFlood.traffic;
    }
    const ratio = median(flooded) / median(quiet);
    const sent = [traffic?.megabytesPerSecond.toFixed(1) ?? "", traffic?.connectionsPerSecond.toFixed(0) ?? ""];
    const delays = [median(cores).toFixed(2), median(quiet).toFixed(0), median(flooded).toFixed(0)];
    const late = p95(flooded) / p95(quiet);
    console.log(row(flood.name, [...sent, ...delays, ratio.toFixed(2), late.toFixed(2)]));
    if (!(ratio <= MOST_RATIO))
      failures.push(`a flood (${flood.name}): turn_end took ${ratio.toFixed(2)} times as long`);
  }
  return failures;
}

/** Runs a flood in a separate process, so that the attacker's event loop does not delay the measurement. */
function startFlood({ name, withKey = false }: Flood, server: ServerProcess): () => Promise<Traffic> {
  const url = new URL(server.urlOf(randomUUID()));
  if (!withKey) url.searchParams.set("api_key", "oak_wrong");
  const script = fileURLToPath(new URL("flood-process.js", import.meta.url));
  const child = spawn(process.execPath, [script, name, url.href], { stdio: ["pipe", "pipe", "inherit"] });
  const said = text(child.stdout);
  return async () => {
    child.stdin.end();
    return JSON.parse(await said) as Traffic;
  };
}

const median = (values: readonly number[]) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? NaN;
const p95 = (values: readonly number[]) =>
  values.toSorted((a, b) => a - b)[Math.floor(0.95 * (values.length - 1) + 0.5)] ?? NaN;

const row = (name: string, cells: readonly string[]) =>
  `${name.padEnd(34)}${cells.map((cell) => cell.padStart(12)).join("")}`;
