import type { CatalogModel, ModelCatalog } from "../config/model-catalog.ts";
import type { ModelsConfig } from "../config/server-config.ts";
import { examineMachine } from "../doctor/examine.ts";
import { timeAlone } from "./alone.ts";
import { errorMessage } from "../shared/errors.ts";
import type { RehearsalPlace } from "./place.ts";
import { ROLES, withFile, type Rehearsed } from "./rehearsed-models.ts";
import type { AloneRow } from "./report.ts";
import { gigabytes, memoryFor } from "./space.ts";
import { bytesOf } from "./write-pieces.ts";

/** How much of the free memory a model may take that the profile does not need. */
const ALONE_SHARE = 0.75;

/** Each recogniser, language model and voice of the catalogue by itself. Where nothing is kept, a file goes when it has been timed. */
export async function timeCatalogue(
  catalog: ModelCatalog,
  place: RehearsalPlace,
  write: (each: Rehearsed) => Promise<void>,
  models: ModelsConfig,
  say: (line: string) => void,
  signal: AbortSignal,
): Promise<readonly AloneRow[]> {
  const rows: AloneRow[] = [];
  const time = async (row: Omit<AloneRow, "threads">, model: CatalogModel, path: string) => {
    say(`${model.id} alone ...`);
    try {
      rows.push({ ...row, ...(await timeAlone(model, path, !model.shipped, models, signal)) });
    } catch (error) {
      signal.throwIfAborted();
      // A model that is too slow here says nothing about the others.
      rows.push({ ...row, skipped: `failed: ${errorMessage(error)}` });
    }
  };
  for (const model of catalog.models.filter(({ role }) => ROLES.includes(role))) {
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
    const { memoryAvailableMb, memoryMb, diskFreeMb } = await examineMachine(place.folder);
    const memory = memoryFor([file], 1, models.llm.contextTokens);
    const isTooLarge = memory / 1e6 > (memoryAvailableMb ?? memoryMb) * ALONE_SHARE;
    if (isTooLarge || (!place.isWritten(model, file) && bytes / 1e6 > diskFreeMb)) {
      rows.push({
        ...row,
        skipped: `not timed: it needs ${gigabytes(memory)} of memory and ${gigabytes(bytes)} of disk`,
      });
      continue;
    }
    await write(each);
    await time(row, model, place.path(model));
    place.discard(model);
  }
  return rows;
}
