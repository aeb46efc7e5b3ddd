import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { resampleAll } from "../../src/audio/resampler.ts";

export const MATERIAL_HZ = 48_000;

export interface Recordings {
  readonly set: string;
  readonly name: string;
  readonly files: readonly string[];
}

const SETS = [
  "librispeech-mini",
  "librispeech-dev-clean",
  "librispeech-test-clean",
  "librispeech-test-other",
  "librispeech-train-100",
  "common-voice",
  "common-voice-2",
  "common-voice-3",
  "speechocean-adults",
  "an4",
  "kathleen",
  "emotion",
  "digits",
];

const isAudio = (path: string) => /\.(opus|flac|wav)$/u.test(path);

/** Every speaker of the data, with some of the recordings. */
export function speakers(data: string, filesEach: number): Recordings[] {
  return SETS.flatMap((set) => {
    const files = readdirSync(join(data, set), { recursive: true, encoding: "utf8" }).filter(isAudio).toSorted();
    const bySpeaker = new Map<string, string[]>();
    for (const file of files) {
      const name = speakerOf(set, file);
      bySpeaker.set(name, [...(bySpeaker.get(name) ?? []), file]);
    }
    return [...bySpeaker].map(([name, of]) => {
      const step = Math.max(1, Math.floor(of.length / filesEach));
      const chosen = of.filter((_, index) => index % step === 0).slice(0, filesEach);
      return { set, name: `${set}/${name}`, files: chosen.map((file) => join(data, set, file)) };
    });
  });
}

/** Every environmental sound of the data. */
export function environments(data: string): Recordings[] {
  const root = join(data, "noise");
  return readdirSync(root, { recursive: true, encoding: "utf8" })
    .filter(isAudio)
    .toSorted()
    .map((file) => ({ set: "noise", name: file, files: [join(root, file)] }));
}

function speakerOf(set: string, file: string): string {
  if (set === "emotion") return file.split("/").at(-1)!.slice(0, 2);
  if (set === "digits") return file.split("_")[1]!;
  return file.includes("/") ? file.split("/")[0]! : set;
}

/** Half of all names is for development, the other half only for the final measurement. */
export const isHeldOut = (name: string) => createHash("sha256").update(name).digest()[0]! % 2 === 1;

/** Joins recordings, mono at `MATERIAL_HZ`. @param filter Filter of ffmpeg, such as a change of pitch. */
export function load({ files }: Recordings, filter = "anull"): Float32Array {
  const inputs = files.flatMap((file) => ["-i", file]);
  const parts = files.map(
    (_, index) =>
      `[${String(index)}:a]aresample=${String(MATERIAL_HZ)},aformat=channel_layouts=mono[a${String(index)}];`,
  );
  const joined = files.map((_, index) => `[a${String(index)}]`).join("");
  const graph = `${parts.join("")}${joined}concat=n=${String(files.length)}:v=0:a=1,${filter}[out]`;
  const { status, stdout, stderr } = spawnSync(
    "ffmpeg",
    [
      "-v",
      "error",
      ...inputs,
      "-filter_complex",
      graph,
      "-map",
      "[out]",
      "-f",
      "f32le",
      "-ac",
      "1",
      "-ar",
      String(MATERIAL_HZ),
      "-",
    ],
    { maxBuffer: 2 ** 30 },
  );
  if (status !== 0) throw new Error(`ffmpeg cannot read ${files.join(", ")}: ${String(stderr)}`);
  return new Float32Array(Uint8Array.from(stdout).buffer);
}

export function toInt16(samples: Float32Array, fromHz: number, toHz: number): Int16Array {
  return Int16Array.from(resampleAll(samples, fromHz, toHz), (sample) =>
    Math.max(-32768, Math.min(32767, Math.round(sample * 32768))),
  );
}
