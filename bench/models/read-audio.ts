import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { readWav } from "../../src/audio/wav.ts";
import { resampleAll } from "../../src/audio/resampler.ts";
import { OakError } from "../../src/shared/errors.ts";

const MODEL_HZ = 16_000;

/** Reads a recording as 16 kHz mono. ffmpeg reads files other than WAV. @throws OakError `BENCH_FAILED`, `WAV_INVALID`. */
export function readAudio(path: string): Float32Array {
  if (path.toLowerCase().endsWith(".wav")) {
    const { samples, sampleRateHz } = readWav(readFileSync(path));
    return resampleAll(samples, sampleRateHz, MODEL_HZ);
  }
  const { status, stdout, error, stderr } = spawnSync(
    "ffmpeg",
    ["-v", "error", "-i", path, "-f", "f32le", "-ac", "1", "-ar", String(MODEL_HZ), "-"],
    { maxBuffer: 2 ** 30 },
  );
  if (error !== undefined)
    throw new OakError(`${path} is no WAV file, and ffmpeg, which reads others, cannot be started. Install ffmpeg.`, {
      code: "BENCH_FAILED",
      cause: error,
    });
  if (status !== 0)
    throw new OakError(`ffmpeg cannot read ${path}: ${stderr.toString().trim()}`, { code: "BENCH_FAILED" });
  return new Float32Array(Uint8Array.from(stdout).buffer);
}
