import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { resampleAll } from "../../src/audio/resampler.ts";
import { readWav } from "../../src/audio/wav.ts";
import { OakError } from "../../src/shared/errors.ts";

const FLITE_VOICES = new Set(["slt", "awb", "kal", "kal16", "rms"]);

/** Speaks a text with a voice of flite, or a variant of espeak-ng ("NAME" of en-us, or "de+NAME"). @throws OakError `BENCH_FAILED`. */
export function sayWith(voice: string, text: string, sampleRateHz: number): Float32Array {
  const folder = mkdtempSync(join(tmpdir(), "oakvoice-say-"));
  try {
    const file = join(folder, "said.wav");
    const [program, ...options] = FLITE_VOICES.has(voice)
      ? ["flite", "-voice", voice, "-t", `${text}.`, "-o", file]
      : ["espeak-ng", "-v", voice.includes("+") ? voice : `en-us+${voice}`, "-s", "150", "-w", file, "--", text];
    const { status, error } = spawnSync(program, options);
    if (error !== undefined || status !== 0) {
      throw new OakError(`${program} cannot say anything with the voice "${voice}": install flite and espeak-ng.`, {
        code: "BENCH_FAILED",
        cause: error,
      });
    }
    const said = readWav(readFileSync(file));
    return resampleAll(said.samples, said.sampleRateHz, sampleRateHz);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
