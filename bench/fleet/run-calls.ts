import { setTimeout as sleep } from "node:timers/promises";
import { errorMessage } from "../../src/shared/errors.ts";
import type { CallRecord } from "../../src/simulated-callers/call-figures.ts";
import { SimulatedCaller } from "../../src/simulated-callers/caller.ts";
import { scriptFor, type Scenario } from "../../src/simulated-callers/scenario.ts";
import type { Fault } from "./faults.ts";
import type { RunningFleet } from "./running-fleet.ts";

/** After the middle call began: its caller speaks by then. */
const STRIKE_AFTER_MS = 12_000;

export interface Load {
  readonly calls: number;
  readonly atOnce: number;
  /** A caller repeats the script this long, and completes it at least once. */
  readonly seconds: number;
}

export interface CallsRun {
  readonly records: readonly CallRecord[];
  /** Why calls did not begin. */
  readonly refused: readonly string[];
  readonly strikeMs: number | undefined;
  /** All calls together. */
  readonly callSeconds: number;
}

/** Makes the calls, `atOnce` at a time. The fault strikes after the middle one has begun. */
export async function runCalls(fleet: RunningFleet, scenario: Scenario, load: Load, fault: Fault): Promise<CallsRun> {
  const records: CallRecord[] = [];
  const refused: string[] = [];
  let next = 0;
  let callMs = 0;
  let striking: Promise<number | undefined> | undefined;
  const callOne = async (index: number) => {
    const caller = new SimulatedCaller(index, scriptFor(scenario, index), scenario);
    try {
      await caller.connect(fleet.urlOf, undefined, true);
    } catch (error) {
      refused.push(errorMessage(error));
      return;
    }
    if (index === Math.floor((load.calls - 1) / 2)) striking = strike(fleet, fault);
    const beganMs = performance.now();
    records.push(await caller.run(beganMs + 1000 * load.seconds));
    callMs += performance.now() - beganMs;
  };
  const work = async () => {
    while (next < load.calls) await callOne(next++);
  };
  await Promise.all(Array.from({ length: Math.min(load.atOnce, load.calls) }, work));
  return { records, refused, strikeMs: await striking, callSeconds: callMs / 1000 };
}

async function strike(fleet: RunningFleet, fault: Fault): Promise<number | undefined> {
  if (fault.strike === undefined) return undefined;
  await sleep(STRIKE_AFTER_MS);
  const atMs = performance.now();
  await fault.strike(fleet);
  return atMs;
}
