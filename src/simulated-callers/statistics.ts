export interface Summary {
  readonly count: number;
  readonly mean: number;
  readonly p50: number;
  readonly p95: number;
  readonly p99: number;
  readonly max: number;
}

/** The quantile `q` (0 to 1), interpolated between neighbours. NaN without values. */
export function quantile(values: readonly number[], q: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  const at = (sorted.length - 1) * q;
  const below = sorted[Math.floor(at)];
  const above = sorted[Math.ceil(at)];
  return below === undefined || above === undefined ? NaN : below + (above - below) * (at - Math.floor(at));
}

/** Undefined without values, so that an empty column is not shown as zero. */
export function summarise(values: readonly number[]): Summary | undefined {
  if (values.length === 0) return undefined;
  const [p50 = NaN, p95 = NaN, p99 = NaN] = [0.5, 0.95, 0.99].map((q) => quantile(values, q));
  // Sort first, so that the order of the values does not change the rounding.
  const mean = values.toSorted((a, b) => a - b).reduce((sum, value) => sum + value, 0) / values.length;
  return { count: values.length, mean, p50, p95, p99, max: Math.max(...values) };
}

/** Spread of the medians of the groups (callers). */
export function spread(groups: readonly (readonly number[])[]): number | undefined {
  const medians = groups.filter((group) => group.length > 0).map((group) => quantile(group, 0.5));
  return medians.length === 0 ? undefined : Math.max(...medians) - Math.min(...medians);
}

/** Length of the longest common subsequence. */
export function commonWords(a: readonly string[], b: readonly string[]): number {
  let row = Array.from({ length: b.length + 1 }, () => 0);
  for (const word of a) {
    const next = [0];
    for (const [at, other] of b.entries())
      next.push(word === other ? (row[at] ?? 0) + 1 : Math.max(row[at + 1] ?? 0, next[at] ?? 0));
    row = next;
  }
  return row.at(-1) ?? 0;
}
