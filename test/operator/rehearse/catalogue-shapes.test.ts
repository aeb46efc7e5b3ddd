import { expect, test } from "vitest";
import { loadModelCatalog } from "../../../src/config/model-catalog.ts";
import { rehearsalFile } from "../../../src/operator/rehearse/catalogue-shapes.ts";
import { bytesOf } from "../../../src/operator/rehearse/write-pieces.ts";

const models = loadModelCatalog().models.filter(({ role, shipped }) => !shipped && ["stt", "llm"].includes(role));

test.each(models)("the rehearsal file of $id has the model's size", (model) => {
  const file = rehearsalFile(model);
  const megabytes = bytesOf(file?.pieces ?? []) / 1e6;
  expect(Math.abs(megabytes / model.size_mb - 1)).toBeLessThan(0.03);
  expect(file?.cacheBytesPerToken === 0).toBe(model.role === "stt");
});

test.each([
  ["lfm2.5-1.2b-instruct-q4_k_m", 730_895_168],
  ["qwen3.5-0.8b-q8_0", 811_843_840],
  ["qwen3.5-2b-q4_k_m", 1_280_835_840],
  ["qwen3.5-4b-q4_k_m", 2_740_937_888],
  ["qwen3.8-27b-q4_k_m", 16_810_714_336],
])("the rehearsal file of %s has the size of the published file", (id, publishedBytes) => {
  const bytes = bytesOf(rehearsalFile({ id, role: "llm" })?.pieces ?? []);
  expect(Math.abs(bytes / publishedBytes - 1)).toBeLessThan(0.03);
});

test.each([
  ["f16", 1_255_897_319],
  ["q8_0", 668_757_119],
  ["q4_k", 415_611_879],
])("Parakeet in %s has the size of the published file, apart from the letters of its words", (packing, published) => {
  const file = rehearsalFile({ id: `parakeet-tdt-0.6b-v3-${packing}`, role: "stt" });
  expect(Math.abs(bytesOf(file?.pieces ?? []) - published)).toBeLessThan(8_192);
});

test("a model of unknown shape has no rehearsal file", () => {
  expect(rehearsalFile({ id: "parakeet-tdt-0.6b-v3", role: "stt" })).toBeUndefined();
  expect(rehearsalFile({ id: "qwen3-4b-instruct-iq2_m", role: "llm" })).toBeUndefined();
  expect(rehearsalFile({ id: "starter-emotion", role: "emotion" })).toBeUndefined();
});
