import { quantile } from "./statistics.ts";

export interface MemorySample {
  /** Time since the callers began. */
  readonly seconds: number;
  readonly residentBytes: number;
  readonly residentByProcess: Readonly<Record<string, number>>;
}

/** After this time caches are full and each engine has had its longest inputs. */
const SETTLED_SECONDS = 300;
/** Window of the medians, which hides single garbage collections. */
const WINDOW_SECONDS = 60;
/** A shorter run cannot show a leak. */
const LEAST_WINDOWS = 3;

/**
 * Largest change of resident memory since the first five minutes, up or down, as a share. Uses medians of a minute. Undefined for
 * short runs.
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
