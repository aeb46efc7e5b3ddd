import { copyFileSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { seededRandom } from "../../../src/simulated-callers/random.ts";
import { lastVoiceSample } from "../../../bench/turns/last-voice.ts";
import { continueRoom } from "../../../bench/turns/room-tone.ts";
import { resampleAll } from "../../../src/audio/resampler.ts";
import { readWav } from "../../../src/audio/wav.ts";
import { packageRoot } from "../../../src/shared/package-root.ts";
import type { EndOfTurnModel } from "../../../src/engines/end-of-turn/end-of-turn-model.ts";
import { loadEndOfTurn } from "../../../src/engines/end-of-turn/onnx-end-of-turn.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

const starter = join(packageRoot, "models", "starter", "turn", "turn.onnx");
const folder = temporaryFolder();
let model: EndOfTurnModel;

beforeAll(async () => {
  model = await loadEndOfTurn(starter);
});

afterAll(async () => {
  await model.close();
});

test("a longer silence after the same speech has a higher end-of-turn probability", async () => {
  for (const name of ["flite-lights", "flite-time", "kathleen-a0005"]) {
    const wav = readWav(readFileSync(join(packageRoot, "test", "audio", `${name}.wav`)));
    const said = resampleAll(wav.samples, wav.sampleRateHz, 16_000);
    const endMs = lastVoiceSample(said) / 16;
    const after = async (silentMs: number) => {
      const call = continueRoom(said.slice(0, Math.round(16 * endMs)), 2, seededRandom(1));
      return await model.probabilityOver(call.slice(0, Math.round(16 * (endMs + silentMs))), silentMs);
    };
    expect(await after(1000)).toBeGreaterThan(await after(200));
  }
});

test("audio shorter than the window, no audio and silence all get a probability", async () => {
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

test("words count by the recogniser's confidence", () => {
  const [guessed, heard, sure] = [0.5, 0.75, 0.95].map((confidence) =>
    model.oddsByWords("i would like to", confidence, false),
  );
  expect(guessed).toBeCloseTo(0);
  expect(heard).toBeLessThan(-0.5);
  expect(sure).toBeLessThan(heard ?? 0);
});

test("a model without a word table uses sound alone", async () => {
  const silent = join(folder, "silent.onnx");
  copyFileSync(starter, silent);
  copyFileSync(starter.replace(".onnx", ".json"), join(folder, "silent.json"));
  const wordless = await loadEndOfTurn(silent);
  expect(wordless.oddsByWords("i would like to", 1, false)).toBe(0);
  await wordless.close();
});

test("a missing model, missing facts and a graph of another kind give different errors", async () => {
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

test("the melody of a whole sentence has higher odds than that of its beginning", async () => {
  for (const name of ["flite-lights", "kathleen-a0005"]) {
    const wav = readWav(readFileSync(join(packageRoot, "test", "audio", `${name}.wav`)));
    const said = resampleAll(wav.samples, wav.sampleRateHz, 16_000);
    const pauseAt = (sample: number) => continueRoom(said.slice(0, sample), 0.16, seededRandom(1));
    const end = lastVoiceSample(said);
    const [whole, beginning] = [await model.melodyOdds(pauseAt(end)), await model.melodyOdds(pauseAt(end >> 1))];
    expect(whole, name).toBeGreaterThan(beginning ?? Infinity);
  }
});

test("a melody changes the probability in its direction", async () => {
  const said = new Float32Array(16_000);
  const without = await model.probabilityOver(said, 400);
  const [low, high] = [await model.probabilityOver(said, 400, -5), await model.probabilityOver(said, 400, 5)];
  expect(low).toBeLessThan(without);
  expect(high).toBeGreaterThan(without);
});

test("a melody model accepts no audio, a clip shorter than half a second and a long one", async () => {
  for (const length of [0, 999, 500_000])
    expect(Math.abs((await model.melodyOdds(new Float32Array(length))) ?? Infinity)).toBeLessThanOrEqual(5);
});
