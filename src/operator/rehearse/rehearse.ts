import { accessSync, constants, writeFileSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { failures } from "../../simulated-callers/limits.ts";
import { describeMachine } from "../../simulated-callers/machine.ts";
import {
  fastPathOf,
  isGpuProfile,
  loadModelCatalog,
  modelFor,
  modelPath,
  PROFILES,
  type CatalogModel,
  type ModelRole,
  type Profile,
} from "../../config/model-catalog.ts";
import { withoutRemote, type ModelsConfig, type ServerConfig } from "../../config/server-config.ts";
import { errorMessage, OakError } from "../../shared/errors.ts";
import { parseOptions, usageError } from "../../shared/options.ts";
import { describeResources } from "../../resources/resources.ts";
import { runCallStages, type CallStages } from "./call-stages.ts";
import { isInstalled, timesOf, type TimesOptions } from "./model-times.ts";
import { describeRehearsal, type AloneRow, type RehearsalReport } from "./report.ts";
import { stoppedBySignal } from "./stopped-by-signal.ts";
import { loadWanted, type Wanted } from "./wanted.ts";
import { WorkFolder } from "./work-folder.ts";

interface Options {
  readonly profile: Profile;
  /** Ascending. */
  readonly callers: readonly number[];
  readonly json: string | undefined;
  /** Only the profile's models are timed by themselves. */
  readonly isBrief: boolean;
}

/** The models that decide how fast a profile answers. */
export const TIMED_ROLES: readonly ModelRole[] = ["stt", "llm", "tts"];

/**
 * `oakvoice rehearse`: times the models of a profile, and lets callers talk to a server with them when they are installed.
 * @param args Arguments after `rehearse`.
 * @returns The text to print. @throws OakError `USAGE`, `REHEARSAL_FAILED`, `SERVER_FAILED`, `STOPPED`.
 */
export async function rehearseCommand(args: readonly string[], config: ServerConfig): Promise<string> {
  const options = readArguments(args, config.profile);
  using stopped = stoppedBySignal();
  try {
    const report = await rehearse(options, config, stopped.signal);
    if (options.json !== undefined) writeFileSync(options.json, `${JSON.stringify(report, null, 2)}\n`);
    return describeRehearsal(report);
  } catch (error) {
    // Failures caused by the stop are not reported.
    stopped.signal.throwIfAborted();
    throw error;
  }
}

async function rehearse(
  { profile, callers, isBrief }: Options,
  config: ServerConfig,
  signal: AbortSignal,
): Promise<RehearsalReport> {
  const catalog = loadModelCatalog();
  const { dataDir } = config;
  const models = modelsFor(config, profile);
  const used = TIMED_ROLES.map((role) => modelFor(catalog, role, profile));
  const missing = used.filter((model) => !isInstalled(model, dataDir));
  using folder = new WorkFolder(dataDir);
  const wanted = loadWanted();
  const { stages, failed } =
    missing.length > 0
      ? { stages: [], failed: [] }
      : await simulateCalls({ profile, callers, models, dataDir, folder: folder.path, wanted, signal });
  // A fast recogniser never works alone.
  const alonePossible = catalog.models.filter(
    ({ role, engine }) => TIMED_ROLES.includes(role) && engine !== "moonshine",
  );
  const timed = alonePossible.filter(({ profiles }) => !isBrief || profiles.includes(profile));
  const alone: AloneRow[] = [];
  for (const model of timed)
    alone.push(await timeAlone(model, { catalog, models, dataDir, folder: folder.path, signal }));
  const firstFailed = stages.findIndex((stage) => failures(stage, wanted(stage.callers)).length > 0);
  const carried = firstFailed < 0 ? stages : stages.slice(0, firstFailed);
  return {
    rehearsal: true,
    profile,
    machine: describeMachine(),
    started: new Date().toISOString(),
    models: used.map(({ id, size_mb: megabytes }) => ({ id, bytes: megabytes * 1e6 })),
    missing: missing.map(({ id }) => id),
    stages,
    wanted: stages.map(({ callers: count }) => wanted(count)),
    carries: Math.max(0, ...carried.map((stage) => stage.callers)),
    failed,
    notTried: callers.slice(stages.length),
    alone,
  };
}

interface Simulation {
  readonly profile: Profile;
  readonly callers: readonly number[];
  readonly models: ModelsConfig;
  readonly dataDir: string;
  readonly folder: string;
  readonly wanted: Wanted;
  readonly signal: AbortSignal;
}

/** Callers talk to a server with the profile's models. */
async function simulateCalls(simulation: Simulation): Promise<CallStages> {
  const { profile, callers, models, dataDir, folder, wanted, signal } = simulation;
  const catalog = loadModelCatalog();
  const pathOf = (role: ModelRole) => modelPath(modelFor(catalog, role, profile), dataDir);
  const used = {
    stt: { ...models.stt, path: pathOf("stt"), fastPath: fastPathOf(catalog, pathOf("stt"), dataDir) },
    llm: { ...models.llm, path: pathOf("llm") },
    tts: { ...models.tts, dir: pathOf("tts") },
  };
  const most = Math.max(...callers);
  for (const line of await describeResources(used, most)) say(line);
  const serverConfig = {
    host: "127.0.0.1",
    port: 0,
    data_dir: folder,
    profile,
    playground: false,
    models: {
      stt: {
        gpu: models.stt.gpu,
        threads: models.stt.threads,
        audio_context: models.stt.audioContext,
        beams: models.stt.beams,
      },
      llm: { gpu: models.llm.gpu, threads: models.llm.threads, context_tokens: models.llm.contextTokens },
      tts: { threads: models.tts.threads },
    },
    limits: { max_connections: most, drain_timeout_seconds: 0 },
  };
  return runCallStages(folder, serverConfig, callers, wanted, say, signal);
}

/** One model by itself. Others may be fast enough although one cannot be timed. */
async function timeAlone(model: CatalogModel, options: TimesOptions): Promise<AloneRow> {
  const row = { id: model.id, role: model.role, bytes: model.size_mb * 1e6 };
  say(`${model.id} alone ...`);
  try {
    return { ...row, ...(await timesOf(model, options)) };
  } catch (error) {
    options.signal.throwIfAborted();
    return { ...row, skipped: errorMessage(error) };
  }
}

/** Threads and context as configured; the GPU as the profile would have it. */
function modelsFor(config: ServerConfig, profile: Profile): ModelsConfig {
  const models = withoutRemote(config.models);
  if (profile === config.profile) return models;
  const gpu = isGpuProfile(profile) ? "auto" : "off";
  return { ...models, stt: { ...models.stt, gpu }, llm: { ...models.llm, gpu } };
}

function readArguments(args: readonly string[], standard: Profile): Options {
  const { values, positionals } = parseOptions("rehearse", args, {
    profile: { type: "string", default: standard },
    callers: { type: "string", default: "1,2,4" },
    json: { type: "string" },
    brief: { type: "boolean", default: false },
  });
  const usage = (why: string) => usageError("rehearse", why);
  if (positionals[0] !== undefined) throw usage(`Unexpected argument '${positionals[0]}'`);
  const profile = PROFILES.find((name) => name === values.profile);
  if (profile === undefined) throw usage(`--profile ${values.profile}: say ${PROFILES.join(", ")}`);
  const callers = [...new Set(values.callers.split(",").map(Number))].toSorted((a, b) => a - b);
  if (!callers.every((count) => Number.isInteger(count) && count >= 1 && count <= 1_000))
    throw usage(`--callers ${values.callers}: write numbers from 1 to 1000, such as 1,2,4`);
  if (values.json !== undefined) requireWritable(dirname(resolve(values.json)));
  return { profile, callers, json: values.json, isBrief: values.brief };
}

/** Now, and not after the run. */
function requireWritable(folder: string): void {
  try {
    accessSync(folder, constants.W_OK);
  } catch (cause) {
    throw new OakError(`--json: ${folder} cannot be written to`, { code: "USAGE", cause });
  }
}

const say = (line: string): void => void process.stderr.write(`rehearsal: ${line}\n`);
