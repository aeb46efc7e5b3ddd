import { MODEL_HZ } from "../../audio/format.ts";
import { Loudness } from "./loudness.ts";

/** One position of the encoder: 20 ms. */
export const POSITION_SAMPLES = 320;

/**
 * Encoder context for a clip: always the full 30 s, or the clip plus a margin with a floor. An encoder that was trained on 30 s
 * loops when the context is too short (docs/decisions/0064-audio-context.md).
 */
export type ContextRule = "full" | { readonly floorSeconds: number; readonly marginSeconds: number };

const CONTEXT_STEP = 64;
const POSITIONS_PER_SECOND = MODEL_HZ / POSITION_SAMPLES;

/** Encoder lengths from `floorSeconds` to `full`, ascending, all but the last a multiple of 64. */
export function contextsFrom(floorSeconds: number, full: number): number[] {
  const contexts: number[] = [];
  const least = Math.ceil((floorSeconds * POSITIONS_PER_SECOND) / CONTEXT_STEP) * CONTEXT_STEP;
  for (let context = least; context < full; context += CONTEXT_STEP) contexts.push(context);
  return [...contexts, full];
}

/** Models hallucinate on very short clips, and older whisper.cpp refuses them. */
const MIN_SAMPLES = Math.round(1.1 * MODEL_HZ);
/** Models hear words better with some silence around them (docs/decisions/0089-two-ears.md). */
const ROOM_SECONDS = 0.3;

export interface Piece {
  readonly samples: Float32Array;
  /** Time of the first sample in the clip. Negative in the silence that was added before it. */
  readonly startSeconds: number;
  /** The smallest context that holds the piece and the margin, or the largest one. */
  readonly audioContext: number;
}

/** Cuts a clip at its quietest places into as few pieces as fit the largest of `contexts` (ascending). */
export function cutClip(clip: Float32Array, contexts: readonly number[], marginSeconds = 0): Piece[] {
  if (clip.length === 0) return [];
  const { samples, roomSeconds } = withRoom(clip);
  const largest = Math.max(...contexts) * POSITION_SAMPLES;
  const pieces: Piece[] = [];
  for (let start = 0; start < samples.length;) {
    const rest = samples.length - start;
    const end =
      rest <= largest ? samples.length : quietestPlace(samples, start + Math.floor(largest / 2), start + largest);
    const piece = samples.subarray(start, end);
    const audioContext = contextOf(piece.length, contexts, marginSeconds);
    pieces.push({ samples: piece, startSeconds: start / MODEL_HZ - roomSeconds, audioContext });
    start = end;
  }
  return pieces;
}

/** The smallest of `contexts` (ascending) that holds this many samples and the margin, or the largest one. */
export function contextOf(samples: number, contexts: readonly number[], marginSeconds: number): number {
  const needed = samples + marginSeconds * MODEL_HZ;
  return contexts.find((context) => context * POSITION_SAMPLES >= needed) ?? Math.max(...contexts);
}

/** A clip with silence before and after, if its sound begins or ends at once. `roomSeconds`: length of the silence before. */
export function withRoom(clip: Float32Array): { readonly samples: Float32Array; readonly roomSeconds: number } {
  const seconds = clip.length / MODEL_HZ;
  const sound = new Loudness(clip).tighten({ start: 0, end: seconds });
  const before = toSamples(Math.max(0, ROOM_SECONDS - sound.start));
  const after = toSamples(Math.max(0, ROOM_SECONDS - (seconds - sound.end)));
  const samples = new Float32Array(Math.max(MIN_SAMPLES, before + clip.length + after));
  samples.set(clip, before);
  return { samples, roomSeconds: before / MODEL_HZ };
}

const toSamples = (seconds: number) => Math.round(seconds * MODEL_HZ);

/** The middle of the 100 ms with the least energy between two samples. */
function quietestPlace(samples: Float32Array, from: number, to: number): number {
  const window = MODEL_HZ / 10;
  const hop = window / 5;
  let best = to;
  let leastEnergy = Infinity;
  for (let start = from; start + window <= to; start += hop) {
    let energy = 0;
    for (let index = start; index < start + window; index++) energy += (samples[index] ?? 0) ** 2;
    if (energy >= leastEnergy) continue;
    leastEnergy = energy;
    best = start + window / 2;
  }
  return best;
}
