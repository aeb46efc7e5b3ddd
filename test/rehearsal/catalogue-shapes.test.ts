import { expect, test } from "vitest";
import { loadModelCatalog } from "../../src/config/model-catalog.ts";
import { rehearsalFile } from "../../src/rehearsal/catalogue-shapes.ts";
import { bytesOf } from "../../src/rehearsal/write-pieces.ts";

const models = loadModelCatalog().models.filter(({ role, shipped }) => !shipped && ["stt", "llm"].includes(role));

test.each(models)("the rehearsal file of $id has the model's size", (model) => {
  const file = rehearsalFile(model);
  const megabytes = bytesOf(file?.pieces ?? []) / 1e6;
  expect(Math.abs(megabytes / model.size_mb - 1)).toBeLessThan(0.03);
  expect(file?.cacheBytesPerToken === 0).toBe(model.role === "stt");
});

test("a model whose shape is not known has no rehearsal file", () => {
  expect(rehearsalFile({ id: "parakeet-tdt-0.6b-v3", role: "stt" })).toBeUndefined();
  expect(rehearsalFile({ id: "qwen3-4b-instruct-iq2_m", role: "llm" })).toBeUndefined();
  expect(rehearsalFile({ id: "starter-emotion", role: "emotion" })).toBeUndefined();
});
