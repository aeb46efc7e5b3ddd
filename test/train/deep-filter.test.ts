import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { resampleAll } from "../../src/audio/resampler.ts";
import { readWav, writeWav } from "../../src/audio/wav.ts";
import { packageRoot } from "../../src/shared/package-root.ts";
import { noise } from "../audio/signals.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const python = process.env["OAKVOICE_TRAIN_PYTHON"] ?? "";
/** NOT_FETCHED in scripts/models/packages.py. */
const NOT_FETCHED = 75;
const CLIP_HZ = 48_000;
const shipped = join(packageRoot, "models", "starter", "enhancement");

const sha256 = (file: string) => createHash("sha256").update(readFileSync(file)).digest("hex");

const run = (script: string, ...args: readonly string[]) =>
  spawnSync(python, [`scripts/models/${script}`, ...args], { cwd: packageRoot, encoding: "utf8" });

it.skipIf(python === "")("the package of the noise suppression model gives the shipped file again", ({ skip }) => {
  const out = temporaryFolder();
  const { status, stdout, stderr } = run("deep_filter.py", "--out", out);
  skip(status === NOT_FETCHED, "SKIPPED: no package index");
  expect(status, `${stdout}\n${stderr}`).toBe(0);
  expect(sha256(join(out, "deep-filter.onnx"))).toBe(sha256(join(shipped, "deep-filter.onnx")));
});

it.skipIf(python === "")("the shipped graph gives the sound of the published graphs", ({ skip }) => {
  const clip = join(temporaryFolder(), "clip.wav");
  const { samples, sampleRateHz } = readWav(readFileSync(join(packageRoot, "test", "audio", "stt-reading.wav")));
  const hiss = noise(2 * CLIP_HZ, 0.05);
  const sound = resampleAll(samples, sampleRateHz, CLIP_HZ).subarray(0, hiss.length);
  writeFileSync(clip, writeWav({ samples: sound.map((sample, at) => sample + hiss[at]!), sampleRateHz: CLIP_HZ }));
  const { status, stdout, stderr } = run("compare_deep_filter.py", clip);
  skip(status === NOT_FETCHED, "SKIPPED: no package index");
  expect(status, `${stdout}\n${stderr}`).toBe(0);
  const figures = [...stdout.matchAll(/largest difference (\S+), .* SI-SDR (\S+) dB/gu)].map((line) =>
    line.map(Number),
  );
  const [[, asPublished = NaN, distance = NaN] = [], [, , rounded = NaN] = []] = figures;
  expect(asPublished).toBeLessThan(2e-6);
  expect(distance).toBeGreaterThan(100);
  expect(rounded).toBeGreaterThan(20);
});
