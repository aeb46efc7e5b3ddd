import { isGpuProfile, loadModelCatalog, modelFor, type Profile } from "../../config/model-catalog.ts";
import { withoutRemote, type ModelsConfig, type ServerConfig } from "../../config/server-config.ts";
import { errorMessage } from "../../shared/errors.ts";
import { timesOf } from "../rehearse/model-times.ts";
import { TIMED_ROLES } from "../rehearse/rehearse.ts";
import type { AloneTimes } from "../rehearse/time-model.ts";
import { WorkFolder } from "../rehearse/work-folder.ts";
import type { Measurement } from "./choose-profile.ts";

/** Tokens that a turn adds to the prompt, and tokens of the reply's first clause. */
const TURN_TOKENS = 60;
const CLAUSE_TOKENS = 10;

/** Times a profile's recogniser, language model and voice one after the other. They need not be installed. */
export async function measureProfile(
  profile: Profile,
  config: ServerConfig,
  say: (line: string) => void,
  signal: AbortSignal,
): Promise<Measurement> {
  const catalog = loadModelCatalog();
  const { dataDir } = config;
  try {
    using folder = new WorkFolder(dataDir);
    const gpu = isGpuProfile(profile) ? "auto" : "off";
    const configured = withoutRemote(config.models);
    const models: ModelsConfig = {
      ...configured,
      stt: { ...configured.stt, gpu, threads: 0 },
      llm: { ...configured.llm, gpu, threads: 0 },
      tts: { ...configured.tts, threads: 0 },
    };
    const times: Partial<AloneTimes>[] = [];
    for (const role of TIMED_ROLES) {
      const model = modelFor(catalog, role, profile);
      say(`${model.id} ...`);
      times.push(await timesOf(model, { catalog, models, dataDir, folder: folder.path, signal }));
    }
    return answerTime(Object.assign({}, ...times) as AloneTimes);
  } catch (error) {
    signal.throwIfAborted();
    return { notMeasured: errorMessage(error) };
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
