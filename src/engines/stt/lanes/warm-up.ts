/**
 * Decodes once on each lane, in parallel, before the first call. `limit` may abort it: a decode touches most of its memory
 * early.
 */
export async function warmUp<Lane>(
  lanes: readonly Lane[],
  decode: (lane: Lane, signal: AbortSignal) => Promise<unknown>,
  limit: AbortSignal,
): Promise<void> {
  const outcomes = await Promise.allSettled(lanes.map(async (lane) => decode(lane, limit)));
  const failed = outcomes.find((outcome) => outcome.status === "rejected");
  if (failed !== undefined && !limit.aborted) throw failed.reason;
}
