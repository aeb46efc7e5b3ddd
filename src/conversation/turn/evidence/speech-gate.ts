/** One frame, as the decision whether it is voiced needs it. */
export interface GateFrame {
  /** Session time of the frame's end. */
  readonly atMs: number;
  /** Speech probability, 0 to 1. */
  readonly probability: number;
  /** Level of the room's noise, and of the frame over it. Without them noise is not considered. */
  readonly noiseFloorDbfs?: number | undefined;
  readonly aboveNoiseDb?: number | undefined;
}

export interface GatePolicy {
  /** Probability at which a frame counts as voiced. */
  readonly speechThreshold: number;
  readonly noiseAdaptation: boolean;
}

/** How far the probability must fall below the threshold to end speech. */
const EXIT_MARGIN = 0.15;

/** Level over the noise floor to start a voice, and to continue it. Measured on mixtures: docs/decisions/0041-speech-gate.md. */
const ENTER_DB = 10;
const STAY_DB = 3;
/**
 * Lowest noise floor that counts, so that a soft sound in a silent room is not a voice. The surer the detector, the lower it is,
 * because a quiet caller is one. Measured in docs/decisions/0041-speech-gate.md.
 */
const QUIET_DBFS = { unsure: -60, sure: -75 };
const UNSURE_PROBABILITY = 0.5;
const SURE_PROBABILITY = 0.9;
/** A call may begin with a word, so the noise floor is capped at this level for the first moments. */
const UNHEARD_MS = 1500;
const UNHEARD_DBFS = -50;
/** Between these floors the threshold rises to at least this. */
const NOISY_THRESHOLD = 0.5;
const NOISY_FROM_DBFS = -55;
const NOISY_TO_DBFS = -40;

/** Voiced or not, with hysteresis in both the detector's probability and, with noise adaptation, the level over the noise. */
export function isVoiced(wasVoiced: boolean, frame: GateFrame, policy: GatePolicy): boolean {
  const { noiseFloorDbfs, aboveNoiseDb, probability, atMs } = frame;
  if (!policy.noiseAdaptation || noiseFloorDbfs === undefined || aboveNoiseDb === undefined)
    return reaches(wasVoiced, probability, policy.speechThreshold);
  const level = noiseFloorDbfs + aboveNoiseDb;
  const floor = Math.max(
    quietFloor(probability),
    atMs < UNHEARD_MS ? Math.min(noiseFloorDbfs, UNHEARD_DBFS) : noiseFloorDbfs,
  );
  return (
    level - floor >= (wasVoiced ? STAY_DB : ENTER_DB) &&
    reaches(wasVoiced, probability, thresholdIn(floor, policy.speechThreshold))
  );
}

/** A frame is voiced when it reaches the threshold, and stays voiced until it falls `EXIT_MARGIN` below. */
export function reaches(wasVoiced: boolean, probability: number, threshold: number): boolean {
  return probability >= (wasVoiced ? Math.max(threshold - EXIT_MARGIN, threshold / 2) : threshold);
}

function quietFloor(probability: number): number {
  const sure = (probability - UNSURE_PROBABILITY) / (SURE_PROBABILITY - UNSURE_PROBABILITY);
  return QUIET_DBFS.unsure + (QUIET_DBFS.sure - QUIET_DBFS.unsure) * Math.min(1, Math.max(0, sure));
}

function thresholdIn(floorDbfs: number, threshold: number): number {
  const noisy = (floorDbfs - NOISY_FROM_DBFS) / (NOISY_TO_DBFS - NOISY_FROM_DBFS);
  const raised = threshold + (NOISY_THRESHOLD - threshold) * Math.min(1, Math.max(0, noisy));
  return Math.max(threshold, raised);
}
