import { MODEL_HZ } from "../../src/audio/format.ts";
import { existsSync, readFileSync } from "node:fs";
import { basename, dirname, relative } from "node:path";
import { z } from "zod";
import { findRecordings } from "../../src/simulated-callers/recordings/recordings.ts";
import { readAudio } from "../../src/simulated-callers/recordings/read-audio.ts";
import { sayWith } from "../callers/synthetic-voice.ts";
import { callOf, type Call, type Utterance } from "./call.ts";
import { logNormal, seededRandom } from "../../src/simulated-callers/random.ts";
import { roomTone } from "./room-tone.ts";
import { BRIEF_ANSWERS, SENTENCES } from "./sentences.ts";

export interface TurnSet {
  readonly name: string;
  readonly calls: readonly Call[];
}

/** Training recordings of the model, as beginnings of "folder/caller/recording": `turn.json` beside the model. */
const trainedSchema = z.object({ trainedOn: z.array(z.string()) });

export function trainedOn(modelPath: string): readonly string[] {
  const path = modelPath.replace(/\.onnx$/, "") + ".json";
  return existsSync(path) ? trainedSchema.parse(JSON.parse(readFileSync(path, "utf8"))).trainedOn : [];
}

/**
 * Recordings with transcripts from `findRecordings`. Each recording is a turn, and each folder one caller's call.
 * Recordings and callers of the model's training data are skipped unless `all`.
 */
export function recordedTurns(folder: string, learned: readonly string[], limit: number, toCall = callOf): TurnSet {
  const callers = new Map<string, string[]>();
  for (const { recordings } of findRecordings(folder, [])) {
    for (const { path, truth } of recordings) {
      const caller = relative(folder, dirname(path)) || basename(folder);
      const name = `${basename(folder)}/${caller}`;
      const known = learned.some((prefix) => `${name}/${basename(path)}`.startsWith(prefix));
      if (truth.kind === "words" && !known) callers.set(caller, [...(callers.get(caller) ?? []), path]);
    }
  }
  const calls = [...callers].map(([caller, paths]) =>
    toCall(
      caller,
      paths.slice(0, limit).map((path) => ({ name: basename(path), samples: readAudio(path) })),
    ),
  );
  return { name: basename(folder), calls };
}

/** Voices of the synthesisers that are not in the training data, or not with these sentences. */
const VOICES = ["rms", "f4", "slt", "m3"];
/** Length of pauses inside a sentence, log-normal, in seconds. */
const PAUSE = { median: 0.4, spread: 0.5, longest: 1.6 };

/** Sentences to an assistant, one per turn, spoken by all voices. Commas are extended to natural pauses. */
export const assistantTurns = (limit: number): TurnSet => ({
  name: "assistant",
  calls: saidByAll(SENTENCES.slice(0, limit), 11),
});

/** Answers of one to three words. */
export const briefAnswers = (): TurnSet => ({ name: "brief answers", calls: saidByAll(BRIEF_ANSWERS, 31) });

const saidByAll = (texts: readonly string[], seed: number): Call[] =>
  VOICES.map((voice, index) => {
    const random = seededRandom(seed + index);
    return callOf(
      voice,
      texts
        .map((text) => ({ name: text, samples: inARoom(sayWith(voice, text, MODEL_HZ), random) }))
        .map((said) => drawOut(said, random)),
    );
  });

/** Faint room noise, because synthetic silence consists of zeros. */
export function inARoom(samples: Float32Array, random: () => number): Float32Array {
  const level = 10 ** (-(55 + 20 * random()) / 20);
  return samples.map((sample) => sample + level * (2 * random() - 1));
}

/** Extends each gap of 80 ms or more inside the sentence to the length of a natural pause. */
function drawOut({ name, samples }: Utterance, random: () => number): Utterance {
  const parts: Float32Array[] = [];
  let done = 0;
  for (const { from, to } of gaps(samples)) {
    const seconds = Math.min(PAUSE.longest, logNormal(random, PAUSE.median, PAUSE.spread));
    const added = Math.round(seconds * MODEL_HZ) - (to - from);
    if (added <= 0) continue;
    const middle = Math.round((from + to) / 2);
    parts.push(samples.subarray(done, middle), roomTone(samples, added, random));
    done = middle;
  }
  parts.push(samples.subarray(done));
  const out = new Float32Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    out.set(part, at);
    at += part.length;
  }
  return { name, samples: out };
}

function gaps(samples: Float32Array): readonly { readonly from: number; readonly to: number }[] {
  const step = MODEL_HZ / 100;
  const found: { from: number; to: number }[] = [];
  let quietFrom: number | undefined;
  let spoken = false;
  for (let start = 0; start + step <= samples.length; start += step) {
    let power = 0;
    for (let i = start; i < start + step; i++) power += samples[i]! ** 2 / step;
    if (power < 2.5e-5) quietFrom ??= start;
    else {
      if (spoken && quietFrom !== undefined && start - quietFrom >= 8 * step)
        found.push({ from: quietFrom, to: start });
      quietFrom = undefined;
      spoken = true;
    }
  }
  return found;
}
