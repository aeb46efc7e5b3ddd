import type { Likeness } from "./known-voices.ts";

/** Figures of this file: docs/decisions/0106-only-my-caller.md. */

/** A score counts this much less for each decibel below the caller's usual level, up to `FAR_DB`. */
const SCORE_PER_DB = 0.03;
const FAR_DB = 10;
/** Scores, by the voice so far, from which a check accepts a voice, and below which it refuses it. Between them the next one decides. */
const CHECKS = [
  { voicedMs: 832, accepts: 0.54, refuses: 0.18 },
  { voicedMs: 1216, accepts: 0.6, refuses: 0.34 },
  { voicedMs: 1632, accepts: 0.51, refuses: 0.51 },
] as const;
/** Least scores of a voice that stops before the last check. It has the benefit of the doubt. */
const STOPPED = [
  { voicedMs: 256, accepts: 0.2 },
  { voicedMs: 384, accepts: 0.33 },
  { voicedMs: 576, accepts: 0.36 },
  { voicedMs: 832, accepts: 0.38 },
  { voicedMs: 1216, accepts: 0.53 },
] as const;
/** Least score of one clip with which the caller's voice goes on after another one without a pause. */
const SURE_SCORE = 0.75;
/** The first check of a voice that goes on. A voice that stops earlier than `SHORTEST_MS` has no usable score. */
export const CHECK_MS = CHECKS[0].voicedMs;
export const SHORTEST_MS = STOPPED[0].voicedMs;

/** A voice near the caller's level is a new caller after this much of it, because a handset may be given to another person. */
const HANDOVER_DB = 1;
const HANDOVER_MS = 2200;
/** The next voice is a new caller when voices were refused for that long and are, with it, at most this much below the caller. */
const REFUSED_MS = 1200;
const REFUSED_DB = 1.5;
/** A sound without a score that is this far below the caller's level is another voice; among other voices sooner. */
const SHORT_BELOW_DB = 9;
const SHORT_AMONG_OTHERS_DB = 4;

export type Verdict = "caller" | "new caller" | "other" | { readonly checkAtMs: number };

export interface VoiceCheck extends Likeness {
  /** Voice so far. */
  readonly voicedMs: number;
  /** The voice has stopped. */
  readonly isOver: boolean;
  /** Refused voice since the caller was last heard. */
  readonly refusedMs: number;
  /** How far the refused voice and this one, all together, are below the quietest caller. */
  readonly refusedBelowDb: number;
}

/** Whose voice it is, or when to check again. In doubt it is the caller's. */
export function judgeVoice({ score, belowDb, voicedMs, isOver, refusedMs, refusedBelowDb }: VoiceCheck): Verdict {
  const nearScore = atLevel({ score, belowDb });
  const next = CHECKS.find((check) => voicedMs < check.voicedMs);
  const { accepts } =
    (isOver && next !== undefined ? STOPPED : CHECKS).findLast((check) => voicedMs >= check.voicedMs) ?? STOPPED[0];
  if (nearScore >= accepts) return "caller";
  const { refuses } = CHECKS.findLast((check) => voicedMs >= check.voicedMs) ?? CHECKS[0];
  if (!isOver && next !== undefined && nearScore >= refuses) return { checkAtMs: next.voicedMs };
  if (refusedMs >= REFUSED_MS) return refusedBelowDb <= REFUSED_DB ? "new caller" : "other";
  if (refusedMs > 0 || refusedBelowDb > HANDOVER_DB) return "other";
  if (voicedMs >= HANDOVER_MS) return "new caller";
  return isOver ? "other" : { checkAtMs: HANDOVER_MS };
}

/** A voice that is too short for a score. `isAmongOthers`: another voice was refused just now. */
export const isCallersShort = (belowDb: number, isAmongOthers: boolean): boolean =>
  belowDb < (isAmongOthers ? SHORT_AMONG_OTHERS_DB : SHORT_BELOW_DB);

/** The caller's voice goes on after another one without a pause. */
export const isSurelyCaller = (likeness: Likeness): boolean => atLevel(likeness) >= SURE_SCORE;

const atLevel = ({ score, belowDb }: Likeness): number => score - SCORE_PER_DB * Math.min(FAR_DB, Math.max(0, belowDb));
