import { MODEL_HZ } from "../../src/audio/format.ts";
import type { SpeechRecognizer, Transcript, Word } from "../../src/engines/stt/speech-to-text.ts";
import { seededRandom } from "../../src/simulated-callers/random.ts";

const POSITION = 2 ** -24;
const QUIET = 2 ** -10;

export interface SpokenWord {
  readonly word: string;
  readonly start: number;
  readonly end: number;
}

const VOCABULARY = (
  "the kitchen lights are off please turn them on and set a timer for ten minutes because my sister wants to cook " +
  "something nice before we leave at seven it should not be too late what do you think about that then"
).split(" ");

/** Words of 0.12 to 0.5 s. A pause of up to `longestPause` seconds follows some of them; without it they follow each other at once. */
export function script(seconds: number, longestPause: number, seed: number): SpokenWord[] {
  const random = seededRandom(seed);
  const words: SpokenWord[] = [];
  let at = 0.5;
  while (at < seconds) {
    const word = VOCABULARY[Math.floor(random() * VOCABULARY.length)] ?? "";
    if (word === words.at(-1)?.word) continue;
    const end = at + 0.12 + 0.38 * random();
    words.push({ word, start: at, end });
    at = end + (longestPause > 0 && random() < 0.15 ? 0.1 + random() * longestPause : 0);
  }
  return words;
}

/** A tone of 2 kHz, because a constant level makes no sound. */
const signOf = (index: number): number => (index % 8 < 4 ? 1 : -1);

/** Samples whose magnitudes tell their position. Their loudness varies inside words, so that a quiet place is not always between two. */
export function soundOf(words: readonly SpokenWord[], seconds: number, seed: number): Float32Array {
  const random = seededRandom(seed);
  const levels = Array.from({ length: Math.ceil(seconds * 20) }, () => 2 ** -Math.floor(4 * random()));
  const sound = new Float32Array(seconds * MODEL_HZ);
  for (let index = 0; index < sound.length; index++) sound[index] = signOf(index) * (0.5 + index * POSITION) * QUIET;
  for (const { start, end } of words)
    for (let index = Math.round(start * MODEL_HZ); index < Math.round(end * MODEL_HZ); index++)
      sound[index] = signOf(index) * (0.5 + index * POSITION) * (levels[Math.floor((index / MODEL_HZ) * 20)] ?? 1);
  return sound;
}

function positionOf(sample: number): number {
  let value = Math.abs(sample);
  while (value < 0.5) value *= 2;
  return Math.round((value - 0.5) / POSITION);
}

export interface ScriptedOptions {
  readonly words: readonly SpokenWord[];
  /** Largest error of a word's start and end, seconds. */
  readonly timeError: number;
  /** Share of wrong words in a clip, different in each clip. 0 by default. */
  readonly slips?: number;
  /** Resolves when the decode is done. */
  readonly wait: (signal: AbortSignal) => Promise<void>;
}

/**
 * A recogniser that returns the script with typical errors: wrong times, half a word when a clip ends inside it and
 * another word when a clip starts inside it. The same clip always gives the same text.
 */
export class ScriptedRecognizer implements SpeechRecognizer {
  readonly clipSeconds: number[] = [];
  readonly #options: ScriptedOptions;

  constructor(options: ScriptedOptions) {
    this.#options = options;
  }

  async transcribe({ samples }: { samples: Float32Array }, signal: AbortSignal): Promise<Transcript> {
    this.clipSeconds.push(samples.length / MODEL_HZ);
    const from = positionOf(samples[0] ?? 0.5) / MODEL_HZ;
    await this.#options.wait(signal);
    const words = this.#hear(from, from + samples.length / MODEL_HZ);
    return { text: words.map(({ word }) => word).join(" "), confidence: 0.8, words };
  }

  close(): void {
    // Nothing to free.
  }

  #hear(from: number, to: number): Word[] {
    const random = seededRandom(Math.round(from * 1000) + 7 * Math.round(to * 1000));
    const heard: Word[] = [];
    for (const { word, start, end } of this.#options.words) {
      const length = end - start;
      const missing = { before: Math.max(0, from - start) / length, after: Math.max(0, end - to) / length };
      if (missing.before > 0.7 || missing.after > 0.7) continue;
      const error = () => this.#options.timeError * (2 * random() - 1);
      const earliest = heard.at(-1)?.start ?? 0;
      const at = Math.min(to - from, Math.max(earliest, start - from + error()));
      const until = Math.min(to - from, Math.max(at, end - from + error()));
      if (missing.before > 0.25) heard.push({ word: `un${word}`, start: at, end: until, confidence: 0.5 });
      else if (missing.after > 0.25)
        heard.push({ word: word.slice(0, Math.ceil(word.length / 2)) + "r", start: at, end: until, confidence: 0.5 });
      else {
        const isSlip = random() < (this.#options.slips ?? 0);
        heard.push({ word: isSlip ? `${word}z` : word, start: at, end: until, confidence: 0.6 + 0.3 * random() });
      }
    }
    return heard;
  }
}
