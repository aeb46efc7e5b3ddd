import { rmsDbfs, SILENCE_DBFS } from "../../audio/level.ts";
import type { SampleRing } from "../../audio/ring-buffer.ts";
import { toMs, toSamples } from "../session-time.ts";

/** The loudest part of a turn is looked for in its last two seconds. */
const LONGEST_MS = 2000;
/** The detector holds a voice for a few frames of 32 ms after its last sound. */
const LONGEST_TAIL_MS = 160;
const STEP_MS = 10;
/** Level under the loudest 10 ms from which sound is not a voice any more, dB. */
const BELOW_LOUDEST_DB = 30;

/**
 * Where the voice of a turn ends in the sound itself. The detector's end is a few frames later. For measurements: a caller counts the
 * delay of an answer from here.
 * @param endMs The turn's end by the detector, in session time.
 */
export function voiceEndMs(ring: SampleRing, startMs: number, endMs: number): number {
  const from = Math.max(startMs, endMs - LONGEST_MS);
  const sound = ring.read(toSamples(from), toSamples(endMs));
  const step = toSamples(STEP_MS);
  const levels: number[] = [];
  // In steps that end with the turn.
  for (let to = sound.length; to - step >= 0; to -= step) levels.push(rmsDbfs(sound.subarray(to - step, to)));
  const quietest = Math.max(SILENCE_DBFS, Math.max(...levels) - BELOW_LOUDEST_DB);
  const tail = levels.slice(0, LONGEST_TAIL_MS / STEP_MS).findIndex((level) => level > quietest);
  return endMs - (tail === -1 ? 0 : toMs(tail * step));
}
