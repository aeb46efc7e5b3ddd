import { fastPathOf, loadModelCatalog, isGpuProfile, modelFor, type Profile } from "../../config/model-catalog.ts";
import { withoutRemote, type ModelsConfig, type ServerConfig } from "../../config/server-config.ts";
import { errorMessage } from "../../shared/errors.ts";
import { timeAlone, type AloneTimes } from "../rehearse/time-model.ts";
import { RehearsalPlace } from "../rehearse/place.ts";
import { isSpoken, rehearsedModels } from "../rehearse/rehearsed-models.ts";
import { bytesOf } from "../rehearse/write-pieces.ts";
import type { MachineSize, Measurement } from "./choose-profile.ts";

/** Tokens that a turn adds to the prompt, and tokens of the reply's first clause. */
const TURN_TOKENS = 60;
const CLAUSE_TOKENS = 10;

/** Rehearses a profile's recogniser, language model and voice one after the other. Removes their files at the end. */
export async function measureProfile(
  profile: Profile,
  config: ServerConfig,
  machine: MachineSize,
  say: (line: string) => void,
  signal: AbortSignal,
): Promise<Measurement> {
  const catalog = loadModelCatalog();
  try {
    const rehearsed = rehearsedModels(catalog, profile);
    const megabytes = rehearsed.reduce((sum, { file }) => sum + bytesOf(file.pieces), 0) / 1e6;
    if (megabytes > machine.diskMb || megabytes > machine.memoryMb)
      return { notMeasured: `its rehearsal needs ${(megabytes / 1000).toFixed(1)} GB of disk and memory` };
    using place = new RehearsalPlace(config.dataDir, undefined);
    for (const { model, file } of rehearsed) {
      say(`writing ${model.id} ...`);
      await place.write(model, file, signal, () => undefined);
    }
    const voice = modelFor(catalog, "tts", profile);
    const used = {
      stt: modelFor(catalog, "stt", profile),
      llm: modelFor(catalog, "llm", profile),
      tts: isSpoken(voice) ? voice : modelFor(catalog, "tts", "starter"),
    };
    const gpu = isGpuProfile(profile) ? "auto" : "off";
    const configured = withoutRemote(config.models);
    const path = place.path(used.stt);
    const fastPath = fastPathOf(catalog, path, place.folder);
    const models: ModelsConfig = {
      ...configured,
      stt: { ...configured.stt, path, fastPath, gpu, threads: 0 },
      llm: { ...configured.llm, path: place.path(used.llm), gpu, threads: 0 },
      tts: { ...configured.tts, dir: place.path(used.tts), threads: 0 },
    };
    const times: Partial<AloneTimes>[] = [];
    for (const model of Object.values(used)) {
      say(`${model.id} ...`);
      times.push(await timeAlone(model, place.path(model), !model.shipped, models, signal));
    }
    return answerTime(Object.assign({}, ...times) as AloneTimes);
  } catch (error) {
    signal.throwIfAborted();
    return { notMeasured: `its rehearsal failed: ${errorMessage(error)}` };
  }
}

/** Time from the end of a turn to the first sound of an unprepared reply. */
export function answerTime(times: AloneTimes): Measurement {
  const { decodeMs = 0, prefillTokensPerSecond = Infinity, decodeTokensPerSecond = Infinity, clauseMs = 0 } = times;
  const parts = [
    ["recognition", decodeMs / 1000],
    ["prompt", TURN_TOKENS / prefillTokensPerSecond],
    ["first words", CLAUSE_TOKENS / decodeTokensPerSecond],
    ["speech", clauseMs / 1000],
  ] as const;
  return {
    seconds: parts.reduce((sum, [, seconds]) => sum + seconds, 0),
    parts: parts.map(([name, seconds]) => `${name} ${seconds.toFixed(2)} s`).join(", "),
  };
}
