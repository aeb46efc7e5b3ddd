import { habitShift, type Habits } from "./habits.ts";
import { rateStretch, type SpeakingRate } from "./speaking-rate.ts";

/** How long a pause is waited for; derived from the settings by `turnPolicy`. */
export interface EndOfTurnPolicy {
  /** Silence that ends a turn of which no more is known than that it is silent. */
  readonly silenceMs: number;
  /** `natural_pauses`: what was said, and how it sounded, makes the wait shorter or longer. */
  readonly naturalPauses: boolean;
  /** `adaptive`: so does what was learned of the caller. */
  readonly learnsHabits: boolean;
  /** `speaking_rate_adaptation`: a slow speaker is waited for longer, a quick one shorter. */
  readonly followsRate: boolean;
  /** Silence that ends any turn. */
  readonly longestSilenceMs: number;
}

export interface PauseEvidence {
  readonly silentMs: number;
  /** From the turn's first to its last voiced frame. */
  readonly turnMs: number;
  /** The end-of-turn model's last answer in this pause; undefined before the first, and without a model. */
  readonly probability: number | undefined;
  /** The words so far cannot end a sentence. */
  readonly unfinished: boolean;
  readonly habits: Habits;
  readonly rate: SpeakingRate;
}

/** The model's log odds at which the wait is exactly `silenceMs`. */
const EVEN_LOG_ODDS = 0.85;
/** How much the wait shrinks (as a logarithm) with each unit of log odds. */
const STEEPNESS = 0.45;
const SHORTEST_SHARE = 0.4;
/** In short turns to an assistant and long readings alike, half of the silences of this length are ends. */
const SILENCE_EVEN_MS = 350;
const SILENCE_SLOPE = 1.9;
/** Words that must go on, as log odds. */
const UNFINISHED_SHIFT = -1.5;
/** The same where nothing else is known. */
const UNFINISHED_EXTRA_MS = 1000;

/** Silence in ms after which a pause of which this is known ends the turn. */
export function endWaitMs(evidence: PauseEvidence, policy: EndOfTurnPolicy): number {
  const { probability, unfinished, habits, turnMs, silentMs } = evidence;
  const { naturalPauses, longestSilenceMs } = policy;
  const silenceMs = policy.silenceMs * (policy.followsRate ? rateStretch(evidence.rate) : 1);
  let shift = policy.learnsHabits ? habitShift(habits, turnMs, silentMs) : 0;
  let extraMs = 0;
  if (naturalPauses && probability !== undefined)
    shift += logit(probability) - EVEN_LOG_ODDS + (unfinished ? UNFINISHED_SHIFT : 0);
  else if (naturalPauses && unfinished) extraMs = UNFINISHED_EXTRA_MS;
  const waitMs = silenceMs * Math.max(SHORTEST_SHARE, Math.exp(-STEEPNESS * shift)) + extraMs;
  return Math.min(longestSilenceMs, waitMs);
}

/** How likely a turn is over of which only the silence is known: its share among the pauses and ends of that length. */
export function silenceConfidence(silentMs: number): number {
  return 1 / (1 + Math.exp(-SILENCE_SLOPE * Math.log(silentMs / SILENCE_EVEN_MS)));
}

const logit = (probability: number): number => {
  const inside = Math.min(0.999, Math.max(0.001, probability));
  return Math.log(inside / (1 - inside));
};
