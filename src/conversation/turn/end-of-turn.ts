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
  /** The box has asked: a turn shorter than this may well be the whole answer. 0 where it has not. */
  readonly briefAnswerMs: number;
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
  /** What the words so far add to the log odds that the turn is over. */
  readonly wordOdds: number;
  readonly habits: Habits;
  readonly rate: SpeakingRate;
}

/** Log odds of the model at which the wait is exactly `silenceMs`. */
const EVEN_LOG_ODDS = 2.57;
/** How much the wait shrinks (as a logarithm) with each unit of log odds. */
const STEEPNESS = 0.45;
const SHORTEST_SHARE = 0.15;
/** No longer than this is waited once all is more likely said than not, for slow speakers too. */
const LIKELY_LONGEST_SHARE = 1.35;
/** Words that must go on outweigh whatever the voice did: no more than this, less that. */
const UNFINISHED_MOST = 1;
const UNFINISHED_SHIFT = -3;
/** Log odds of the words from which down they are such. */
const UNFINISHED_ODDS = -2;
/** The time they get where nothing else is known. */
const UNFINISHED_EXTRA_MS = 1000;
/** Half of the silences of this length are ends, and how fast that share grows: on short turns to an assistant. */
const SILENCE_EVEN_MS = 105;
const SILENCE_SLOPE = 1.2;

export interface PauseScore {
  /** Silence after which the pause ends the turn, if no more becomes known. */
  readonly waitMs: number;
  /** 0-1: how likely the user has said all. */
  readonly confidence: number;
  /** More was expected: a turn that ends nevertheless has timed out. */
  readonly expectsMore: boolean;
}

export function scorePause(evidence: PauseEvidence, policy: EndOfTurnPolicy): PauseScore {
  const { probability, habits, turnMs, silentMs } = evidence;
  const { longestSilenceMs } = policy;
  const silenceMs = policy.silenceMs * (policy.followsRate ? rateStretch(evidence.rate) : 1);
  const unfinished = policy.naturalPauses && (evidence.unfinished || evidence.wordOdds <= UNFINISHED_ODDS);
  const habit = policy.learnsHabits ? habitShift(habits, turnMs, silentMs) : 0;
  if (!policy.naturalPauses || probability === undefined) {
    const odds = SILENCE_SLOPE * Math.log(silentMs / SILENCE_EVEN_MS) + habit + (unfinished ? UNFINISHED_SHIFT : 0);
    const waitMs = silenceMs * stretch(habit) + (unfinished ? UNFINISHED_EXTRA_MS : 0);
    return { waitMs: Math.min(longestSilenceMs, waitMs), confidence: sigmoid(odds), expectsMore: unfinished };
  }
  const heard = logit(probability);
  const said = unfinished ? Math.min(heard, UNFINISHED_MOST) + UNFINISHED_SHIFT : heard + evidence.wordOdds;
  // A "yes" by itself sounds as one that goes on does, and is as likely as that once it was asked for.
  const odds = !unfinished && turnMs < policy.briefAnswerMs ? Math.max(0, said + habit) : said + habit;
  const longestMs =
    odds < 0
      ? longestSilenceMs
      : Math.min(longestSilenceMs, LIKELY_LONGEST_SHARE * Math.min(silenceMs, policy.silenceMs));
  const waitMs = Math.min(longestMs, silenceMs * stretch(odds - EVEN_LOG_ODDS));
  return { waitMs, confidence: sigmoid(odds), expectsMore: odds < 0 };
}

const stretch = (odds: number): number => Math.max(SHORTEST_SHARE, Math.exp(-STEEPNESS * odds));

const logit = (probability: number): number => {
  const inside = Math.min(0.999, Math.max(0.001, probability));
  return Math.log(inside / (1 - inside));
};

const sigmoid = (odds: number): number => 1 / (1 + Math.exp(-odds));
