import { join } from "node:path";
import {
  contextRuleOf,
  modelFor,
  modelPath,
  type CatalogModel,
  type ModelCatalog,
} from "../../config/model-catalog.ts";
import type { ModelsConfig } from "../../config/server-config.ts";
import { fittedContext } from "../../engines/stt/whisper/whisper-cpp.ts";
import { installState } from "../../model-install/installed.ts";
import { examineMachine } from "../../resources/examine-machine.ts";
import { OakError } from "../../shared/errors.ts";
import { writeEmptyModel } from "./empty-model.ts";
import { CLIP_SECONDS, timeAlone, type AloneTimes } from "./time-model.ts";
import { whisperOperations } from "./whisper-cost.ts";

/** The times of a model, and how they were found. */
export interface ModelTimes extends AloneTimes {
  readonly found: "measured" | "header" | "computed" | "other voice";
}

export interface TimesOptions {
  readonly catalog: ModelCatalog;
  readonly models: ModelsConfig;
  /** Holds the installed models. */
  readonly dataDir: string;
  /** For temporary files. */
  readonly folder: string;
  readonly signal: AbortSignal;
}

/** Without weights a model writes this much faster, because its pages are all the same. */
const EMPTY_IS_FASTER = 1.18;

export const isInstalled = (model: CatalogModel, dataDir: string): boolean =>
  ["ships", "installed"].includes(installState(model, dataDir));

/**
 * Times a model. A missing language model is timed with its header alone, a missing Whisper is computed from the one that ships, and
 * instead of a missing voice the one that ships is timed.
 * @throws OakError `REHEARSAL_FAILED` for a model that cannot be timed, and the error of an engine's start.
 */
export async function timesOf(model: CatalogModel, options: TimesOptions): Promise<ModelTimes> {
  const { catalog, models, dataDir, folder, signal } = options;
  const time = (path: string, isCounted: boolean, of = model) => timeAlone(of, path, isCounted, models, signal);
  if (isInstalled(model, dataDir))
    return { ...(await time(modelPath(model, dataDir), !model.shipped)), found: "measured" };
  if (model.role === "tts") {
    const voice = modelFor(catalog, "tts", "starter");
    return { ...(await time(modelPath(voice, dataDir), false, voice)), found: "other voice" };
  }
  if (model.role === "stt") return { ...(await computed(model, options)), found: "computed" };
  if (model.shipped) throw new OakError(`${model.id} is not in the package`, { code: "REHEARSAL_FAILED" });
  await requireMemory(model, folder);
  const path = join(folder, "empty.gguf");
  await writeEmptyModel(model.source, path, signal);
  const { decodeTokensPerSecond, ...times } = await time(path, true);
  if (decodeTokensPerSecond === undefined) return { ...times, found: "header" };
  return { ...times, decodeTokensPerSecond: decodeTokensPerSecond / EMPTY_IS_FASTER, found: "header" };
}

/** Both decodes take a time in proportion to their operations. */
async function computed(model: CatalogModel, { catalog, models, dataDir, signal }: TimesOptions): Promise<AloneTimes> {
  const known = modelFor(catalog, "stt", "starter");
  const operationsOf = (of: CatalogModel) => {
    const path = modelPath(of, dataDir);
    const contextRule = contextRuleOf(catalog, path);
    const positions = fittedContext({ path, audioContext: models.stt.audioContext, contextRule }, CLIP_SECONDS);
    return whisperOperations(of === known ? "base" : of.id, positions);
  };
  const [operations, knownOperations] = [operationsOf(model), operationsOf(known)];
  if (operations === undefined || knownOperations === undefined)
    throw new OakError("it is not installed, and only a Whisper can be computed", { code: "REHEARSAL_FAILED" });
  if (models.stt.gpu !== "off")
    throw new OakError("it is not installed, and the time on a graphics card cannot be computed", {
      code: "REHEARSAL_FAILED",
    });
  const { decodeMs, threads } = await timeAlone(known, modelPath(known, dataDir), false, models, signal);
  if (decodeMs === undefined || threads === undefined) return {};
  return { decodeMs: (decodeMs * operations) / knownOperations, threads };
}

async function requireMemory({ size_mb: megabytes }: CatalogModel, folder: string): Promise<void> {
  const { memoryAvailableMb } = await examineMachine(folder);
  if (megabytes <= memoryAvailableMb) return;
  const gigabytes = (mb: number) => `${(mb / 1000).toFixed(1)} GB`;
  throw new OakError(`it needs ${gigabytes(megabytes)} of memory; ${gigabytes(memoryAvailableMb)} are free`, {
    code: "REHEARSAL_FAILED",
  });
}
