import { z } from "zod";
import { basename, join } from "node:path";
import { OakError } from "../shared/errors.ts";
import type { ContextRule } from "../engines/stt/audio/clip.ts";
import { packageRoot } from "../shared/package-root.ts";
import { configInvalid, readStructuredFile } from "../shared/files/read-structured-file.ts";

export const PROFILES = ["starter", "cpu", "cpu-large", "gpu", "gpu-large"] as const;
export const MODEL_ROLES = ["stt", "llm", "tts", "vad", "emotion", "turn"] as const;

export type Profile = (typeof PROFILES)[number];

/** Profiles whose models need a graphics card to be fast enough. */
export const isGpuProfile = (profile: Profile): boolean => profile.startsWith("gpu");
export type ModelRole = (typeof MODEL_ROLES)[number];

const fittedContextSchema = z.strictObject({
  floor_seconds: z.number().positive(),
  margin_seconds: z.number().nonnegative(),
});

const common = {
  id: z.string().regex(/^[a-z0-9][a-z0-9._-]*$/),
  role: z.enum(MODEL_ROLES),
  engine: z.enum(["whisper-cpp", "moonshine", "llama-cpp", "sherpa-onnx", "onnxruntime"]),
  /** Language codes. Empty for a model that does not depend on language. */
  languages: z.array(z.string()),
  /** Rounded; for planning disk and memory. */
  size_mb: z.number().positive(),
  /** SPDX identifier, or the licence's own name. */
  licence: z.string().min(1),
  profiles: z.array(z.enum(PROFILES)),
  /** How a Whisper model's context depends on the clip's length (ContextRule). Default: by the file's name. */
  audio_context: z.exactOptional(z.union([z.literal("full"), fittedContextSchema])),
  /** For clips that a faster recogniser has written too, whose text a bad one cannot replace. Default: `audio_context`. */
  second_opinion_context: z.exactOptional(fittedContextSchema),
  /** For replies of a language model whose voice configuration sets none. */
  temperature: z.exactOptional(z.number().min(0).max(2)),
  /** Longest prompt of a language model's training. From this length on the oldest turns are left out. Default: its context. */
  trained_tokens: z.exactOptional(z.int().positive()),
  /** Id of the faster recogniser that runs beside this one. */
  fast: z.exactOptional(z.string()),
  note: z.exactOptional(z.string()),
};

const shippedSchema = z.strictObject({
  ...common,
  shipped: z.literal(true),
  /** Relative to the package: a file, or a folder for text to speech and Moonshine. */
  path: z.string(),
});

const downloadedSchema = z.strictObject({
  ...common,
  shipped: z.literal(false),
  source: z.url({ protocol: /^https$/ }),
  /** Checksum of the file at `source`. */
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
  /** The file or folder to load, relative to the model's own folder. */
  path: z.string(),
  unpack: z.enum(["none", "tar.bz2"]),
});

/** A profile's requirements on the machine. */
const profileSchema = z.strictObject({
  name: z.enum(PROFILES),
  cores: z.int().positive(),
  /** Memory of the whole machine. */
  memory_mb: z.int().positive(),
  /** Free disk space before the installation, for program and models. */
  disk_mb: z.int().positive(),
  /** Memory of the graphics card. Absent when the profile needs no card. */
  gpu_memory_mb: z.exactOptional(z.int().positive()),
  /** A machine that takes longer to answer gets a smaller profile. */
  answer_seconds: z.number().positive(),
});

export const modelCatalogSchema = z
  .strictObject({
    version: z.literal(1),
    /** Smallest first. */
    profiles: z.array(profileSchema),
    models: z.array(z.discriminatedUnion("shipped", [shippedSchema, downloadedSchema])),
  })
  .superRefine(({ models, profiles }, context) => {
    if (profiles.map(({ name }) => name).join() !== PROFILES.join())
      context.addIssue(`profiles must be ${PROFILES.join(", ")}, in this order`);
    if (new Set(models.map((model) => model.id)).size !== models.length) context.addIssue("model ids must be unique");
    const isFast = (id: string) => models.some((model) => model.id === id && model.engine === "moonshine");
    for (const { id, role, fast } of models)
      if (fast !== undefined && !(role === "stt" && isFast(fast)))
        context.addIssue(`${id}: fast must name a model with engine moonshine, and only a recogniser can have it`);
    for (const profile of PROFILES) {
      for (const role of MODEL_ROLES) {
        const found = models.filter((model) => model.role === role && model.profiles.includes(profile)).length;
        if (found !== 1) context.addIssue(`profile ${profile} needs exactly one ${role} model, not ${found}`);
      }
    }
  });

export type ModelCatalog = z.output<typeof modelCatalogSchema>;
export type ProfileNeeds = ModelCatalog["profiles"][number];
export type CatalogModel = ModelCatalog["models"][number];
export type DownloadedModel = Extract<CatalogModel, { shipped: false }>;

/** @throws OakError `CONFIG_UNREADABLE` or `CONFIG_INVALID`. */
export function loadModelCatalog(file: string = join(packageRoot, "models", "catalog.json")): ModelCatalog {
  const parsed = modelCatalogSchema.safeParse(readStructuredFile(file));
  if (!parsed.success) throw configInvalid(() => file, parsed.error);
  return parsed.data;
}

/** The model at this path, by its file name. The shipped voice has a common name, so its whole path counts. Undefined for other files. */
export const modelAt = (catalog: ModelCatalog, role: ModelRole, path: string): CatalogModel | undefined =>
  catalog.models.find(
    (entry) =>
      entry.role === role &&
      basename(entry.path) === basename(path) &&
      (role !== "tts" || !entry.shipped || path === modelPath(entry, "")),
  );

/** @throws OakError `CONFIG_INVALID`. */
export function namedModel(catalog: ModelCatalog, role: ModelRole, name: string): CatalogModel {
  const model = catalog.models.find(({ id }) => id === name);
  if (model?.role === role) return model;
  throw new OakError(`The catalogue has no ${role} model "${name}".`, { code: "CONFIG_INVALID" });
}

/** The context rule of the recogniser with this file name. Undefined when the catalogue has none. */
export function contextRuleOf(catalog: ModelCatalog, path: string): ContextRule | undefined {
  const rule = modelAt(catalog, "stt", path)?.audio_context;
  return rule === undefined || rule === "full" ? rule : fitted(rule);
}

/** The same for clips that a faster recogniser has written too. */
export function secondOpinionRuleOf(catalog: ModelCatalog, path: string): ContextRule | undefined {
  const rule = modelAt(catalog, "stt", path)?.second_opinion_context;
  return rule && fitted(rule);
}

const fitted = ({ floor_seconds, margin_seconds }: z.output<typeof fittedContextSchema>): ContextRule => ({
  floorSeconds: floor_seconds,
  marginSeconds: margin_seconds,
});

/** The fast recogniser that the catalogue puts beside the one at `path`: its folder. Undefined when there is none. */
export function fastPathOf(catalog: ModelCatalog, path: string, dataDir: string): string | undefined {
  const id = modelAt(catalog, "stt", path)?.fast;
  return id === undefined ? undefined : modelPath(namedModel(catalog, "stt", id), dataDir);
}

export function modelFor(catalog: ModelCatalog, role: ModelRole, profile: Profile): CatalogModel {
  const model = catalog.models.find((candidate) => candidate.role === role && candidate.profiles.includes(profile));
  if (model === undefined) throw new OakError(`No ${role} model in profile ${profile}.`, { code: "CONFIG_INVALID" });
  return model;
}

/** Folder of the installed model. A shipped model's folder is the package. */
export const modelFolder = (model: CatalogModel, dataDir: string): string =>
  model.shipped ? packageRoot : join(dataDir, "models", model.id);

/** The file or folder that the engine loads. */
export const modelPath = (model: CatalogModel, dataDir: string): string =>
  join(modelFolder(model, dataDir), model.path);
