import { MODEL_HZ } from "../../src/audio/format.ts";
import { seededRandom } from "../../src/simulated-callers/random.ts";
import { continueRoom } from "./room-tone.ts";
import { lastVoiceSample } from "./last-voice.ts";

/** Silence after each turn, seconds, longer than any measured wait. */
export const AFTER_SECONDS = 4;

/** One caller's turns, one after the other. Times in ms from the call's first sample. */
export interface Call {
  readonly caller: string;
  readonly samples: Float32Array;
  readonly turns: readonly {
    readonly name: string;
    readonly startMs: number;
    readonly endMs: number;
    readonly untilMs: number;
    /** Start of a hesitation inside the turn. */
    readonly hesitatesAtMs?: number;
  }[];
}

export interface Utterance {
  readonly name: string;
  readonly samples: Float32Array;
  /** First sample of a hesitation. */
  readonly hesitatesAt?: number;
}

export function callOf(caller: string, utterances: readonly Utterance[]): Call {
  const random = seededRandom(7);
  const parts: Float32Array[] = [];
  const turns: Call["turns"][number][] = [];
  let position = 0;
  for (const { name, samples, hesitatesAt } of utterances) {
    const part = continueRoom(samples, AFTER_SECONDS, random);
    parts.push(part);
    turns.push({
      name,
      startMs: toMs(position),
      endMs: toMs(position + lastVoiceSample(samples)),
      untilMs: toMs(position + part.length),
      ...(hesitatesAt === undefined ? {} : { hesitatesAtMs: toMs(position + hesitatesAt) }),
    });
    position += part.length;
  }
  const samples = new Float32Array(position);
  let at = 0;
  for (const part of parts) {
    samples.set(part, at);
    at += part.length;
  }
  return { caller, samples, turns };
}

const toMs = (samples: number): number => (samples * 1000) / MODEL_HZ;
