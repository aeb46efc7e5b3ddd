import type { TurnSettings } from "../../../config/settings/session-settings.ts";
import type { EndOfTurnPolicy } from "./end-of-turn.ts";
import { EXPECTATION_STRETCH, type Expectation } from "../../../language/expectation.ts";
import { INTERRUPTION, type InterruptionPolicy } from "./barge-in.ts";
import type { GatePolicy } from "./speech-gate.ts";

/** The limits of the turn machine, derived from a session's settings. */
export interface TurnPolicy extends InterruptionPolicy, GatePolicy, EndOfTurnPolicy {
  /** Probability at which a frame counts as voiced while the reply is audible. */
  readonly interruptThreshold: number;
  /** Voiced time before a sound becomes a turn. */
  readonly minSpeakingMs: number;
  /** Silence after which the final decode is prepared, well before the turn may end. */
  readonly prepareMs: number;
  /**
   * Silence after which the end-of-turn model is queried for the first time, and from which a pause counts for the caller's habits.
   * Absent in old replay logs: `prepareMs`.
   */
  readonly judgeMs?: number;
  /** The end-of-turn model is queried again when a pause has grown by this much. */
  readonly judgeStepMs: number;
  readonly maxTurnMs: number;
  /** Only the client ends turns. A new turn does not stop the reply. */
  readonly endedByClient?: boolean;
  /** A new turn does not stop the reply. Absent in old replay logs. */
  readonly uninterruptible?: boolean;
}

/** Wait of each mode, relative to `silenceThresholdMs`. */
const MODE_FACTOR = { aggressive: 0.6, standard: 1, adaptive: 1, conservative: 1.6 } as const;
/** Upper bounds of the wait, however likely more speech is: added to the plain wait, and in total. */
const LONGEST_EXTRA_MS = 1500;
const LONGEST_MS = 2200;
/** Length at which a turn is cut that only the client ends. */
const LONGEST_BY_CLIENT_MS = 120_000;
/** Most audio before the first voice that such a turn has. The ring of the caller's audio must hold it. */
export const LONGEST_LEAD_IN_MS = 30_000;
const JUDGE_MS = 160;
const JUDGE_STEP_MS = 128;
/** One decode in ten more than with `JUDGE_MS` (docs/decisions/0091-nothing-waits.md). */
const PREPARE_MS = 96;
/** A shorter turn may be a whole answer: "yes", "no, thank you", "two people". */
const BRIEF_ANSWER_MS = 1000;
/** The soft edges of a word do not count as voice: without this a "two" of 0.3 s would be too short. */
const EDGES_MS = 64;

/** `expectation`: the kind of answer that the service's last words ask for. */
export function turnPolicy(settings: TurnSettings, expectation: Expectation = "anything"): TurnPolicy {
  const contextual = settings.contextAwareness.enabled ? EXPECTATION_STRETCH[expectation] : 1;
  const silenceMs = settings.silenceThresholdMs * MODE_FACTOR[settings.mode] * contextual;
  return {
    speechThreshold: settings.speechThreshold,
    noiseAdaptation: settings.backgroundNoiseAdaptation,
    interruptThreshold: settings.interruptThreshold,
    minSpeakingMs: settings.minSpeakingMs - EDGES_MS,
    ...INTERRUPTION,
    prepareMs: Math.min(PREPARE_MS, silenceMs),
    judgeMs: Math.min(JUDGE_MS, silenceMs),
    judgeStepMs: JUDGE_STEP_MS,
    silenceMs,
    naturalPauses: settings.naturalPauses,
    followsRate: settings.speakingRateAdaptation,
    learnsHabits: settings.mode === "adaptive",
    briefAnswerMs: expectation === "answer" || expectation === "brief" ? BRIEF_ANSWER_MS : 0,
    longestSilenceMs: Math.max(silenceMs, Math.min(silenceMs + LONGEST_EXTRA_MS, LONGEST_MS)),
    maxTurnMs: settings.endedBy === "client" ? LONGEST_BY_CLIENT_MS : settings.maxTurnMs,
    endedByClient: settings.endedBy === "client",
    uninterruptible: !settings.interruptible,
  };
}
