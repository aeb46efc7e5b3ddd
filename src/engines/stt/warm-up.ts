/**
 * Decodes once on each lane, all at the same time, before the first caller comes. When `limit` aborts, it is left at that:
 * memory is touched early in a decode, so that one broken off has taken most of what a whole one takes.
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
