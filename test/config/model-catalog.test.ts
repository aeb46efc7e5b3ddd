import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import {
  contextRuleOf,
  secondOpinionRuleOf,
  loadModelCatalog,
  MODEL_ROLES,
  modelFor,
  modelPath,
  PROFILES,
} from "../../src/config/model-catalog.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

test("the shipped catalogue is valid and has one model for each role of each profile", () => {
  const catalog = loadModelCatalog();
  for (const profile of PROFILES) {
    for (const role of MODEL_ROLES) expect(modelFor(catalog, role, profile).role).toBe(role);
  }
  const starter = MODEL_ROLES.map((role) => modelFor(catalog, role, "starter"));
  expect(starter.every(({ shipped }) => shipped)).toBe(true);
});

test("the voice activity model exists at the catalogue's path", () => {
  expect(existsSync(modelPath(modelFor(loadModelCatalog(), "vad", "starter"), "/nowhere"))).toBe(true);
});

test("the starter language model has the temperature and the length of its training", () => {
  expect(modelFor(loadModelCatalog(), "llm", "starter")).toMatchObject({ temperature: 0, trained_tokens: 1_024 });
});

test("the context rule of a recogniser is found by its file name in any folder", () => {
  const catalog = loadModelCatalog();
  expect(contextRuleOf(catalog, "/models/ggml-base.en-q5_1.bin")).toEqual({ floorSeconds: 10, marginSeconds: 2 });
  expect(contextRuleOf(catalog, "/m/ggml-base.en-acft-q8_0.bin")).toEqual({ floorSeconds: 3.2, marginSeconds: 0.64 });
  expect(contextRuleOf(catalog, "/models/ggml-large-v3-turbo-q5_0.bin")).toBe("full");
  expect(contextRuleOf(catalog, "/models/my-own.bin")).toBeUndefined();
  expect(secondOpinionRuleOf(catalog, "/models/ggml-base-q8_0.bin")).toEqual({
    floorSeconds: 5.12,
    marginSeconds: 0.5,
  });
  expect(secondOpinionRuleOf(catalog, "/models/ggml-large-v3-turbo-q5_0.bin")).toBeUndefined();
});

test("a recogniser's companion must be a fast one of the catalogue", () => {
  const { models, ...catalog } = loadModelCatalog();
  const file = join(temporaryFolder(), "catalog.json");
  const refused = (id: string, fast: string) => {
    const changed = models.map((model) => (model.id === id ? { ...model, fast } : model));
    writeFileSync(file, JSON.stringify({ ...catalog, models: changed }));
    expect(() => loadModelCatalog(file)).toThrow(`${id}: fast must name a model with engine moonshine`);
  };
  refused("starter-stt", "nowhere");
  refused("starter-stt", "whisper-base.en-q8_0");
  refused("starter-llm", "moonshine-tiny-en");
});

test("an invalid catalogue is reported with its path and field", () => {
  const file = join(temporaryFolder(), "catalog.json");
  writeFileSync(file, JSON.stringify({ version: 1, models: [{ id: "a" }] }));
  expect(() => loadModelCatalog(file)).toThrow(/catalog\.json: models\.0/);
  const { profiles } = loadModelCatalog();
  writeFileSync(file, JSON.stringify({ version: 1, profiles, models: [] }));
  expect(() => loadModelCatalog(file)).toThrow(/profile starter needs exactly one stt model, not 0/);
  writeFileSync(file, JSON.stringify({ version: 1, profiles: profiles.toReversed(), models: [] }));
  expect(() => loadModelCatalog(file)).toThrow(/profiles must be starter, cpu, .* in this order/);
});
