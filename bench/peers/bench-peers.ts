import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { packageRoot } from "../../src/shared/package-root.ts";
import { errorMessage, OakError } from "../../src/shared/errors.ts";
import { writeOutput } from "../../src/shared/files/write-output.ts";
import { SimulatedCaller } from "../../src/simulated-callers/caller.ts";
import { busySeconds, describeMachine } from "../../src/simulated-callers/machine.ts";
import type { CallerScript, Scenario } from "../../src/simulated-callers/scenario.ts";
import { readOptions } from "../options.ts";
import { alignRows } from "../text-table.ts";
import type { ChildServer } from "./child-server.ts";
import { compare, type Conversation, type SaidUtterance } from "./comparison.ts";
import { alternate } from "./order.ts";
import { findPrerequisites } from "./prerequisites.ts";
import { startOakvoice, startPipecat, type Ears, type RunningSystem, type SystemName } from "./systems.ts";
import { loadCall, plannedUtterances } from "./utterances.ts";

const USAGE = `npm run bench:peers -- --data DIR --weights DIR --pipecat VENV [--runs 3] [--model 0.5b|1.5b|FILE] [--ears both|whisper]
                       [--llama-server FILE] [--only oakvoice|pipecat] [--add] [--out FOLDER]
The same caller talks to Oakvoice and to a Pipecat bot with the same weights, in turn. Prints a table and writes peers.json.
One conversation takes about three minutes. Only one system runs at a time, on the ports 8931 to 8933.
  --data          the folder of the recordings (docs/bench.md)
  --weights       the folder of qwen2.5-coder-0.5b-instruct.gguf, or of the file that --model names
  --pipecat       a Python environment: python3 -m venv VENV && VENV/bin/pip install -r bench/peers/requirements.txt
  --ears          how Oakvoice hears: both as it ships (Moonshine and Whisper), or Whisper alone
  --llama-server  default: build/llama-server/llama-server, of npm run build:llama-server
  --add           keeps the conversations of peers.json and adds to them. With --only, a comparison can be measured in parts
Needs flite, espeak-ng and ffmpeg. Nothing is downloaded.`;

interface Conditions {
  readonly model: string;
  readonly ears: Ears;
  readonly machine: string;
}

interface PeersFile {
  readonly conditions: Conditions;
  readonly said: readonly SaidUtterance[];
  readonly conversations: readonly Conversation[];
}

async function main(): Promise<void> {
  const values = readOptions(USAGE, {
    data: { type: "string" },
    weights: { type: "string" },
    pipecat: { type: "string" },
    runs: { type: "number", default: 3 },
    model: { type: "string", default: "0.5b" },
    ears: { type: "string", default: "both" },
    "llama-server": { type: "string" },
    only: { type: "string" },
    add: { type: "boolean", default: false },
    out: { type: "string", default: join(packageRoot, "build", "peers") },
  });
  const { data, weights, pipecat = "", model, ears, only, out } = values;
  const runs = values.runs;
  const systems = (["oakvoice", "pipecat"] as const).filter((system) => only === undefined || only === system);
  const needsPipecat = systems.includes("pipecat");
  if (data === undefined || weights === undefined || (needsPipecat && pipecat === ""))
    throw new Error(`--data, --weights and --pipecat are needed.\n${USAGE}`);
  if (ears !== "both" && ears !== "whisper") throw new Error("--ears is both or whisper.");
  if (!Number.isInteger(runs) || runs < 1 || systems.length === 0)
    throw new Error("--runs is 1 or more, and --only is oakvoice or pipecat.");
  const llamaServer = values["llama-server"];
  const needed = findPrerequisites({ weights, model, pipecat, llamaServer, out, needsPipecat });
  const planned = plannedUtterances();
  const call = loadCall(planned, data);
  const conditions: Conditions = { model, ears, machine: describeMachine() };
  const said = planned.map(({ name, kind }) => ({ name, kind }));
  const file = join(out, "peers.json");
  const conversations = values.add ? [...earlier(file, conditions, said)] : [];
  for (const system of alternate(systems, runs)) {
    console.log(`${system} ...`);
    const start = system === "oakvoice" ? startOakvoice(needed, ears) : startPipecat(needed);
    conversations.push(await converse(system, await start, call));
    const { measures } = compare(conversations, said);
    const result: PeersFile & { readonly measures: unknown } = { conditions, said, measures, conversations };
    writeOutput(file, `${JSON.stringify(result, undefined, 1)}\n`);
  }
  const title = `${model}, ears: ${ears}, ${String(conversations.length)} conversations; ${conditions.machine}`;
  console.log(`\n${title}\n${alignRows(compare(conversations, said).rows)}\n\n${file}`);
}

/** Conversations under other conditions do not count together. */
function earlier(file: string, conditions: Conditions, said: readonly SaidUtterance[]): readonly Conversation[] {
  if (!existsSync(file)) return [];
  const found = JSON.parse(readFileSync(file, "utf8")) as PeersFile;
  if (JSON.stringify([found.conditions, found.said]) === JSON.stringify([conditions, said])) return found.conversations;
  const message = `${file} was measured with other options, utterances or another machine. Use another --out.`;
  throw new OakError(message, { code: "BENCH_FAILED" });
}

async function converse(name: SystemName, system: RunningSystem, call: Scenario): Promise<Conversation> {
  try {
    const [script] = call.callers as [CallerScript];
    const caller = new SimulatedCaller(0, script, call);
    await caller.connect(system.urlOf, system.openSocket);
    const before = useOfAll(system.servers);
    const startMs = performance.now();
    const record = await caller.run(0);
    const seconds = (performance.now() - startMs) / 1000;
    const after = useOfAll(system.servers);
    if (record.closed !== undefined) console.error(`${name} closed the connection: ${record.closed}`);
    const cpuSeconds = after.own - before.own;
    return {
      system: name,
      cores: cpuSeconds / seconds,
      otherCores: Math.max(0, after.all - before.all - (after.caller - before.caller) - cpuSeconds) / seconds,
      residentMb: after.residentBytes / 1e6,
      call: record,
    };
  } finally {
    await system.stop();
  }
}

/** Seconds of processor time so far: the system's, the caller's, and all on the machine. */
function useOfAll(servers: readonly ChildServer[]) {
  const uses = servers.map((server) => server.use()).filter((use) => use !== undefined);
  const { user, system } = process.cpuUsage();
  return {
    own: uses.reduce((sum, { cpuSeconds }) => sum + cpuSeconds, 0),
    caller: (user + system) / 1e6,
    all: busySeconds(),
    residentBytes: uses.reduce((sum, use) => sum + use.residentBytes, 0),
  };
}

main().catch((error: unknown) => {
  console.error(`bench: ${errorMessage(error)}`);
  process.exitCode = 1;
});
