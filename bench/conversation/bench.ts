import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { packageRoot } from "../../src/shared/package-root.ts";
import { openNodeSocket } from "../../src/client/node.ts";
import { realtimeSocket } from "../../src/playground/realtime-socket.ts";
import { errorMessage } from "../../src/shared/errors.ts";
import { writeOutput } from "../../src/shared/files/write-output.ts";
import { findServer } from "../../scripts/find-server.ts";
import { failures, loadLimits } from "../../src/simulated-callers/limits.ts";
import { describeMachine } from "../../src/simulated-callers/machine.ts";
import type { Report } from "./report.ts";
import { htmlReport } from "./report-html.ts";
import { textTable } from "./report-table.ts";
import { runStage } from "../../src/simulated-callers/run-stage.ts";
import { loadScenario } from "../../src/simulated-callers/scenario.ts";
import type { Stage } from "../../src/simulated-callers/summary.ts";
import { readOptions } from "../options.ts";

const USAGE = `npm run bench -- [--callers 1,2,4,8] [--minutes M] [--door voice|realtime] [--scenario FILE] [--limits FILE] [--out FOLDER]
                 [--url wss://host[:port] --api-key KEY] [--port 8787]
Callers talk to a server over its WebSocket in real time. It is the server at --url, a server on this machine, or one that is
started for the bench. --door realtime: through the OpenAI Realtime door. Prints a table and writes bench.json and bench.html. With --limits the exit code is 1 when a limit is
exceeded, and the output names the limit.`;

const SCENARIOS = join(packageRoot, "bench", "conversation", "scenarios");

async function main(): Promise<void> {
  const values = readOptions(USAGE, {
    callers: { type: "numbers", default: "1,2" },
    /** Minutes for which the callers of a stage repeat their scripts. 0 runs each script once. */
    minutes: { type: "number", default: 0 },
    scenario: { type: "string", default: join(SCENARIOS, "everyday.yaml") },
    limits: { type: "string" },
    door: { type: "string", default: "voice" },
    out: { type: "string", default: join(packageRoot, "build", "bench") },
    url: { type: "string" },
    "api-key": { type: "string" },
    port: { type: "number", default: 8787 },
  });
  const scenario = loadScenario(values.scenario);
  const limits = values.limits === undefined ? undefined : loadLimits(values.limits);
  const counts = values.callers;
  if (!counts.every((count) => Number.isInteger(count) && count > 0)) throw new Error(`--callers: ${USAGE}`);
  if (!["voice", "realtime"].includes(values.door)) throw new Error(`--door: ${USAGE}`);
  using server = await findServer({
    port: values.port,
    url: values.url,
    apiKey: values["api-key"],
    configId: scenario.configId,
    callers: Math.max(...counts),
  });
  const through = values.door === "voice" ? {} : { openSocket: realtimeSocket(openNodeSocket) };
  const stageServer = { urlOf: (id: string) => server.urlOf(id), port: server.port, ...through };
  const started = new Date().toISOString();
  const stages: Stage[] = [];
  try {
    for (const count of counts) {
      console.log(`${String(count)} callers ...`);
      stages.push(await runStage(scenario, count, values.minutes * 60_000, stageServer));
    }
  } catch (error) {
    // The stages before it are reported.
    if (stages.length === 0) throw error;
    console.error(`bench: ${errorMessage(error)}`);
    process.exitCode = 1;
  }
  const summaries = stages.map(({ summary }) => summary);
  const failed = limits === undefined ? undefined : summaries.flatMap((summary) => failures(summary, limits));
  const report: Report = { scenario: scenario.name, started, machine: describeMachine(), stages, failed };
  mkdirSync(values.out, { recursive: true });
  writeOutput(join(values.out, "bench.json"), `${JSON.stringify(report, undefined, 2)}\n`);
  writeOutput(join(values.out, "bench.html"), htmlReport(report));
  console.log(`\n${scenario.name}; ${report.machine}\n${textTable(summaries)}\n\n${values.out}/bench.{json,html}`);
  if (failed === undefined) return;
  const isWhole = stages.length === counts.length;
  for (const line of failed) console.error(`not kept: ${line}`);
  const isAccepted = isWhole && failed.length === 0;
  console.log(isAccepted ? "accepted: no limit is exceeded" : "not accepted");
  if (!isAccepted) process.exitCode = 1;
}

main().catch((error: unknown) => {
  console.error(`bench: ${errorMessage(error)}`);
  process.exitCode = 1;
});
