import { MODEL_HZ } from "../../audio/format.ts";
import { withoutRumble } from "../../audio/rumble-filter.ts";

/** Where a growing clip is divided. Positions: samples from the clip's first. */
export interface SpeechCut {
  /** The clip of the words before the cut ends here. */
  readonly leftEnd: number;
  /** Words whose middle lies before this belong to the left clip. */
  readonly boundary: number;
  /** The next clip begins here. */
  readonly rightStart: number;
  /** Words whose middle lies before this are not in the next clip. */
  readonly knownFrom: number;
}

/** A longer clip is divided at its best pause. */
export const CUT_AFTER_SAMPLES = 5 * MODEL_HZ;
/** A longer clip is divided without a pause, too. */
export const CUT_AT_SAMPLES = 7 * MODEL_HZ;

const FRAME_SAMPLES = MODEL_HZ / 100;
const frames = (seconds: number): number => Math.round(seconds * 100);
const CUT_AT = CUT_AT_SAMPLES / FRAME_SAMPLES;

/** Minimum length of both sides of a cut. The end of a clip may be inside a word. */
const LEAST_LEFT = frames(2);
const LEAST_RIGHT = frames(1.2);
/** Shorter silences are found inside words. */
const PAUSE = frames(0.2);
/** Pauses in the middle of a sentence are shorter, so a clip that is not urgent waits for a longer one. */
const LONG_PAUSE = frames(0.3);
const URGENT_AFTER = frames(6);
/** Without a pause the cut is at the quietest place of this stretch. */
const CHOICE = frames(2);
/** Silence kept on the speech's side of a long pause. */
const MARGIN = frames(0.3);
/** Without a pause both clips hold the speech around the cut, so that each hears whole words there. */
const OVERLAP = { from: frames(0.6), to: frames(1.2) };
/** Length of a word, and the error of its times. */
const WORD = frames(0.7);

/** The best place to divide a clip of more than `CUT_AFTER_SAMPLES`; undefined while a better place may follow. */
export function findCut(samples: Float32Array): SpeechCut | undefined {
  const levels = frameLevels(samples);
  const latest = Math.min(levels.length, CUT_AT) - LEAST_RIGHT;
  const isForced = levels.length >= CUT_AT;
  const pause = longestPause(levels, isForced ? levels.length : latest);
  if (pause !== undefined && (pause.to - pause.from >= LONG_PAUSE || levels.length >= URGENT_AFTER)) {
    const boundary = Math.round((pause.from + pause.to) / 2);
    const leftEnd = Math.min(boundary, pause.from + MARGIN);
    return inSamples({ leftEnd, boundary, rightStart: Math.max(boundary, pause.to - MARGIN), knownFrom: boundary });
  }
  if (!isForced) return undefined;
  const boundary = quietest(levels, latest - CHOICE, latest);
  const leftEnd = quietest(levels, boundary + OVERLAP.from, boundary + OVERLAP.to);
  const rightStart = quietest(levels, boundary - OVERLAP.to, boundary - OVERLAP.from);
  return inSamples({ leftEnd, boundary, rightStart, knownFrom: rightStart - WORD });
}

/** The quietest place of a short clip: the most likely end of a word. */
export function quietPlace(samples: Float32Array): number {
  const levels = frameLevels(samples);
  return quietest(levels, 2, levels.length - 2) * FRAME_SAMPLES;
}

/** Energy of every 10 ms. */
function frameLevels(clip: Float32Array): Float32Array {
  const samples = withoutRumble(clip);
  return Float32Array.from({ length: Math.floor(samples.length / FRAME_SAMPLES) }, (_, frame) => {
    let energy = 0;
    for (let index = frame * FRAME_SAMPLES; index < (frame + 1) * FRAME_SAMPLES; index++)
      energy += (samples[index] ?? 0) ** 2;
    return energy / FRAME_SAMPLES;
  });
}

/** The longest silence of a pause's length that begins early enough and leaves enough before `latest`. */
function longestPause(levels: Float32Array, latest: number): { from: number; to: number } | undefined {
  const limit = quietLimit(levels);
  let best: { from: number; to: number } | undefined;
  let from: number | undefined;
  for (let frame = 0; frame <= levels.length; frame++) {
    const isQuiet = frame < levels.length && (levels[frame] ?? 0) <= limit;
    if (isQuiet) from ??= frame;
    else if (from !== undefined) {
      const isInRange = from >= LEAST_LEFT && from < CUT_AT && frame <= latest;
      if (isInRange && frame - from >= Math.max(PAUSE, (best?.to ?? 0) - (best?.from ?? 0))) best = { from, to: frame };
      from = undefined;
    }
  }
  return best;
}

/** Energy up to which a frame is silent: 24 dB below the clip's loud frames. In more noise no pause is found. */
function quietLimit(levels: Float32Array): number {
  return 0.004 * (levels.toSorted()[Math.floor(levels.length * 0.95)] ?? 0);
}

/** The middle of the last 50 ms with the least energy. */
function quietest(levels: Float32Array, from: number, to: number): number {
  let best = from;
  let least = Infinity;
  for (let frame = from; frame < to; frame++) {
    let energy = 0;
    for (let near = frame - 2; near <= frame + 2; near++) energy += levels[near] ?? 0;
    if (energy > least) continue;
    least = energy;
    best = frame;
  }
  return best;
}

function inSamples({ leftEnd, boundary, rightStart, knownFrom }: SpeechCut): SpeechCut {
  return {
    leftEnd: leftEnd * FRAME_SAMPLES,
    boundary: boundary * FRAME_SAMPLES,
    rightStart: rightStart * FRAME_SAMPLES,
    knownFrom: knownFrom * FRAME_SAMPLES,
  };
}
