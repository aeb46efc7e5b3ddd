/** The engine figures of the server's `/metrics`. */
export interface ServerMetrics {
  /** Compute time per second of audio, by engine. */
  readonly factors: Histograms;
  /** Seconds, by stage: see docs/operations.md. */
  readonly stages: Histograms;
}

export type Histograms = Readonly<Record<string, Histogram>>;

/** A histogram as in Prometheus. `buckets` has the number of values up to each bound. */
interface Histogram {
  sum: number;
  count: number;
  readonly buckets: Map<number, number>;
}

/** Quantiles are only known within a bucket's bounds. The mean is exact. */
export interface Distribution {
  readonly count: number;
  readonly mean: number;
  readonly p50: number;
  readonly p95: number;
  readonly p99: number;
}

/** Reads one histogram of Prometheus' text format, by the values of its label. */
export function parseHistograms(text: string, name: string): Histograms {
  const found: Record<string, Histogram> = {};
  for (const [, field, labels = "", value] of text.matchAll(
    new RegExp(`^${name}_(sum|count|bucket)\\{(.*)\\} (\\S+)$`, "gmu"),
  )) {
    const bound = /le="([^"]+)"/u.exec(labels)?.[1];
    const key = /(?:^|,)(?!le=)\w+="([^"]*)"/u.exec(labels)?.[1] ?? "";
    const histogram = (found[key] ??= { sum: 0, count: 0, buckets: new Map() });
    if (field === "sum") histogram.sum = Number(value);
    else if (field === "count") histogram.count = Number(value);
    else histogram.buckets.set(bound === "+Inf" ? Infinity : Number(bound), Number(value));
  }
  return found;
}

/** The difference between two readings. */
export function distributionsBetween(before: Histograms, after: Histograms): Readonly<Record<string, Distribution>> {
  const distributions = Object.entries(after).map(([key, { sum, count, buckets }]) => {
    const old = before[key];
    const added = count - (old?.count ?? 0);
    const counts = [...buckets].map(([bound, value]) => [bound, value - (old?.buckets.get(bound) ?? 0)] as const);
    const [p50 = NaN, p95 = NaN, p99 = NaN] = [0.5, 0.95, 0.99].map((q) => quantileOf(counts, q * added));
    return [key, { count: added, mean: (sum - (old?.sum ?? 0)) / added, p50, p95, p99 }] as const;
  });
  return Object.fromEntries(distributions.filter(([, { count }]) => count > 0));
}

/** Assumes that values are spread evenly inside a bucket. Beyond the last bound only the bound is known. */
function quantileOf(cumulative: readonly (readonly [number, number])[], rank: number): number {
  let lowBound = 0;
  let lowCount = 0;
  for (const [bound, count] of cumulative) {
    if (count >= rank)
      return Number.isFinite(bound)
        ? lowBound + ((bound - lowBound) * (rank - lowCount)) / Math.max(1, count - lowCount)
        : lowBound;
    [lowBound, lowCount] = [bound, count];
  }
  return lowBound;
}

/** Undefined if the server does not show its metrics. `socketUrl`: the URL of a call. */
export async function readServerMetrics(socketUrl: string): Promise<ServerMetrics | undefined> {
  const { protocol, host } = new URL(socketUrl);
  try {
    const response = await fetch(`${protocol === "wss:" ? "https" : "http"}://${host}/metrics`);
    if (!response.ok) return undefined;
    const text = await response.text();
    return {
      factors: parseHistograms(text, "oakvoice_real_time_factor"),
      stages: parseHistograms(text, "oakvoice_stage_seconds"),
    };
  } catch {
    return undefined; // The bench works without metrics.
  }
}
