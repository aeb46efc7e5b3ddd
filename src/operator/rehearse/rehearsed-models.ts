import {
  modelFor,
  type CatalogModel,
  type ModelCatalog,
  type ModelRole,
  type Profile,
} from "../../config/model-catalog.ts";
import { OakError } from "../../shared/errors.ts";
import { rehearsalFile, type RehearsalFile } from "./catalogue-shapes.ts";

export interface Rehearsed {
  readonly model: CatalogModel;
  readonly file: RehearsalFile;
}

/** The models whose cost is rehearsed; the others ship and are small. */
export const ROLES: readonly ModelRole[] = ["stt", "llm", "tts"];

/** @throws OakError `MODEL_UNKNOWN` for a model whose shape is not known. Instead of such a voice the starter voice speaks. */
export function rehearsedModels(catalog: ModelCatalog, profile: Profile): readonly Rehearsed[] {
  const models = ROLES.map((role) => modelFor(catalog, role, profile));
  const rehearsed = models.flatMap(withFile);
  const unknown = models.find(
    (model) => model.role !== "tts" && !model.shipped && !rehearsed.some((own) => own.model === model),
  );
  if (unknown === undefined) return rehearsed;
  throw new OakError(
    `${unknown.id} cannot be rehearsed: its shape is not in src/operator/rehearse/catalogue-shapes.ts.`,
    {
      code: "MODEL_UNKNOWN",
    },
  );
}

export const isSpoken = (voice: CatalogModel): boolean => voice.shipped || withFile(voice).length > 0;

export function withFile(model: CatalogModel): readonly Rehearsed[] {
  const file = model.shipped ? undefined : rehearsalFile(model);
  return file === undefined ? [] : [{ model, file }];
}
