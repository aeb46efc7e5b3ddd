import { accessSync, constants, writeFileSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { failures } from "../../simulated-callers/limits.ts";
import { describeMachine } from "../../simulated-callers/machine.ts";
import {
  fastPathOf,
  isGpuProfile,
  loadModelCatalog,
  modelFor,
  PROFILES,
  type Profile,
} from "../../config/model-catalog.ts";
import { withoutRemote, type ModelsConfig, type ServerConfig } from "../../config/server-config.ts";
import { examineMachine } from "../../resources/examine-machine.ts";
import { ProgressLines } from "../../model-install/progress.ts";
import { OakError } from "../../shared/errors.ts";
import { parseOptions, usageError } from "../../shared/options.ts";
import { describeResources } from "../../resources/resources.ts";
import { runCallStages } from "./call-stages.ts";
import { RehearsalPlace } from "./place.ts";
import { isSpoken, rehearsedModels, type Rehearsed } from "./rehearsed-models.ts";
import { describeRehearsal, type RehearsalReport } from "./report.ts";
import { memoryFor, requireDisk, requireMemory } from "./space.ts";
import { stoppedBySignal } from "./stopped-by-signal.ts";
import { timeCatalogue } from "./time-catalogue.ts";
import { loadWanted } from "./wanted.ts";
import { bytesOf } from "./write-pieces.ts";

interface Options {
  readonly profile: Profile;
  /** Ascending. */
  readonly callers: readonly number[];
  readonly json: string | undefined;
  readonly keep: string | undefined;
  /** Only the profile's models are timed by themselves. */
  readonly isBrief: boolean;
}

/**
 * `oakvoice rehearse`: runs a profile on files of its models' size and cost, and reports how many callers the machine can serve.
 * @param args Arguments after `rehearse`.
 * @returns The text to print. @throws OakError `USAGE`, `NO_SPACE`, `REHEARSAL_FAILED`, `STOPPED`, or the error of an engine's start.
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
  { profile, callers, keep, isBrief }: Options,
  config: ServerConfig,
  signal: AbortSignal,
): Promise<RehearsalReport> {
  const catalog = loadModelCatalog();
  const models = modelsFor(config, profile);
  const rehearsed = rehearsedModels(catalog, profile);

  using place = new RehearsalPlace(config.dataDir, keep);
  await requireSpace(rehearsed, Math.max(...callers), models, place);
  const lines = new ProgressLines(process.stderr);
  const write = async ({ model, file }: Rehearsed) => {
    const total = bytesOf(file.pieces);
    await place.write(model, file, signal, (bytes) => lines.update(`rehearsal: writing ${model.id}`, bytes, total));
    lines.end();
  };
  for (const each of rehearsed) await write(each);

  const wanted = loadWanted();
  const voice = modelFor(catalog, "tts", profile);
  const usedVoice = isSpoken(voice) ? voice : modelFor(catalog, "tts", "starter");
  const serverConfig = {
    host: "127.0.0.1",
    port: 0,
    data_dir: place.folder,
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
      tts: { dir: place.path(usedVoice), threads: models.tts.threads },
    },
    limits: { max_connections: Math.max(...callers), drain_timeout_seconds: 0 },
  };
  const pathOf = (role: "stt" | "llm") => place.path(modelFor(catalog, role, profile));
  const used = {
    stt: { ...models.stt, path: pathOf("stt"), fastPath: fastPathOf(catalog, pathOf("stt"), place.folder) },
    llm: { ...models.llm, path: pathOf("llm") },
    tts: { ...models.tts, dir: place.path(usedVoice) },
  };
  for (const line of await describeResources(used, Math.max(...callers))) say(line);
  const { stages, failed } = await runCallStages(place.folder, serverConfig, callers, wanted, say, signal);
  // A fast recogniser never works alone.
  const alonePossible = catalog.models.filter(({ engine }) => engine !== "moonshine");
  const timed = alonePossible.filter(({ profiles }) => !isBrief || profiles.includes(profile));
  const alone = await timeCatalogue(timed, place, write, models, say, signal);
  const firstFailed = stages.findIndex((stage) => failures(stage, wanted(stage.callers)).length > 0);
  const carried = firstFailed < 0 ? stages : stages.slice(0, firstFailed);
  return {
    rehearsal: true,
    profile,
    machine: describeMachine(),
    started: new Date().toISOString(),
    models: rehearsed.map(({ model, file }) => ({ id: model.id, bytes: bytesOf(file.pieces) })),
    notRehearsed: voice === usedVoice ? [] : [{ role: "tts", id: voice.id, instead: usedVoice.id }],
    stages,
    wanted: stages.map(({ callers: count }) => wanted(count)),
    carries: Math.max(0, ...carried.map((stage) => stage.callers)),
    failed,
    notTried: callers.slice(stages.length),
    alone,
  };
}

async function requireSpace(
  rehearsed: readonly Rehearsed[],
  callers: number,
  models: ModelsConfig,
  place: RehearsalPlace,
): Promise<void> {
  const machine = await examineMachine(place.folder);
  const files = rehearsed.map(({ file }) => file);
  requireMemory(memoryFor(files, callers, models.llm.contextTokens), machine);
  const missing = rehearsed.filter(({ model, file }) => !place.isWritten(model, file));
  requireDisk(
    missing.reduce((sum, { file }) => sum + bytesOf(file.pieces), 0),
    machine,
    place.folder,
  );
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
    keep: { type: "string" },
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
  return { profile, callers, json: values.json, keep: values.keep, isBrief: values.brief };
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
