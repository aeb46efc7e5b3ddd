import { quantile } from "./statistics.ts";

export interface MemorySample {
  /** Since the callers began. */
  readonly seconds: number;
  readonly residentBytes: number;
  readonly residentByProcess: Readonly<Record<string, number>>;
}

/** By then caches have filled and each engine has seen its longest inputs. */
const SETTLED_SECONDS = 300;
/** Collectors come and go within this. */
const WINDOW_SECONDS = 60;
/** Less is no statement about a leak. */
const LEAST_WINDOWS = 3;

/**
 * How far resident memory moved from where it was after the first five minutes, up or down, at most: medians of a minute,
 * as a share. Undefined when the run was too short to say.
 */
export function residentDrift(samples: readonly Pick<MemorySample, "seconds" | "residentBytes">[]): number | undefined {
  const medians: number[] = [];
  const lastSecond = samples.at(-1)?.seconds ?? 0;
  for (let from = SETTLED_SECONDS; from + WINDOW_SECONDS <= lastSecond; from += WINDOW_SECONDS) {
    const window = samples.filter(({ seconds }) => seconds >= from && seconds < from + WINDOW_SECONDS);
    medians.push(
      quantile(
        window.map(({ residentBytes }) => residentBytes),
        0.5,
      ),
    );
  }
  const [first = NaN] = medians;
  if (medians.length < LEAST_WINDOWS) return undefined;
  return Math.max(...medians.map((median) => Math.abs(median - first))) / first;
}
