/** What is known of one frame when it is decided whether somebody speaks in it. */
export interface GateFrame {
  /** Session time of its end. */
  readonly atMs: number;
  /** Of speech, 0-1. */
  readonly probability: number;
  /** Level of the room, and of the frame over it. Unknown: noise is not considered. */
  readonly noiseFloorDbfs?: number | undefined;
  readonly aboveNoiseDb?: number | undefined;
}

export interface GatePolicy {
  /** Probability at which a frame counts as voiced. */
  readonly speechThreshold: number;
  readonly noiseAdaptation: boolean;
}

/** How far under the threshold a frame must fall before speech is taken to have stopped. */
const EXIT_MARGIN = 0.15;

/** Over the noise floor: to be taken for a voice, and to stay one. Chosen on mixtures: docs/decisions/0041-speech-gate.md. */
const ENTER_DB = 10;
const STAY_DB = 3;
/** Quieter rooms are as quiet as this: over near silence a soft voice would do as well. */
const QUIET_DBFS = -60;
/** A call may begin with a word. Until the room has been heard for a while, it is not believed to be louder than this. */
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
  const floor = Math.max(QUIET_DBFS, atMs < UNHEARD_MS ? Math.min(noiseFloorDbfs, UNHEARD_DBFS) : noiseFloorDbfs);
  return (
    level - floor >= (wasVoiced ? STAY_DB : ENTER_DB) &&
    reaches(wasVoiced, probability, thresholdIn(floor, policy.speechThreshold))
  );
}

/** A frame is voiced when it reaches the threshold, and stays voiced until it falls `EXIT_MARGIN` below. */
export function reaches(wasVoiced: boolean, probability: number, threshold: number): boolean {
  return probability >= (wasVoiced ? Math.max(threshold - EXIT_MARGIN, threshold / 2) : threshold);
}

function thresholdIn(floorDbfs: number, threshold: number): number {
  const noisy = (floorDbfs - NOISY_FROM_DBFS) / (NOISY_TO_DBFS - NOISY_FROM_DBFS);
  const raised = threshold + (NOISY_THRESHOLD - threshold) * Math.min(1, Math.max(0, noisy));
  return Math.max(threshold, raised);
}
