import { seededRandom } from "../../src/simulated-callers/random.ts";

export interface SoundPath {
  readonly afterMs: number;
  /** Share of the amplitude. */
  readonly share: number;
}

const LONGEST_MS = 150;
const DIES_MS = 70;
const REFLECTED = 0.35;

/** Impulse response from a loudspeaker to a microphone in a bare room, direct and with a number of reflections. Its power is 1. */
export function soundPaths(reflections: number): readonly SoundPath[] {
  const random = seededRandom(reflections);
  const reflected = Array.from({ length: reflections }, () => {
    const afterMs = LONGEST_MS * random();
    return { afterMs, share: REFLECTED * Math.exp(-afterMs / DIES_MS) * (random() < 0.5 ? -1 : 1) };
  });
  const paths = [{ afterMs: 0, share: 1 }, ...reflected];
  const amplitude = Math.sqrt(paths.reduce((power, { share }) => power + share ** 2, 0));
  return paths.map(({ afterMs, share }) => ({ afterMs, share: share / amplitude }));
}
