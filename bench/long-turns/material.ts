import { MODEL_HZ } from "../../src/audio/format.ts";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { findRecordings } from "../../src/simulated-callers/recordings/recordings.ts";
import { readAudio } from "../../src/simulated-callers/recordings/read-audio.ts";
import { sayWith } from "../callers/synthetic-voice.ts";
import { seededRandom } from "../../src/simulated-callers/random.ts";
import { roomTone } from "../turns/room-tone.ts";
import { SENTENCES } from "../turns/sentences.ts";

const STEP = MODEL_HZ / 100;
/** Silence before and after a turn. */
const AROUND_SECONDS = 1;
const AFTER_SECONDS = 6;

export interface LongTurn {
  readonly name: string;
  readonly seconds: number;
  /** Samples at 16 kHz, with room noise before and after the voice. */
  readonly samples: Float32Array;
  /** Position of the last sample of the voice. */
  readonly voiceEnd: number;
  readonly text: string;
}

interface Said {
  readonly samples: Float32Array;
  readonly text: string;
}

/** The speakers. Turns with pauses have 0.25 to 0.45 s between sentences. Other turns have no silence of more than 60 ms. */
export interface Choice {
  readonly voices: readonly string[];
  readonly recordings: string;
  readonly speakers: number;
}

/** Material for choosing the rules, and separate voices, speakers and orders for the report. */
export const CHOICES: Readonly<Record<"choose" | "report", Choice>> = {
  choose: { voices: ["slt", "m3", "Annie"], recordings: "librispeech-dev-clean", speakers: 4 },
  report: { voices: ["rms", "f4", "linda"], recordings: "librispeech-test-clean", speakers: 3 },
};

export function* longTurns(choice: Choice, data: string, lengths: readonly number[]): Iterable<LongTurn> {
  for (const [index, voice] of choice.voices.entries()) {
    const said = shuffled(SENTENCES, index).map((text) => ({ samples: sayWith(voice, text, MODEL_HZ), text }));
    yield* turnsOf(`assistant ${voice}`, said, lengths);
  }
  const folder = join(data, choice.recordings);
  const speakers = readdirSync(folder, { withFileTypes: true }).filter((entry) => entry.isDirectory());
  for (const { name } of speakers.slice(0, choice.speakers))
    yield* turnsOf(`readings ${name}`, readings(folder, name), lengths);
}

function readings(folder: string, speaker: string): readonly Said[] {
  const said: Said[] = [];
  let seconds = 0;
  for (const { path, truth } of findRecordings(folder, []).flatMap(({ name, recordings }) =>
    name === speaker ? recordings : [],
  )) {
    if (truth.kind !== "words" || seconds > 90) continue;
    const samples = readAudio(path);
    seconds += samples.length / MODEL_HZ;
    said.push({ samples, text: truth.text });
  }
  return said;
}

function* turnsOf(name: string, said: readonly Said[], lengths: readonly number[]): Iterable<LongTurn> {
  for (const seconds of lengths)
    for (const hasPauses of [true, false]) {
      const turn = speakFor(said, seconds, hasPauses);
      yield { name: `${name} ${String(seconds)} s ${hasPauses ? "with" : "without"} pauses`, seconds, ...turn };
    }
}

/** Adds whole sentences until the turn is about `seconds` long. */
function speakFor(
  said: readonly Said[],
  seconds: number,
  hasPauses: boolean,
): Pick<LongTurn, "samples" | "voiceEnd" | "text"> {
  const random = seededRandom(5);
  const parts: Float32Array[] = [];
  const texts: string[] = [];
  let length = 0;
  const add = (part: Float32Array) => {
    parts.push(part);
    length += part.length;
  };
  const room = (samples: Float32Array, duration: number) => roomTone(samples, Math.round(duration * MODEL_HZ), random);
  add(room(said[0]!.samples, AROUND_SECONDS));
  const start = length;
  for (let index = 0; (length - start) / MODEL_HZ < seconds - 1; index++) {
    const { samples, text } = said[index % said.length]!;
    const voice = voicedParts(samples, hasPauses);
    const sentence = voice.reduce((sum, part) => sum + part.length, 0) / MODEL_HZ;
    if (texts.length > 0 && (length - start) / MODEL_HZ + sentence > seconds * 1.25) continue;
    if (hasPauses && texts.length > 0) add(room(samples, 0.25 + 0.2 * random()));
    for (const part of voice) add(part);
    texts.push(text);
    if (index > 4 * said.length) break;
  }
  const voiceEnd = length;
  add(room(said[0]!.samples, AFTER_SECONDS));
  const out = new Float32Array(length);
  let at = 0;
  for (const part of parts) {
    out.set(part, at);
    at += part.length;
  }
  return { samples: out, voiceEnd, text: texts.join(" ") };
}

/** The recording between its first and last voice, with silences shortened to the longest allowed one. */
function voicedParts(samples: Float32Array, keepsPauses: boolean): readonly Float32Array[] {
  const levels = Array.from({ length: Math.floor(samples.length / STEP) }, (_, step) => {
    let power = 0;
    for (let i = step * STEP; i < (step + 1) * STEP; i++) power += samples[i]! ** 2;
    return power;
  });
  const loud = levels.toSorted((a, b) => a - b)[Math.floor(levels.length * 0.9)] ?? 0;
  const isVoiced = levels.map((level) => level > loud * 10 ** -3.2);
  const [first, last] = [isVoiced.indexOf(true), isVoiced.lastIndexOf(true)];
  const margin = keepsPauses ? 12 : 3;
  const parts: Float32Array[] = [];
  for (let step = first; step <= last; step++) {
    const quiet = isVoiced.slice(Math.max(first, step - margin), step + margin + 1).every((voiced) => !voiced);
    if (!quiet) parts.push(samples.slice(step * STEP, (step + 1) * STEP));
  }
  return parts;
}

function shuffled<Item>(items: readonly Item[], seed: number): readonly Item[] {
  const random = seededRandom(100 + seed);
  return items
    .map((item) => ({ item, key: random() }))
    .toSorted((a, b) => a.key - b.key)
    .map(({ item }) => item);
}
