import { habitShift, type Habits } from "./habits.ts";
import { rateStretch, type SpeakingRate } from "./speaking-rate.ts";

/** How long the service waits in a pause. `turnPolicy` derives it from the settings. */
export interface EndOfTurnPolicy {
  /** Silence that ends a turn without any other evidence. */
  readonly silenceMs: number;
  /** `natural_pauses`: words and sound make the wait shorter or longer. */
  readonly naturalPauses: boolean;
  /** `adaptive`: the caller's habits do too. */
  readonly learnsHabits: boolean;
  /** `speaking_rate_adaptation`: the wait is longer for a slow speaker and shorter for a quick one. */
  readonly followsRate: boolean;
  /** After a question a turn shorter than this may be the whole answer; 0 without a question. */
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
  /** Silence for which the turn goes on, because another group of a dictated number may follow. */
  readonly leastWaitMs: number;
  /** Log odds that the words so far add to the odds that the turn is over. */
  readonly wordOdds: number;
  readonly habits: Habits;
  readonly rate: SpeakingRate;
}

/** Log odds of the model at which the wait is exactly `silenceMs`. */
const EVEN_LOG_ODDS = 2.5;
/** How much the wait shrinks (as a logarithm) with each unit of log odds. */
const STEEPNESS = 0.45;
const SHORTEST_SHARE = 0.15;
/** Upper bound of the wait, as a share of `silenceMs`, once the turn is more likely over than not, for slow speakers too. */
const LIKELY_LONGEST_SHARE = 1.5;
/** The same for a brief answer to a question, in which callers seldom hesitate. */
const BRIEF_LONGEST_SHARE = 1.35;
/** If the words cannot end a sentence, the acoustic log odds are capped at `UNFINISHED_MOST`, then `UNFINISHED_SHIFT` is added. */
const UNFINISHED_MOST = 1;
const UNFINISHED_SHIFT = -3;
/** Words with log odds up to this count as unable to end a sentence. */
const UNFINISHED_ODDS = -2;
/** Extra wait for such words without an acoustic model. */
const UNFINISHED_EXTRA_MS = 1000;
/** Silence after which half of the turns are over, and the slope of that share. Measured on short turns to an assistant. */
const SILENCE_EVEN_MS = 105;
const SILENCE_SLOPE = 1.2;

/** Longest pause between two groups of a dictated number, with the soft edges of the words around it. */
export const GROUP_PAUSE_MS = 1400;

export interface PauseScore {
  /** Silence after which the pause ends the turn, without further evidence. */
  readonly waitMs: number;
  /** Probability that the caller has finished, 0 to 1. */
  readonly confidence: number;
  /** More speech was expected: a turn that ends now has timed out. */
  readonly expectsMore: boolean;
}

export function scorePause(evidence: PauseEvidence, policy: EndOfTurnPolicy): PauseScore {
  const score = scoreSpeech(evidence, policy);
  if (!policy.naturalPauses) return score;
  return { ...score, waitMs: Math.max(score.waitMs, Math.min(evidence.leastWaitMs, policy.longestSilenceMs)) };
}

function scoreSpeech(evidence: PauseEvidence, policy: EndOfTurnPolicy): PauseScore {
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
  // A lone "yes" sounds like the start of a sentence. After a question it is at least as likely a whole answer.
  const isBrief = !unfinished && turnMs < policy.briefAnswerMs;
  const odds = isBrief ? Math.max(0, said + habit) : said + habit;
  const longestMs =
    odds < 0
      ? longestSilenceMs
      : Math.min(
          longestSilenceMs,
          (isBrief ? BRIEF_LONGEST_SHARE : LIKELY_LONGEST_SHARE) * Math.min(silenceMs, policy.silenceMs),
        );
  const waitMs = Math.min(longestMs, silenceMs * stretch(odds - EVEN_LOG_ODDS));
  return { waitMs, confidence: sigmoid(odds), expectsMore: odds < 0 };
}

const stretch = (odds: number): number => Math.max(SHORTEST_SHARE, Math.exp(-STEEPNESS * odds));

const logit = (probability: number): number => {
  const inside = Math.min(0.999, Math.max(0.001, probability));
  return Math.log(inside / (1 - inside));
};

const sigmoid = (odds: number): number => 1 / (1 + Math.exp(-odds));
