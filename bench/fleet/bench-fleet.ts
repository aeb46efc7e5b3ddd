import { mkdirSync } from "node:fs";
import { loadavg } from "node:os";
import { join } from "node:path";
import { packageRoot } from "../../src/shared/package-root.ts";
import { errorMessage } from "../../src/shared/errors.ts";
import { writeOutput } from "../../src/shared/files/write-output.ts";
import { describeMachine } from "../../src/simulated-callers/machine.ts";
import { loadScenario, type Scenario } from "../../src/simulated-callers/scenario.ts";
import type { Summary } from "../../src/simulated-callers/statistics.ts";
import { readOptions } from "../options.ts";
import { alignRows, type Row } from "../text-table.ts";
import { readBalancerLog } from "./balancer-log.ts";
import { FAULTS, type Fault } from "./faults.ts";
import { outcomeOf, type Outcome } from "./outcome.ts";
import { runCalls, type Load } from "./run-calls.ts";
import { abilities, RunningFleet, type FleetWish } from "./running-fleet.ts";

const USAGE = `npm run bench:fleet -- [--faults none,kill,drain,redis,cut] [--calls N --at-once N] [--seconds S] [--places N] [--drain S] [--scenario FILE] [--out FOLDER]
Scripted callers talk through Debian's HAProxy to three boxes with starter models, and something fails: a box is killed, a box is stopped, Redis is killed, the
network of a box is cut. Root and iproute2 give each machine a network namespace; without them all is loopback, and no network is cut. Needs
the Debian packages haproxy and redis-server. Prints a table and writes fleet-bench.json.`;

async function main(): Promise<void> {
  const values = readOptions(USAGE, {
    faults: { type: "string", default: FAULTS.map(({ name }) => name).join(",") },
    calls: { type: "number", default: 6 },
    "at-once": { type: "number", default: 6 },
    /** A caller repeats the script this long. 0: once. */
    seconds: { type: "number", default: 50 },
    places: { type: "number", default: 4 },
    drain: { type: "number", default: 5 },
    scenario: { type: "string", default: join(packageRoot, "bench", "conversation", "scenarios", "crowd.yaml") },
    out: { type: "string", default: join(packageRoot, "build", "fleet") },
  });
  const faults = values.faults.split(",").map(faultNamed);
  const scenario = loadScenario(values.scenario);
  const load: Load = {
    calls: values.calls,
    atOnce: values["at-once"],
    seconds: values.seconds,
  };
  const wish = { places: values.places, drainSeconds: values.drain };
  const numbers = [load.calls, load.atOnce, wish.places];
  if (!numbers.every((number) => number >= 1) || !(load.seconds >= 0) || !(wish.drainSeconds >= 0))
    throw new Error(USAGE);
  for (const [setting, isThere] of Object.entries(abilities))
    if (!isThere) console.log(`without ${setting}: not in this version`);
  const outcomes: Outcome[] = [];
  for (const fault of faults) {
    console.log(`${fault.name}: ${fault.does} ...`);
    try {
      const outcome = await measure(fault, wish, scenario, load);
      if (outcome !== undefined) outcomes.push(outcome);
    } catch (error) {
      console.error(`  failed: ${errorMessage(error)}`);
      process.exitCode = 1;
    }
  }
  const conditions = `${describeMachine()}; load ${loadavg()[0]!.toFixed(1)}; ${String(load.calls)} calls, ${String(load.atOnce)} at once`;
  mkdirSync(values.out, { recursive: true });
  const report = { conditions, abilities, outcomes };
  writeOutput(join(values.out, "fleet-bench.json"), `${JSON.stringify(report, undefined, 2)}\n`);
  console.log(`\n${scenario.name}; ${conditions}\n${alignRows(tableOf(outcomes))}`);
}

async function measure(fault: Fault, wish: FleetWish, scenario: Scenario, load: Load): Promise<Outcome | undefined> {
  await using fleet = await RunningFleet.start(wish);
  if (fault.needsNamespaces === true && fleet.boxes[0]?.place.cut === undefined) {
    console.log("  not measured: this machine gives no network namespaces");
    return undefined;
  }
  const before = fleet.storeUse();
  const run = await runCalls(fleet, scenario, load, fault);
  const after = fleet.storeUse();
  for (const reason of new Set(run.refused)) console.log(`  refused: ${reason}`);
  // HAProxy ends when its calls are closed on both sides, and writes a line for each of them.
  await fleet.balancer.stop("SIGUSR1");
  const outcome = outcomeOf(fault.name, run, readBalancerLog(fleet.balancer.lines, fleet.balancer.notices));
  if (before === undefined || after === undefined) return outcome;
  const store = { scripts: after.scripts - before.scripts, kilobytesIn: after.kilobytesIn - before.kilobytesIn };
  return { ...outcome, store };
}

function faultNamed(name: string): Fault {
  const fault = FAULTS.find((known) => known.name === name);
  if (fault === undefined)
    throw new Error(`--faults: ${name} is not one of ${FAULTS.map((known) => known.name).join(", ")}.`);
  return fault;
}

function tableOf(outcomes: readonly Outcome[]): readonly Row[] {
  const row = (name: string, cell: (outcome: Outcome) => string): Row => ({ name, cells: outcomes.map(cell) });
  const times = (value: Summary | undefined) =>
    value === undefined ? "-" : `${value.p50.toFixed(1)} / ${value.max.toFixed(1)}`;
  return [
    row("fault", ({ fault }) => fault),
    row("calls; refused at the beginning", ({ calls, refused }) => `${String(calls)}; ${String(refused)}`),
    row("calls hit", ({ hit }) => String(hit)),
    row("calls resumed", ({ resumed }) => String(resumed)),
    row("calls lost", ({ lost }) => String(lost)),
    row("turns without an answer", ({ turnsLost, turns }) => `${String(turnsLost)} of ${String(turns)}`),
    row("seconds without a session (p50 / most)", ({ backSeconds }) => times(backSeconds)),
    row("seconds from the fault to the next speech heard", ({ nextAnswerSeconds }) => times(nextAnswerSeconds)),
    row("leaks", ({ leaks }) => String(leaks)),
    row("errors", ({ errors }) => counted(errors)),
    row("calls per box (HAProxy's log)", ({ log }) =>
      Object.entries(log.callsByBox)
        .toSorted(([a], [b]) => a.localeCompare(b))
        .map(([, count]) => String(count))
        .join(" "),
    ),
    row("refused (HAProxy's log)", ({ log }) => String(log.refused)),
    row("Redis, per second of a call: scripts; kB in", ({ store, callSeconds }) =>
      store === undefined
        ? "-"
        : `${(store.scripts / callSeconds).toFixed(2)}; ${(store.kilobytesIn / callSeconds).toFixed(2)}`,
    ),
    row("boxes marked down (HAProxy)", ({ log }) => counted(log.markedDown)),
  ];
}

const counted = (counts: Readonly<Record<string, number>>): string =>
  Object.entries(counts)
    .map(([name, count]) => `${name} ${String(count)}`)
    .join(", ") || "0";

main().catch((error: unknown) => {
  console.error(`bench:fleet: ${errorMessage(error)}`);
  process.exitCode = 1;
});
