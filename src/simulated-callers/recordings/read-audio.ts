import { spawnSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { extname } from "node:path";
import { readWav } from "../../audio/wav.ts";
import { resampleAll } from "../../audio/resampler.ts";
import { OakError } from "../../shared/errors.ts";
import { AUDIO } from "./recordings.ts";

const MODEL_HZ = 16_000;

/** Checks that the recordings below a folder can be read. @throws OakError `BENCH_FAILED` when they need ffmpeg and it is missing. */
export function requireReadable(folder: string): void {
  if (!existsSync(folder)) throw new OakError(`There is no folder ${folder}.`, { code: "BENCH_FAILED" });
  const kinds = readdirSync(folder, { recursive: true, encoding: "utf8" }).map((name) => extname(name).toLowerCase());
  const other = kinds.find((kind) => kind !== ".wav" && AUDIO.has(kind));
  if (other === undefined || spawnSync("ffmpeg", ["-version"]).error === undefined) return;
  throw new OakError(
    `${folder} has ${other} files. Only ffmpeg reads them, and it is missing. Install ffmpeg, or use WAV files.`,
    {
      code: "BENCH_FAILED",
    },
  );
}

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
