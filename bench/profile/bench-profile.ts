import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { packageRoot } from "../../src/shared/package-root.ts";
import { errorMessage } from "../../src/shared/errors.ts";
import { runStage } from "../../src/simulated-callers/run-stage.ts";
import { loadScenario } from "../../src/simulated-callers/scenario.ts";
import { readOptions } from "../options.ts";
import { costs } from "./costs.ts";
import { recorder, replay, type RecordedCall } from "./recorded-call.ts";
import { startBareServer, startServer, type Clocks, type Server } from "./servers.ts";

const USAGE = `npm run bench:profile -- [--callers N] [--seconds S] [--rounds R] [--scenario FILE]
Measures the processor time of the server's JavaScript thread for each caller, as the system counts it. The share of
the models that run on this thread is measured by the processor's clock around each inference. The lower bound is a
server of Node and ws that receives and sends the same messages. Eight callers warm up both servers for S seconds
(20). The measured callers then call one server after the other, R times (2). A last run of the server is sampled and
lists its most costly functions. Samples give the order of the functions, not their cost, because a sample includes
waiting for a core. When it is stopped before the samples, it prints the measurements so far.`;

/** Callers of the warm-up. Code runs slowly until it is compiled and optimised. */
const WARM_UP_CALLERS = 8;

/** Time spent during the measurement. */
class Tally {
  seconds = 0;
  thread = 0;
  models = 0;
  readonly #clocks: () => Promise<Clocks>;

  constructor(clocks: () => Promise<Clocks>) {
    this.#clocks = clocks;
  }

  async during(work: () => Promise<unknown>): Promise<void> {
    const [before, beganMs] = [await this.#clocks(), performance.now()];
    await work();
    const after = await this.#clocks();
    this.seconds += (performance.now() - beganMs) / 1000;
    this.thread += after.thread - before.thread;
    this.models += after.models - before.models;
  }
}

/** Resolves when the server has released all ended calls. Rejects after a minute. */
async function emptied(server: Server): Promise<void> {
  const { host } = new URL(server.urlOf("any"));
  for (let tries = 0; tries < 120; tries += 1) {
    const metrics = await (await fetch(`http://${host}/metrics`)).text();
    if (/^oakvoice_sessions 0$/m.test(metrics)) return;
    await sleep(500);
  }
  throw new Error("the server did not release calls that have ended");
}

async function main(): Promise<void> {
  const values = readOptions(USAGE, {
    callers: { type: "number", default: 1 },
    seconds: { type: "number", default: 20 },
    rounds: { type: "number", default: 2 },
    scenario: { type: "string", default: join(packageRoot, "bench", "conversation", "scenarios", "crowd.yaml") },
  });
  const callers = values.callers;
  const scenario = loadScenario(values.scenario);
  const [server, bare] = [await startServer(), await startBareServer()];
  const call = async (count: number): Promise<readonly RecordedCall[]> => {
    const calls: RecordedCall[] = [];
    await runStage(scenario, count, values.seconds * 1000, { ...server, openSocket: recorder(calls) });
    return calls;
  };
  const callBare = async (calls: readonly RecordedCall[]) =>
    Promise.all(calls.map(async (recorded, at) => replay(recorded, `${bare.url}/${String(at)}`)));

  const [real, floor] = [new Tally(server.clocks), new Tally(bare.clocks)];
  const percent = (share: number) => `${((100 * share) / callers).toFixed(2)} %`.padStart(8);
  /** Returns the share of the server's own work. */
  const report = (): number => {
    const thread = real.thread / real.seconds;
    const own = (real.thread - real.models) / real.seconds;
    const least = floor.thread / floor.seconds;
    console.log(`${String(callers)} callers, ${real.seconds.toFixed(0)} s. Share of one core for each caller:`);
    console.log(`${percent(thread)}  JavaScript thread, processor time`);
    console.log(`${percent(thread - own)}    models in it`);
    console.log(`${percent(own)}    the server's own work`);
    console.log(
      `${percent(least)}      part of it that a server needs that only passes the same messages (${(own / least).toFixed(1)} times)`,
    );
    return own;
  };

  const warmUp = await call(WARM_UP_CALLERS);
  await emptied(server);
  await bare.learn(warmUp);
  await callBare(warmUp);
  const cutShort = () => {
    report();
    process.exit(1);
  };
  for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, cutShort);
  for (let round = 0; round < values.rounds; round += 1) {
    let calls: readonly RecordedCall[] = [];
    await real.during(async () => (calls = await call(callers)));
    // Messages may still arrive and be recorded until then.
    await emptied(server);
    await bare.learn(calls);
    await floor.during(async () => callBare(calls));
  }
  const own = report();
  for (const signal of ["SIGINT", "SIGTERM"]) process.off(signal, cutShort);
  bare.stop();

  await server.ask("start sampling", "sampling");
  await call(callers);
  const { profile } = await server.ask("stop sampling", "samples");
  await server.stop();
  console.log("              most costly functions of it");
  for (const { name, share } of costs(profile).slice(0, 20)) console.log(`${percent(share * own)}      ${name}`);
}

main().then(
  () => process.exit(),
  (error: unknown) => {
    console.error(`bench: ${errorMessage(error)}`);
    process.exit(1);
  },
);
