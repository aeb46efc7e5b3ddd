import { mkdtempSync, rmSync, writeFileSync, copyFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { packageRoot } from "../../src/config/package-root.ts";
import type { EndOfTurnModel } from "../../src/endpoint/contract.ts";
import { loadEndOfTurn } from "../../src/endpoint/onnx-end-of-turn.ts";

const starter = join(packageRoot, "models", "starter", "turn", "turn.onnx");
const folder = mkdtempSync(join(tmpdir(), "oakvoice-turn-"));
let model: EndOfTurnModel;

beforeAll(async () => {
  model = await loadEndOfTurn(starter);
});

afterAll(async () => {
  await model.close();
  rmSync(folder, { recursive: true });
});

test("a longer silence after the same speech is likelier to be the end", async () => {
  const samples = new Float32Array(model.windowSamples);
  for (let i = 0; i < samples.length - 16_000; i++) samples[i] = 0.2 * Math.sin(i / 17) * Math.sin(i / 1100);
  const early = await model.probabilityOver(samples.subarray(0, samples.length - 12_800), 200);
  const late = await model.probabilityOver(samples, 1000);
  expect(late).toBeGreaterThan(early);
});

test("less audio than the window, none at all, and any silence get a probability", async () => {
  for (const [length, silentMs] of [
    [0, 0],
    [100, 160],
    [200_000, 60_000],
  ] as const) {
    const probability = await model.probabilityOver(new Float32Array(length), silentMs);
    expect(probability).toBeGreaterThanOrEqual(0);
    expect(probability).toBeLessThanOrEqual(1);
  }
});

test("words that the recogniser guessed say nothing, those it is sure of all they can", () => {
  const [guessed, heard, sure] = [0.5, 0.75, 0.95].map((confidence) =>
    model.oddsByWords("i would like to", confidence, false),
  );
  expect(guessed).toBeCloseTo(0);
  expect(heard).toBeLessThan(-0.5);
  expect(sure).toBeLessThan(heard ?? 0);
});

test("without its words a model is used for what it hears", async () => {
  const silent = join(folder, "silent.onnx");
  copyFileSync(starter, silent);
  copyFileSync(starter.replace(".onnx", ".json"), join(folder, "silent.json"));
  const wordless = await loadEndOfTurn(silent);
  expect(wordless.oddsByWords("i would like to", 1, false)).toBe(0);
  await wordless.close();
});

test("a missing model, missing facts and a graph of another kind are told apart", async () => {
  await expect(loadEndOfTurn(join(folder, "none.onnx"))).rejects.toMatchObject({ code: "MODEL_MISSING" });
  const alone = join(folder, "alone.onnx");
  copyFileSync(starter, alone);
  await expect(loadEndOfTurn(alone)).rejects.toMatchObject({ code: "MODEL_MISSING" });
  writeFileSync(join(folder, "alone.json"), "{}");
  await expect(loadEndOfTurn(alone)).rejects.toMatchObject({ code: "MODEL_BROKEN" });
  const other = join(folder, "other.onnx");
  copyFileSync(join(packageRoot, "models", "starter", "emotion", "emotion.onnx"), other);
  copyFileSync(starter.replace(".onnx", ".json"), join(folder, "other.json"));
  await expect(loadEndOfTurn(other)).rejects.toMatchObject({ code: "MODEL_BROKEN" });
});
