import type { SessionSettings } from "../protocol/session-settings.ts";
import { INTERRUPTION, type InterruptionPolicy } from "./interruption.ts";
import type { GatePolicy } from "./speech-gate.ts";

/** The numbers the turn machine decides by, derived from a session's settings. */
export interface TurnPolicy extends InterruptionPolicy, GatePolicy {
  /** Probability at which a frame counts as voiced while the reply is audible. */
  readonly interruptThreshold: number;
  /** Voiced time before a sound becomes a turn. */
  readonly minSpeakingMs: number;
  /** Silence after which the final decode is prepared, well before the turn may end. */
  readonly prepareMs: number;
  /** Silence that ends a turn. */
  readonly silenceMs: number;
  /** Silence that ends a turn whose words sound unfinished; equals `silenceMs` without natural pauses. */
  readonly unfinishedSilenceMs: number;
  readonly maxTurnMs: number;
}

/** How much longer or shorter than `silence_threshold` each mode waits. */
const MODE_FACTOR = { aggressive: 0.6, standard: 1, adaptive: 1, conservative: 1.6 } as const;
const UNFINISHED_EXTRA_MS = 1000;
const PREPARE_MS = 160;

export function turnPolicy(settings: SessionSettings["turn_detection"]): TurnPolicy {
  const silenceMs = settings.silence_threshold * 1000 * MODE_FACTOR[settings.mode];
  return {
    speechThreshold: settings.speech_threshold,
    noiseAdaptation: settings.background_noise_adaptation,
    interruptThreshold: settings.interrupt_threshold,
    minSpeakingMs: settings.min_speaking_time * 1000,
    ...INTERRUPTION,
    prepareMs: Math.min(PREPARE_MS, silenceMs),
    silenceMs,
    unfinishedSilenceMs: silenceMs + (settings.natural_pauses ? UNFINISHED_EXTRA_MS : 0),
    maxTurnMs: settings.max_turn_duration * 1000,
  };
}
