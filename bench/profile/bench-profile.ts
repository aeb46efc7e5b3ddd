import { spawn } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { parseArgs } from "node:util";
import { packageRoot } from "../../src/config/package-root.ts";
import { errorMessage } from "../../src/shared/errors.ts";
import { runStage } from "../conversation/run-stage.ts";
import { loadScenario } from "../conversation/scenario.ts";
import { costs, type CpuProfile } from "./costs.ts";

const USAGE = `npm run bench:profile -- [--callers N] [--minutes M] [--scenario FILE]
Callers in real time against a server that samples itself (node --cpu-prof): what costs most in its own process, and its own
work, that is everything but the models that run in it, as a share of one core by caller. On an idle machine: a sample
cannot tell work from waiting for a core.`;

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
  const folder = mkdtempSync(join(tmpdir(), "oakvoice-profile-"));
  try {
    const flags = ["--cpu-prof", `--cpu-prof-dir=${folder}`, "--cpu-prof-interval=1000"];
    const server = spawn(process.execPath, [...flags, join(packageRoot, "dist", "src", "main.js"), "--port", "0"], {
      stdio: ["ignore", "pipe", "inherit"],
      env: { OAKVOICE_LOG_LEVEL: "warn", ...process.env },
    });
    process.once("exit", () => server.kill("SIGTERM"));
    const ended = new Promise((resolve) => server.once("exit", resolve));
    const { value: address } = await createInterface({ input: server.stdout })[Symbol.asyncIterator]().next();
    if (typeof address !== "string") throw new Error("the server did not start");
    const urlOf = (id: string) => address.replace("<connection_id>", id);
    const port = Number(new URL(urlOf("any")).port);
    const { summary } = await runStage(loadScenario(values.scenario), callers, Number(values.minutes) * 60_000, {
      urlOf,
      port,
    });
    server.kill("SIGTERM");
    await ended;
    const [file = ""] = readdirSync(folder);
    const profile = JSON.parse(readFileSync(join(folder, file), "utf8")) as CpuProfile;
    const { busySeconds, inferenceSeconds, byFunction } = costs(profile, summary.seconds);
    const perCaller = (seconds: number) => `${((100 * seconds) / summary.seconds / callers).toFixed(2)} %`;
    console.log(`${String(callers)} callers, ${summary.seconds.toFixed(0)} s; of one core, by caller:`);
    console.log(`  ${perCaller(busySeconds).padStart(8)}  JavaScript thread, all of it`);
    console.log(`  ${perCaller(inferenceSeconds).padStart(8)}  models in it`);
    console.log(`  ${perCaller(busySeconds - inferenceSeconds).padStart(8)}  the server's own work, of which most is`);
    for (const { name, seconds } of byFunction.slice(0, 15))
      console.log(`  ${perCaller(seconds).padStart(8)}    ${name}`);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

main().catch((error: unknown) => {
  console.error(`bench: ${errorMessage(error)}`);
  process.exitCode = 1;
});
