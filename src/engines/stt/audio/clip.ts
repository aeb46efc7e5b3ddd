import { MODEL_HZ } from "../../../audio/format.ts";
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
/** Models hear a single word better with some silence around it (docs/decisions/0089-two-ears.md). */
const ROOM_SECONDS = 0.3;
const ROOM_SAMPLES = Math.round(ROOM_SECONDS * MODEL_HZ);

export interface Piece {
  /** With silence before and after if it is short. */
  readonly samples: Float32Array;
  /** Time of the first sample in the clip. Negative for the silence before a short clip. */
  readonly startSeconds: number;
  /** The smallest context that holds the piece and the margin, or the largest one. */
  readonly audioContext: number;
}

/** Lengthens a piece that is too short for a model. */
export type Lengthen = (samples: Float32Array) => Pick<Piece, "samples" | "startSeconds">;

/** Cuts a clip at its quietest places into as few pieces as fit the largest of `contexts` (ascending). */
export function cutClip(
  samples: Float32Array,
  contexts: readonly number[],
  marginSeconds = 0,
  lengthen: Lengthen = withRoom,
): Piece[] {
  const largest = Math.max(...contexts) * POSITION_SAMPLES;
  const pieces: Piece[] = [];
  for (let start = 0; start < samples.length;) {
    const rest = samples.length - start;
    const end =
      rest <= largest ? samples.length : quietestPlace(samples, start + Math.floor(largest / 2), start + largest);
    const { samples: piece, startSeconds } = lengthen(samples.subarray(start, end));
    const audioContext = contextOf(piece.length, contexts, marginSeconds);
    pieces.push({ samples: piece, startSeconds: start / MODEL_HZ + startSeconds, audioContext });
    start = end;
  }
  return pieces;
}

/** The smallest of `contexts` (ascending) that holds this many samples and the margin, or the largest one. */
export function contextOf(samples: number, contexts: readonly number[], marginSeconds: number): number {
  const needed = samples + marginSeconds * MODEL_HZ;
  return contexts.find((context) => context * POSITION_SAMPLES >= needed) ?? Math.max(...contexts);
}

/** A short clip with silence before and after it. A longer one is unchanged. */
export function withRoom(samples: Float32Array): Pick<Piece, "samples" | "startSeconds"> {
  if (samples.length >= MIN_SAMPLES) return { samples, startSeconds: 0 };
  const roomy = new Float32Array(Math.max(MIN_SAMPLES, samples.length + 2 * ROOM_SAMPLES));
  roomy.set(samples, ROOM_SAMPLES);
  return { samples: roomy, startSeconds: -ROOM_SAMPLES / MODEL_HZ };
}

/** A clip that ends in the middle of speech, with silence after it. */
export function withQuietEnd(clip: Float32Array): Float32Array {
  const seconds = clip.length / MODEL_HZ;
  const quietSeconds = seconds - new Loudness(clip).tighten({ start: 0, end: seconds }).end;
  if (quietSeconds >= ROOM_SECONDS) return clip;
  const longer = new Float32Array(clip.length + Math.round((ROOM_SECONDS - quietSeconds) * MODEL_HZ));
  longer.set(clip);
  return longer;
}

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
