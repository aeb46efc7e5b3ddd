import { spawn } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { parseArgs } from "node:util";
import { packageRoot } from "../../src/config/package-root.ts";
import { errorMessage } from "../../src/shared/errors.ts";
import { firstThreadSeconds } from "../conversation/processes.ts";
import { runStage } from "../conversation/run-stage.ts";
import { loadScenario } from "../conversation/scenario.ts";
import { costs, type CpuProfile } from "./costs.ts";

const USAGE = `npm run bench:profile -- [--callers N] [--minutes M] [--scenario FILE]
What the server's JavaScript thread costs, by caller, in processor time as the system counts it: while callers connect and
its code is new, then in the same time again. Then once more with a server that samples itself (node --cpu-prof), which
costs a per cent or two of a core by itself: what share of that are the models, and what most of the rest. On an idle
machine: a sample cannot tell work from waiting for a core.`;

interface Server {
  readonly pid: number;
  readonly urlOf: (id: string) => string;
  /** Resolves when it has ended. */
  stop(): Promise<unknown>;
}

async function startServer(flags: readonly string[]): Promise<Server> {
  const server = spawn(process.execPath, [...flags, join(packageRoot, "dist", "src", "main.js"), "--port", "0"], {
    stdio: ["ignore", "pipe", "inherit"],
    env: { OAKVOICE_LOG_LEVEL: "warn", ...process.env },
  });
  process.once("exit", () => server.kill("SIGTERM"));
  const ended = new Promise((resolve) => server.once("exit", resolve));
  const { value: address } = await createInterface({ input: server.stdout })[Symbol.asyncIterator]().next();
  if (typeof address !== "string" || server.pid === undefined) throw new Error("the server did not start");
  const stop = async () => {
    server.kill("SIGTERM");
    return ended;
  };
  return { pid: server.pid, urlOf: (id) => address.replace("<connection_id>", id), stop };
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      callers: { type: "string", default: "1" },
      minutes: { type: "string", default: "1" },
      scenario: { type: "string", default: join(packageRoot, "bench", "conversation", "scenarios", "crowd.yaml") },
      help: { type: "boolean", default: false },
    },
  });
  if (values.help) return console.log(USAGE);
  const callers = Number(values.callers);
  const scenario = loadScenario(values.scenario);
  const call = async ({ urlOf }: Server): Promise<number> => {
    const stage = await runStage(scenario, callers, Number(values.minutes) * 60_000, { urlOf, port: undefined });
    return stage.summary.seconds;
  };
  const percent = (share: number) => `${((100 * share) / callers).toFixed(2)} %`.padStart(8);

  const plain = await startServer([]);
  const shares: number[] = [];
  for (let round = 0; round < 2; round += 1) {
    const before = firstThreadSeconds(plain.pid);
    const beganMs = performance.now();
    await call(plain);
    shares.push((firstThreadSeconds(plain.pid) - before) / ((performance.now() - beganMs) / 1000));
  }
  await plain.stop();
  const [first = NaN, steady = NaN] = shares;

  const folder = mkdtempSync(join(tmpdir(), "oakvoice-profile-"));
  try {
    const sampled = await startServer(["--cpu-prof", `--cpu-prof-dir=${folder}`, "--cpu-prof-interval=1000"]);
    await call(sampled);
    const seconds = await call(sampled);
    await sampled.stop();
    const [file = ""] = readdirSync(folder);
    const profile = JSON.parse(readFileSync(join(folder, file), "utf8")) as CpuProfile;
    const { busySeconds, inferenceSeconds, byFunction } = costs(profile, seconds);
    const scale = steady / busySeconds;
    console.log(`${String(callers)} callers, twice ${seconds.toFixed(0)} s; of one core, by caller:`);
    console.log(`${percent(first)}  JavaScript thread, processor time; with the start of the calls`);
    console.log(`${percent(steady)}  the same with calls like them before`);
    console.log(`${percent(inferenceSeconds * scale)}    models in it`);
    console.log(`${percent((busySeconds - inferenceSeconds) * scale)}    the server's own work, of which most is`);
    for (const { name, seconds: spent } of byFunction.slice(0, 20))
      console.log(`${percent(spent * scale)}      ${name}`);
    console.log(
      `${percent(busySeconds / seconds)}  what its samples say: with the profiler, and with waiting for a core`,
    );
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

main().catch((error: unknown) => {
  console.error(`bench: ${errorMessage(error)}`);
  process.exitCode = 1;
});
