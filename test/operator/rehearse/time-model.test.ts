import { join } from "node:path";
import { expect, test } from "vitest";
import { loadModelCatalog, modelFor, modelPath } from "../../../src/config/model-catalog.ts";
import { loadServerConfig } from "../../../src/config/server-config.ts";
import { timeAlone } from "../../../src/operator/rehearse/time-model.ts";
import { llamaFile } from "../../support/models/llama-file.ts";
import { writePieces } from "../../support/models/write-pieces.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

const folder = temporaryFolder();
const { models } = loadServerConfig(undefined, {}).config;
const catalog = loadModelCatalog();
const { signal } = new AbortController();

test("each kind of model has its own measurements", async () => {
  for (const [role, expected] of [
    ["stt", { decodeMs: expect.any(Number), threads: 1 }],
    ["tts", { clauseMs: expect.any(Number) }],
    ["llm", { decodeTokensPerSecond: expect.any(Number) }],
  ] as const) {
    const model = modelFor(catalog, role, "starter");
    expect(await timeAlone(model, modelPath(model, folder), false, models, signal)).toEqual(expected);
  }
});

test("prefill is measured when the number of tokens is known", async () => {
  const path = join(folder, "small.gguf");
  const shape = {
    architecture: "qwen2",
    vocabulary: 1_024,
    width: 256,
    layers: 1,
    heads: 4,
    keyHeads: 2,
    headWidth: 64,
    feedForward: 512,
    isTied: false,
  } as const;
  await writePieces(path, llamaFile(shape, "q8_0", []), signal, () => undefined);
  const times = await timeAlone(modelFor(catalog, "llm", "cpu"), path, true, models, signal);
  expect(times.prefillTokensPerSecond).toBeGreaterThan(1);
  expect(times.decodeTokensPerSecond).toBeGreaterThan(1);
});
