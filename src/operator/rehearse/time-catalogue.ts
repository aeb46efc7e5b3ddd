import { join } from "node:path";
import { contextRuleOf, loadModelCatalog, type CatalogModel } from "../../config/model-catalog.ts";
import type { ModelsConfig } from "../../config/server-config.ts";
import { examineMachine } from "../../resources/examine-machine.ts";
import { errorMessage } from "../../shared/errors.ts";
import { fittedContext } from "../../engines/stt/whisper/whisper-cpp.ts";
import { CLIP_SECONDS, timeAlone, type AloneTimes } from "./time-model.ts";
import type { RehearsalFile } from "./catalogue-shapes.ts";
import { matrixProductRate } from "./floor.ts";
import type { RehearsalPlace } from "./place.ts";
import { ROLES, withFile, type Rehearsed } from "./rehearsed-models.ts";
import type { AloneRow } from "./report.ts";
import { gigabytes, memoryFor } from "./space.ts";
import { bytesOf } from "./write-pieces.ts";

/** How much of the free memory a model may take that the profile does not need. */
const ALONE_SHARE = 0.75;

/** Each recogniser, language model and voice by itself. Where nothing is kept, a file goes when it has been timed. */
export async function timeCatalogue(
  catalogued: readonly CatalogModel[],
  place: RehearsalPlace,
  write: (each: Rehearsed) => Promise<void>,
  models: ModelsConfig,
  say: (line: string) => void,
  signal: AbortSignal,
): Promise<readonly AloneRow[]> {
  const rows: AloneRow[] = [];
  /** Without a number where the GPU decodes. */
  const floorOf = async ({ decodeOperations }: RehearsalFile, path: string, { threads }: AloneTimes) => {
    if (decodeOperations === undefined || threads === undefined || models.stt.gpu !== "off") return {};
    const options = {
      path,
      audioContext: models.stt.audioContext,
      contextRule: contextRuleOf(loadModelCatalog(), path),
    };
    const operations = decodeOperations(fittedContext(options, CLIP_SECONDS));
    const file = join(place.folder, "matrix-product.onnx");
    return { floor: { operations, operationsPerSecond: await matrixProductRate(threads, file, signal) } };
  };
  const time = async (row: AloneRow, model: CatalogModel, path: string, file?: RehearsalFile) => {
    say(`${model.id} alone ...`);
    try {
      const times = await timeAlone(model, path, !model.shipped, models, signal);
      rows.push({ ...row, ...times, ...(file && (await floorOf(file, path, times))) });
    } catch (error) {
      signal.throwIfAborted();
      // Other models may be fast enough although one is too slow here.
      rows.push({ ...row, skipped: `failed: ${errorMessage(error)}` });
    }
  };
  for (const model of catalogued.filter(({ role }) => ROLES.includes(role))) {
    const size = { id: model.id, role: model.role, bytes: model.size_mb * 1e6 };
    if (model.shipped) {
      await time(size, model, place.path(model));
      continue;
    }
    const [each] = withFile(model);
    if (each === undefined) {
      rows.push({ ...size, skipped: "not timed: its shape is not known" });
      continue;
    }
    const { file } = each;
    const bytes = bytesOf(file.pieces);
    const row = { ...size, bytes };
    const { memoryAvailableMb, diskFreeMb } = await examineMachine(place.folder);
    const memory = memoryFor([file], 1, models.llm.contextTokens);
    const isTooLarge = memory / 1e6 > memoryAvailableMb * ALONE_SHARE;
    if (isTooLarge || (!place.isWritten(model, file) && bytes / 1e6 > diskFreeMb)) {
      rows.push({
        ...row,
        skipped: `not timed: it needs ${gigabytes(memory)} of memory and ${gigabytes(bytes)} of disk`,
      });
      continue;
    }
    await write(each);
    await time(row, model, place.path(model), file);
    place.discard(model);
  }
  return rows;
}
