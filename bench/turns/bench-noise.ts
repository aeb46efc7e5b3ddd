import { MODEL_HZ } from "../../src/audio/format.ts";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { packageRoot } from "../../src/shared/package-root.ts";
import { loadServerConfig } from "../../src/config/server-config.ts";
import { loadSilero } from "../../src/engines/vad/silero.ts";
import type { VadEngine } from "../../src/engines/vad/voice-activity-detector.ts";
import { readAudio } from "../../src/simulated-callers/recordings/read-audio.ts";
import { seededRandom } from "../../src/simulated-callers/random.ts";
import { callOf, type Call } from "./call.ts";
import { measure, type HeardCalls } from "./curve.ts";
import { hear } from "./hearing.ts";
import type { Outcome } from "./replay.ts";
import { readOptions } from "../options.ts";

const USAGE = `npm run bench:noise -- [--data DIR] [--config FILE]
Turns with background_noise_adaptation off and on. Twelve short LibriSpeech utterances, 4 s apart, are mixed with
noises at several distances, and the noises are heard alone. Turns end after 0.5 s of silence, without words. DIR
(../shared/data) has librispeech-mini and noise.`;

const SPEAKERS = 12;
const SPEECH_DBFS = -25;
const DISTANCES_DB = [Infinity, 15, 10, 5];
const ALONE_DBFS = [-45, -35, -25];
const ALONE_SECONDS = 30;
/** Longest time from the caller's last word to the end of a turn that noise did not hold open. */
const PROMPT_MS = 1300;
const SILENCE_ONLY = { naturalPauses: false, speakingRateAdaptation: false } as const;

interface Noise {
  readonly name: string;
  readonly samples: Float32Array;
}

async function main(): Promise<void> {
  const values = readOptions(USAGE, {
    data: { type: "string", default: join(packageRoot, "..", "shared", "data") },
    config: { type: "string" },
  });
  const { config } = loadServerConfig(values.config, process.env);
  const vad = await loadSilero(config.models.vad.path);
  try {
    const speech = readings(join(values.data, "librispeech-mini"));
    const call = callOf(
      "readers",
      speech.slice(0, SPEAKERS).map(({ name, samples }) => ({ name, samples: levelled(samples, SPEECH_DBFS) })),
    );
    const kinds = {
      "no voices": [...synthetic(), ...environments(join(values.data, "noise"))],
      voices: [1, 6, 12].map((voices) => babble(speech.slice(SPEAKERS), voices)),
    };
    for (const [kind, noises] of Object.entries(kinds)) {
      console.log(`\n${String(noises.length)} noises, ${kind}: off / on`);
      for (const distance of kind === "voices" ? DISTANCES_DB.slice(1) : DISTANCES_DB) {
        const mixed = (distance === Infinity ? noises.slice(0, 1) : noises).map((noise) => mix(call, noise, distance));
        await report(distance === Infinity ? "no noise" : `${String(distance)} dB`, mixed, vad);
      }
      for (const level of ALONE_DBFS) await reportAlone(noises, level, vad);
    }
  } finally {
    await vad.close();
  }
}

async function report(name: string, calls: readonly Call[], vad: VadEngine): Promise<void> {
  const cells = await bothWays(calls, vad, (outcomes) => {
    const share = (is: (outcome: Outcome) => boolean) =>
      `${((100 * outcomes.filter(is).length) / outcomes.length).toFixed(0)} %`;
    return {
      "end in time": share((outcome) => outcome.kind === "ended" && outcome.delayMs <= PROMPT_MS),
      "cut off": share(({ kind }) => kind === "cut-off"),
      unheard: share(({ kind }) => kind === "unheard"),
    };
  });
  console.log(name.padEnd(10), cells);
}

async function reportAlone(noises: readonly Noise[], level: number, vad: VadEngine): Promise<void> {
  const calls = noises.map(({ name, samples }) => ({
    caller: name,
    samples: levelled(repeated(samples, ALONE_SECONDS * MODEL_HZ), level),
    turns: everySecond(name),
  }));
  const cells = await bothWays(calls, vad, (outcomes) => {
    const opened = outcomes.filter(({ kind }) => kind !== "unheard").length;
    return { "seconds of 30 in which a turn begins or ends": (opened / noises.length).toFixed(1) };
  });
  console.log(`${String(level)} dBFS`.padEnd(10), cells);
}

/** A call without speech. Each turn that begins or ends in it is an error. */
const everySecond = (name: string): Call["turns"] =>
  Array.from({ length: ALONE_SECONDS }, (_, second) => ({
    name,
    startMs: 1000 * second,
    endMs: 1000 * second,
    untilMs: 1000 * (second + 1),
  }));

/** The same calls without and with noise adaptation. */
async function bothWays(
  calls: readonly Call[],
  vad: VadEngine,
  figures: (outcomes: readonly Outcome[]) => Record<string, string>,
): Promise<string> {
  const heard: HeardCalls[] = [];
  for (const call of calls) {
    const ears = { vad, model: undefined, modelPath: "" };
    heard.push({ call, heard: await hear(call, ears, join(packageRoot, "build", "bench-turns")) });
  }
  const [off, on] = await Promise.all(
    [false, true].map(async (adaptation) => {
      const settings = { ...SILENCE_ONLY, backgroundNoiseAdaptation: adaptation };
      const [point] = await measure(heard, settings, [0.5]);
      return figures(point!.outcomes);
    }),
  );
  return Object.keys(on!)
    .map((name) => `${name} ${off![name]!} / ${on![name]!}`)
    .join("   ");
}

/** The shortest recording of two seconds or more of each speaker. */
function readings(folder: string): readonly Noise[] {
  return readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => {
      const all = readdirSync(join(folder, name)).filter((file) => file.endsWith(".opus"));
      const read = all.map((file) => readAudio(join(folder, name, file)));
      const samples = read.filter(({ length }) => length > 2 * MODEL_HZ).toSorted((a, b) => a.length - b.length)[0];
      return { name, samples: samples ?? new Float32Array(MODEL_HZ) };
    });
}

function synthetic(): readonly Noise[] {
  const random = seededRandom(3);
  const white = Float32Array.from({ length: 10 * MODEL_HZ }, () => 2 * random() - 1);
  let low = 0;
  const brown = white.map((sample) => (low = 0.99 * low + sample));
  const hum = white.map(
    (_, i) => Math.sin((2 * Math.PI * 50 * i) / MODEL_HZ) + 0.5 * Math.sin((6 * Math.PI * 50 * i) / MODEL_HZ),
  );
  return [
    { name: "white", samples: white },
    { name: "brown", samples: brown },
    { name: "hum", samples: hum },
  ];
}

/** The first recording of each kind. */
function environments(folder: string): readonly Noise[] {
  return readdirSync(folder).map((name) => {
    const first = readdirSync(join(folder, name)).toSorted()[0]!;
    return { name, samples: readAudio(join(folder, name, first)) };
  });
}

function babble(speech: readonly Noise[], voices: number): Noise {
  const longest = Math.max(...speech.map(({ samples }) => samples.length));
  const samples = new Float32Array(longest);
  for (const voice of speech.slice(0, voices)) {
    const level = levelled(voice.samples, SPEECH_DBFS);
    for (let i = 0; i < longest; i++) samples[i]! += level[i % level.length]!;
  }
  return { name: `${String(voices)} voices`, samples };
}

function mix(call: Call, noise: Noise, distanceDb: number): Call {
  if (distanceDb === Infinity) return call;
  const behind = levelled(repeated(noise.samples, call.samples.length), SPEECH_DBFS - distanceDb);
  return { ...call, samples: call.samples.map((sample, i) => sample + behind[i]!) };
}

const repeated = (samples: Float32Array, length: number): Float32Array =>
  Float32Array.from({ length }, (_, i) => samples[i % samples.length]!);

function levelled(samples: Float32Array, dbfs: number): Float32Array {
  const power = samples.reduce((sum, sample) => sum + sample * sample, 0) / samples.length;
  const gain = 10 ** (dbfs / 20) / Math.sqrt(power + 1e-12);
  return samples.map((sample) => sample * gain);
}

await main();
