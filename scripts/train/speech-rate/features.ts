import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { environments, isHeldOut, load, MATERIAL_HZ, speakers, toInt16 } from "../../../bench/audio-format/material.ts";
import { music, singing, testSignal } from "../../../bench/audio-format/synthetic.ts";
import { readOptions } from "../../../bench/options.ts";
import { resampleAll } from "../../../src/audio/resampler.ts";
import { FEATURES, MOST_ACTIVE_FRAMES, SpeechFeatures } from "../../../src/audio/speech-features.ts";
import { packageRoot } from "../../../src/shared/package-root.ts";

const USAGE = `npx tsx scripts/train/speech-rate/features.ts --out FILE [--data DIR] [--part N --parts N]
Writes training features for train.py: speech at right and wrong sample rates, and other sound. Uses the development half of the speakers.
Rows of float32: class (0: 48 kHz, 1: 44.1 kHz, 2: right, 3: 16 kHz, 4: 8 kHz), kind, group, frames, features.`;

const CHECKPOINTS = [32, 48, 64, 96, 128, 192, 256, MOST_ACTIVE_FRAMES];
const SECONDS = 10;
const CHILD = "asetrate=48000*1.3,aresample=48000,atempo=0.769";
const TELEPHONE = "highpass=f=300,highpass=f=300,lowpass=f=3400,lowpass=f=3400";

const values = readOptions(USAGE, {
  data: { type: "string", default: join(packageRoot, "..", "shared", "data") },
  out: { type: "string", default: "features.bin" },
  part: { type: "number", default: 0 },
  parts: { type: "number", default: 1 },
});
const part = values.part;
const parts = values.parts;
const rows: Float32Array[] = [];

function add(group: number, of: number, kind: number, pcm: Int16Array): void {
  for (const start of [0, 0.4]) {
    const features = new SpeechFeatures();
    let next = 0;
    for (let at = Math.floor(start * pcm.length); at < pcm.length && next < CHECKPOINTS.length; at += 1200) {
      features.push(pcm.subarray(at, at + 1200));
      for (; next < CHECKPOINTS.length && features.activeFrames >= CHECKPOINTS[next]!; next += 1) {
        const row = new Float32Array(4 + FEATURES);
        row.set([of, kind, group, CHECKPOINTS[next]!]);
        row.set(features.read(), 4);
        rows.push(row);
      }
    }
  }
}

const at = (hz: number, sound: Float32Array) => toInt16(sound, MATERIAL_HZ, hz);
const amplified = (sound: Float32Array, gain: number, offset = 0) =>
  sound.map((sample) => Math.max(-1, Math.min(1, sample * gain + offset)));
const minus = (a: Float32Array, b: Float32Array) => a.map((sample, i) => sample - (b[i] ?? 0));
const through = (sound: Float32Array, hz: number) => resampleAll(resampleAll(sound, MATERIAL_HZ, hz), hz, MATERIAL_HZ);

/** Adds a copy of the band from 4 kHz up above 8 kHz: the recordings have nothing there, and microphones do. */
function fullBand(sound: Float32Array, level: number): Float32Array {
  const high = minus(sound, through(sound, 8_000));
  const moved = high.map((sample, i) => sample * 2 * Math.cos((2 * Math.PI * 4000 * i) / MATERIAL_HZ));
  const above = minus(moved, through(moved, 16_000));
  return sound.map((sample, i) => sample + level * above[i]!);
}

for (const [group, recordings] of [...speakers(values.data, 4), ...environments(values.data)]
  .filter(({ name }) => !isHeldOut(name))
  .entries()) {
  if (group % parts !== part) continue;
  const isSpeech = recordings.set !== "noise";
  const loaded = load(recordings).subarray(0, MATERIAL_HZ * SECONDS);
  const sound = amplified(loaded, 0.5 / loaded.reduce((most, sample) => Math.max(most, Math.abs(sample)), 1e-4));
  const kind = isSpeech ? 0 : 10;
  add(group, 2, kind, at(24_000, sound));
  add(group, 2, kind + 1, at(24_000, through(sound, 8_000)));
  add(group, 2, kind + 2, at(24_000, amplified(sound, 8)));
  add(group, 2, kind + 3, at(24_000, amplified(sound, 0.03, 0.05)));
  if (!isSpeech) continue;
  const level = 10 ** (-((group % 6) * 5) / 20);
  const full = fullBand(sound, level);
  const child = amplified(load(recordings, CHILD).subarray(0, MATERIAL_HZ * SECONDS), 0.5);
  const telephone = amplified(load(recordings, TELEPHONE).subarray(0, MATERIAL_HZ * SECONDS), 0.8);
  add(group, 2, 4, at(24_000, group % 2 === 0 ? fullBand(child, level) : child));
  add(group, 2, 5, at(24_000, telephone));
  add(group, 2, 6, at(24_000, full));
  add(group, 2, 7, at(24_000, amplified(full, 8)));
  add(group, 4, 0, at(8_000, sound));
  add(group, 4, 2, at(8_000, amplified(sound, 8)));
  add(group, 4, 5, at(8_000, telephone));
  add(group, 1, 6, at(44_100, full));
  if (recordings.set === "digits") continue;
  add(group, 3, 0, at(16_000, sound));
  add(group, 3, 2, at(16_000, amplified(sound, 8)));
  add(group, 0, 0, at(48_000, sound));
  add(group, 0, 6, at(48_000, full));
}
for (let seed = part; seed < 300; seed += parts) {
  const made = [music, singing, testSignal][seed % 3]!(2 * seed, SECONDS);
  add(10_000 + seed, 2, 20 + (seed % 3), at(24_000, made));
  add(10_000 + seed, 2, 20 + (seed % 3), at(24_000, through(made, 8_000)));
}
writeFileSync(values.out, Buffer.concat(rows.map(({ buffer }) => Buffer.from(buffer))));
console.log(`${String(rows.length)} rows of ${String(4 + FEATURES)} numbers in ${values.out}`);
