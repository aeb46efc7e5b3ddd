/** Compute time per second of audio, as the server's own metrics sum it up by engine. */
export type EngineTotals = Readonly<Record<string, { readonly sum: number; readonly count: number }>>;

const SAMPLE = /^oakvoice_real_time_factor_(sum|count)\{engine="(\w+)"\} (\S+)$/gmu;

/** Reads Prometheus' text format. */
export function parseEngineTotals(text: string): EngineTotals {
  const totals: Record<string, { sum: number; count: number }> = {};
  for (const [, field, engine = "", value] of text.matchAll(SAMPLE)) {
    const total = (totals[engine] ??= { sum: 0, count: 0 });
    total[field === "sum" ? "sum" : "count"] = Number(value);
  }
  return totals;
}

/** The mean factor of each engine between two readings. */
export function factorsBetween(before: EngineTotals, after: EngineTotals): Readonly<Record<string, number>> {
  const means = Object.entries(after).map(([engine, { sum, count }]) => {
    const old = before[engine] ?? { sum: 0, count: 0 };
    return [engine, (sum - old.sum) / (count - old.count)] as const;
  });
  return Object.fromEntries(means.filter(([, mean]) => Number.isFinite(mean)));
}

/** Undefined when the server tells its metrics to others only, or has none. `socketUrl`: of a call. */
export async function readEngineTotals(socketUrl: string): Promise<EngineTotals | undefined> {
  const { protocol, host } = new URL(socketUrl);
  try {
    const response = await fetch(`${protocol === "wss:" ? "https" : "http"}://${host}/metrics`);
    return response.ok ? parseEngineTotals(await response.text()) : undefined;
  } catch {
    return undefined; // the bench needs no more than the WebSocket
  }
}
