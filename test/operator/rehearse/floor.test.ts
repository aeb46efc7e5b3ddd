import { join } from "node:path";
import { expect, test } from "vitest";
import { matrixProductRate, whisperOperations } from "../../../src/operator/rehearse/floor.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

const BASE = { width: 512, heads: 8, audioLayers: 6, textLayers: 6, vocabulary: 51_864, mels: 80 };

test("a decode takes two operations per weight for each position and token, and more with a long context", () => {
  const encoderWeights = 18.9e6;
  expect(whisperOperations(BASE, 256) / (2 * encoderWeights * 256)).toBeGreaterThan(1.3);
  expect(whisperOperations(BASE, 256) / 13.9e9).toBeCloseTo(1, 1);
  expect(whisperOperations(BASE, 1_500) / whisperOperations(BASE, 256)).toBeGreaterThan(1_500 / 256);
});

test("the rate of a matrix product can be measured", async () => {
  const folder = temporaryFolder();
  const rate = await matrixProductRate(1, join(folder, "product.onnx"), new AbortController().signal);
  expect(rate).toBeGreaterThan(1e9);
});
